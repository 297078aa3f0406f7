using System.Xml.Linq;
using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.CSharp.Syntax;

namespace Cache.Tidy.Tests;

public sealed class FolderArrowTests
{
    private static readonly Dictionary<string, string> s_folders = ReadFolders();

    [Fact]
    public void Folders_SeeOnlyWhatTheTableAllows() =>
        Findings.None(
            "An arrow that the table in FolderArrows.cs does not have. Pass a sink, a span or a number down instead:",
            SourceProject.All.SelectMany(project => project.Files.SelectMany(file => ForbiddenArrows(project, file))));

    [Fact]
    public void UsingDirectives_NameOnlyWhatTheTableAllows() =>
        Findings.None(
            "A using directive for a folder that this one may not see:",
            from file in SourceProject.All.SelectMany(project => project.Files)
            from directive in file.Syntax.DescendantNodes().OfType<UsingDirectiveSyntax>()
            let space = directive.NamespaceOrType.ToString()
            where FolderArrows.IsChecked(space) && !IsAllowed(file.FolderNamespace, space, space)
                && !RulesOf(file.FolderNamespace).Any(rule => SpacesOf(rule).Contains(space))
                && !RulesOf(file.FolderNamespace).Any(rule => rule.StartsWith(space + "."))
            select $"{file.At(directive)}: {file.FolderNamespace} -> {space}");

    [Fact]
    public void Folders_AreInTheTable() =>
        Findings.None(
            "A folder without a row in FolderArrows.cs, which says what it may see:",
            from file in Repository.Sources
            where file.IsIn("src") && !FolderArrows.Allowed.ContainsKey(file.FolderNamespace)
            select file.FolderNamespace);

    [Fact]
    public void Table_HasNoCycle()
    {
        foreach (string folder in FolderArrows.Allowed.Keys)
            Assert.DoesNotContain(folder, ReachableFrom(folder));
    }

    [Fact]
    public void Sources_MeanTheSameHereAsInTheBuild() =>
        Findings.None(
            "A name that these tests cannot resolve, so that an arrow could hide behind it:",
            from project in SourceProject.All
            from error in project.Errors
            where error.Id is "CS0246" or "CS0234" or "CS0103" or "CS0012" or "CS0518"
            select error.ToString());

    [Fact]
    public void ProjectReferences_FollowTheTable() =>
        Findings.None(
            "A project reference that the table in FolderArrows.cs does not have:",
            from project in FolderArrows.Projects
            from reference in ItemsOf(project.Key, "ProjectReference").Select(Path.GetFileNameWithoutExtension)
            where !project.Value.Contains(reference)
            select $"{project.Key} -> {reference}");

    [Fact]
    public void Packages_AreAbstractions() =>
        Findings.None(
            "A package that is no abstraction in a project that is packed:",
            from project in FolderArrows.Projects.Keys
            from package in ItemsOf(project, "PackageReference")
            where !FolderArrows.IsAllowedPackage(project, package)
            select $"{project} -> {package}");

    private static IEnumerable<string> ForbiddenArrows(SourceProject project, SourceFile file) =>
        from named in project.NamedTypes(file)
        let space = FolderOf(named.Type)
        where FolderArrows.IsChecked(space)
        let type = $"{space}.{OutermostName(named.Type)}"
        where !IsAllowed(file.FolderNamespace, space, type)
        select $"{file.At(named.Node)}: {file.FolderNamespace} -> {type}";

    // Where a type lies counts, not its namespace: a folder may give its types to the namespace above it.
    private static string FolderOf(INamedTypeSymbol type)
    {
        string space = type.ContainingNamespace?.ToDisplayString() ?? "";
        return s_folders.GetValueOrDefault($"{space}.{OutermostName(type)}", space);
    }

    private static IEnumerable<string> SpacesOf(string folder) =>
        s_folders.Where(type => type.Value == folder).Select(type => type.Key[..type.Key.LastIndexOf('.')]);

    private static Dictionary<string, string> ReadFolders()
    {
        var folders = new Dictionary<string, string>(StringComparer.Ordinal);
        foreach (var file in Repository.Sources.Where(file => file.IsIn("src")))
        {
            foreach (var space in file.Syntax.ChildNodes().OfType<BaseNamespaceDeclarationSyntax>())
            {
                foreach (string name in space.Members.Select(NameOf))
                    folders[$"{space.Name}.{name}"] = file.FolderNamespace;
            }
        }

        return folders;
    }

    private static string NameOf(MemberDeclarationSyntax member) => member switch
    {
        BaseTypeDeclarationSyntax type => type.Identifier.Text,
        DelegateDeclarationSyntax type => type.Identifier.Text,
        _ => "",
    };

    private static bool IsAllowed(string folder, string space, string type) =>
        folder == space
        || RulesOf(folder).Any(rule => rule == space || rule == type
            || rule.StartsWith("Microsoft.") && space.StartsWith(rule + "."));

    private static string[] RulesOf(string folder)
    {
        var rules = FolderArrows.Allowed.GetValueOrDefault(folder, []);
        var parts = from rule in rules
                    where FolderArrows.Parts.ContainsKey(rule)
                    select FolderArrows.Parts[rule];
        return [.. rules, .. parts];
    }

    private static string OutermostName(INamedTypeSymbol type)
    {
        while (type.ContainingType != null)
            type = type.ContainingType;
        return type.Name;
    }

    private static HashSet<string> ReachableFrom(string folder)
    {
        HashSet<string> reached = [];
        Stack<string> open = new(SeenFrom(folder));
        while (open.TryPop(out string? next))
        {
            if (!reached.Add(next))
                continue;
            foreach (string further in SeenFrom(next))
                open.Push(further);
        }

        return reached;
    }

    // Who may see a type sees, through it, what its folder sees.
    private static IEnumerable<string> SeenFrom(string folder) => RulesOf(folder).Select(
        rule => FolderArrows.Allowed.ContainsKey(rule) ? rule : rule[..rule.LastIndexOf('.')]);

    private static IEnumerable<string> ItemsOf(string project, string item) =>
        XDocument.Load(Repository.Absolute($"src/{project}/{project}.csproj"))
            .Descendants(item).Select(element => element.Attribute("Include")!.Value);
}
