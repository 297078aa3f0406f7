using System.Text.RegularExpressions;

namespace Cache.Documentation.Tests;

/// <summary>A Markdown page of the repository and its fenced blocks.</summary>
internal sealed partial class Page
{
    // Decisions are records of their day; what they quote need not compile today.
    private const string Decisions = "docs/decisions";

    private Page(string path)
    {
        Path = path;
        Blocks = [.. Read(path, File.ReadAllLines(System.IO.Path.Combine(Root, path)))];
    }

    public static string Root { get; } = FindRoot();

    /// <summary>Every page that a user reads: at the root, in docs/ and beside the packages.</summary>
    public static IReadOnlyList<Page> All { get; } =
    [
        .. new[] { ".", "docs", "src" }
            .SelectMany(folder => Directory.EnumerateFiles(
                System.IO.Path.Combine(Root, folder), "*.md",
                folder == "." ? SearchOption.TopDirectoryOnly : SearchOption.AllDirectories))
            .Select(path => System.IO.Path.GetRelativePath(Root, path).Replace('\\', '/'))
            .Where(path => !path.StartsWith(Decisions, StringComparison.Ordinal) && path != "CHANGELOG.md")
            .Order(StringComparer.Ordinal).Select(path => new Page(path)),
    ];

    public string Path { get; }

    public IReadOnlyList<Block> Blocks { get; }

    public static Block Find(string place) => All.SelectMany(page => page.Blocks).Single(block => block.Place == place);

    /// <summary>The blocks of one language, as the rows of a theory.</summary>
    public static IEnumerable<TheoryDataRow<string>> Places(string language) =>
        from page in All
        from block in page.Blocks
        where block.Language == language && block.NotCompiled == null
        select new TheoryDataRow<string>(block.Place);

    private static IEnumerable<Block> Read(string path, string[] lines)
    {
        int section = 0;
        string? marker = null;
        for (int i = 0; i < lines.Length; i++)
        {
            if (Comment().Match(lines[i]) is { Success: true } comment)
                marker = comment.Groups[1].Value;
            else if (lines[i].StartsWith('#'))
                section = i;
            else if (lines[i].StartsWith("```", StringComparison.Ordinal))
            {
                int end = Array.FindIndex(lines, i + 1, static line => line.StartsWith("```"));
                yield return new Block(path, i + 1, section, lines[i][3..].Trim(), lines[(i + 1)..end], marker);
                marker = null;
                i = end;
            }
        }
    }

    private static string FindRoot()
    {
        for (var folder = new DirectoryInfo(AppContext.BaseDirectory); folder != null; folder = folder.Parent)
        {
            if (File.Exists(System.IO.Path.Combine(folder.FullName, "Cache.sln")))
                return folder.FullName;
        }

        throw new InvalidOperationException($"No Cache.sln at or above {AppContext.BaseDirectory}.");
    }

    [GeneratedRegex("^<!-- (.*) -->$")]
    private static partial Regex Comment();
}
