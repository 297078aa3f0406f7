using Microsoft.CodeAnalysis;

namespace Cache.Tidy.Tests;

/// <summary>No folder is so full, and no circle of files so large, that nobody finds the way.</summary>
public sealed class RoomTests
{
    private const int FilesMax = 40;

    // Files of one type count as one.
    private const int CircleMax = 5;

    // A bound is what was reached, and may only fall.
    private static readonly Dictionary<string, int> s_filesMax = new()
    {
        // A shard and its parts, one for each concern.
        ["Cache.Core.Sharding"] = 55,
        // What users name: a type a file.
        ["Cache.Core.Contracts"] = 50,
        // All that may use pointers.
        ["Cache.Core.Layout"] = 42,
    };

    private static readonly Dictionary<string, int> s_circleMax = new()
    {
        // The store makes the handle of a key of each kind, and a handle is of a store, or of one in a transaction.
        ["Cache.Core"] = 8,
        // The heap has the long values, a view of the heap lends them, and changes have their blocks. Two are of
        // streams.
        ["Cache.Core.Collections.Objects"] = 10,
    };

    [Fact]
    public void Folders_HaveNoMoreFilesThanOneFinds() =>
        Findings.None(
            "A folder with more files than its bound; make rooms:",
            from folder in Repository.Sources.Where(file => file.IsIn("src")).GroupBy(file => file.FolderNamespace)
            let max = s_filesMax.GetValueOrDefault(folder.Key, FilesMax)
            where folder.Count() > max
            select $"{folder.Key}: {folder.Count()} files, {max} at most");

    [Fact]
    public void Circles_AreSmall() =>
        Findings.None(
            "A circle of files within a folder that is larger than its bound; pass down what the lower one needs:",
            from project in SourceProject.All
            from folder in project.Files.GroupBy(file => file.FolderNamespace)
            let circle = LargestCircle(project, [.. folder])
            let max = s_circleMax.GetValueOrDefault(folder.Key, CircleMax)
            where circle.Count > max
            select $"{folder.Key}: {circle.Count}, {max} at most: {string.Join(", ", circle.Order())}");

    private static List<string> LargestCircle(SourceProject project, List<SourceFile> files)
    {
        var arrows = files.Select(UnitOf).Distinct().ToDictionary(unit => unit, _ => new HashSet<string>());
        var units = files.ToDictionary(file => file.Path, UnitOf);
        foreach (var file in files)
        {
            foreach (var (_, type, _) in project.NamedTypes(file))
            {
                foreach (var place in type.OriginalDefinition.Locations.Where(place => place.IsInSource))
                {
                    if (units.TryGetValue(place.SourceTree!.FilePath, out string? other) && other != UnitOf(file))
                        arrows[UnitOf(file)].Add(other);
                }
            }
        }

        var reached = arrows.Keys.ToDictionary(unit => unit, unit => ReachableFrom(unit, arrows));
        var circles = from unit in arrows.Keys
                      let circle = reached[unit].Where(other => reached[other].Contains(unit)).ToList()
                      orderby circle.Count descending
                      select circle;
        return circles.FirstOrDefault() ?? [];
    }

    // Shard.Reads.cs is of Shard.
    private static string UnitOf(SourceFile file) => Path.GetFileName(file.Path).Split('.')[0];

    private static HashSet<string> ReachableFrom(string unit, Dictionary<string, HashSet<string>> arrows)
    {
        HashSet<string> reached = [];
        Stack<string> open = new(arrows[unit]);
        while (open.TryPop(out string? next))
        {
            if (!reached.Add(next))
                continue;
            foreach (string further in arrows[next])
                open.Push(further);
        }

        return reached;
    }
}
