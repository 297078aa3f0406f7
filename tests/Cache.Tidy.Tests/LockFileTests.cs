using System.Text.Json;
using System.Xml.Linq;

namespace Cache.Tidy.Tests;

/// <summary>The lock files of projects outside the solution, which its restore does not see.</summary>
public sealed class LockFileTests
{
    [Fact]
    public void ProjectsOutsideTheSolution_AreFound() =>
        Assert.Contains("tests/interop/formats/Formats.csproj", Outside);

    [Fact]
    public void LockFilesOutsideTheSolution_HaveWhatReferencedProjectsDependOn() =>
        Findings.None(
            "A lock file that differs from a referenced project; restore the project, and commit its lock file:",
            from project in Outside
            let locked = ReadProjects(project)
            from referenced in ReferencesOf(project)
            let name = Path.GetFileNameWithoutExtension(referenced)
            let expected = string.Join(", ", DependenciesOf(referenced).Order(StringComparer.Ordinal))
            let actual = locked.GetValueOrDefault(name)
            where actual != expected
            select $"{project}, {name}: locked {actual ?? "not at all"}, expected {expected}");

    private static IReadOnlyList<string> Outside { get; } = FindOutside();

    private static List<string> FindOutside()
    {
        string solution = File.ReadAllText(Repository.Absolute("Cache.sln"));
        return
        [
            .. from project in Repository.Files
               where project.EndsWith(".csproj", StringComparison.Ordinal)
                   && !solution.Contains(project.Replace('/', '\\'), StringComparison.Ordinal)
                   && Repository.Files.Contains(LockFileOf(project))
               select project,
        ];
    }

    private static string LockFileOf(string project) =>
        Path.GetDirectoryName(project)!.Replace('\\', '/') + "/packages.lock.json";

    // The dependencies of each project in a lock file.
    private static Dictionary<string, string> ReadProjects(string project)
    {
        using var file = JsonDocument.Parse(File.ReadAllText(Repository.Absolute(LockFileOf(project))));
        var projects = new Dictionary<string, string>(StringComparer.OrdinalIgnoreCase);
        foreach (var framework in file.RootElement.GetProperty("dependencies").EnumerateObject())
        {
            foreach (var one in framework.Value.EnumerateObject())
            {
                if (one.Value.GetProperty("type").GetString() == "Project")
                    projects[one.Name] = NamesOf(one.Value);
            }
        }

        return projects;
    }

    private static string NamesOf(JsonElement project) =>
        project.TryGetProperty("dependencies", out var dependencies)
            ? string.Join(", ", dependencies.EnumerateObject().Select(one => one.Name).Order(StringComparer.Ordinal))
            : "";

    // Directly or through others, as paths in the repository.
    private static HashSet<string> ReferencesOf(string project)
    {
        HashSet<string> reached = [];
        Stack<string> open = new([project]);
        while (open.TryPop(out string? next))
        {
            foreach (string reference in ItemsOf(next, "ProjectReference"))
            {
                string folder = Path.GetDirectoryName(Repository.Absolute(next))!;
                string path = Path.GetRelativePath(Repository.Root, Path.GetFullPath(Path.Combine(folder, reference)));
                if (reached.Add(path.Replace('\\', '/')))
                    open.Push(path.Replace('\\', '/'));
            }
        }

        return reached;
    }

    private static IEnumerable<string> DependenciesOf(string project) =>
        ItemsOf(project, "PackageReference")
            .Concat(ItemsOf(project, "ProjectReference").Select(path => Path.GetFileNameWithoutExtension(path)));

    private static IEnumerable<string> ItemsOf(string project, string item) =>
        from element in XDocument.Load(Repository.Absolute(project)).Descendants(item)
        where (string?)element.Attribute("PrivateAssets") != "all"
        select element.Attribute("Include")!.Value;
}
