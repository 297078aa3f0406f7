namespace Cache.Tidy.Tests;

/// <summary>The working tree that these tests were built from, found upwards from their own binaries.</summary>
internal static class Repository
{
    private static readonly string[] s_generatedFolders =
        ["bin", "obj", "artifacts", "node_modules", "TestResults", "BenchmarkDotNet.Artifacts", "feed"];

    public static string Root { get; } = FindRoot();

    /// <summary>Every file that a person wrote: paths relative to the root, with forward slashes.</summary>
    public static IReadOnlyList<string> Files { get; } = [.. Walk(Root).Select(Relative).Order(StringComparer.Ordinal)];

    /// <summary>Every C# file, parsed.</summary>
    public static IReadOnlyList<SourceFile> Sources { get; } =
        [.. Files.Where(file => file.EndsWith(".cs", StringComparison.Ordinal)).Select(SourceFile.Read)];

    public static string Absolute(string relative) => Path.Combine(Root, relative);

    private static string Relative(string path) => Path.GetRelativePath(Root, path).Replace('\\', '/');

    private static string FindRoot()
    {
        for (var folder = new DirectoryInfo(AppContext.BaseDirectory); folder != null; folder = folder.Parent)
        {
            if (File.Exists(Path.Combine(folder.FullName, "Cache.sln")))
                return folder.FullName;
        }

        throw new InvalidOperationException($"No Cache.sln at or above {AppContext.BaseDirectory}.");
    }

    private static IEnumerable<string> Walk(string folder)
    {
        foreach (var file in Directory.EnumerateFiles(folder))
            yield return file;
        foreach (var child in Directory.EnumerateDirectories(folder).Where(IsWritten))
        {
            foreach (var file in Walk(child))
                yield return file;
        }
    }

    // .ci holds a script of ours; other hidden folders are those of version control and editors.
    private static bool IsWritten(string folder)
    {
        string name = Path.GetFileName(folder);
        return !s_generatedFolders.Contains(name) && (name[0] != '.' || name == ".ci");
    }
}
