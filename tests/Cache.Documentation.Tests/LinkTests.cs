using System.Text.RegularExpressions;

namespace Cache.Documentation.Tests;

/// <summary>A link between pages leads to a file, and one with a fragment to a heading of it.</summary>
public sealed partial class LinkTests
{
    [Fact]
    public void RelativeLinks_LeadSomewhere() =>
        Assert.Empty(
            from page in Page.All
            let text = File.ReadAllText(Path.Combine(Page.Root, page.Path))
            from Match link in Link().Matches(text)
            let target = link.Groups[1].Value
            where !target.Contains("://") && !IsThere(page.Path, target)
            select $"{page.Path}: {target}");

    [Fact]
    public void Pages_AreInTheIndex_Once()
    {
        string index = File.ReadAllText(Path.Combine(Page.Root, "docs/README.md"));
        Assert.Empty(
            from page in Page.All
            where page.Path.StartsWith("docs/", StringComparison.Ordinal) && page.Path != "docs/README.md"
            let count = index.Split($"({page.Path["docs/".Length..]})").Length - 1
            where count != 1
            select $"{page.Path}: {count} times");
    }

    private static bool IsThere(string page, string target)
    {
        string[] parts = target.Split('#', 2);
        string path = parts[0].Length == 0
            ? Path.Combine(Page.Root, page)
            : Path.Combine(Page.Root, Path.GetDirectoryName(page)!, parts[0]);
        if (parts.Length == 1)
            return File.Exists(path) || Directory.Exists(path);
        return File.Exists(path)
            && File.ReadLines(path).Any(line => line.StartsWith('#') && Fragment(line) == parts[1]);
    }

    // As the forges make it: lower case, hyphens for spaces, no punctuation.
    private static string Fragment(string heading) =>
        Punctuation().Replace(heading.TrimStart('#').Trim().ToLowerInvariant(), "").Replace(' ', '-');

    [GeneratedRegex(@"\]\(([^)\s]+)\)")]
    private static partial Regex Link();

    [GeneratedRegex(@"[^\w\- ]")]
    private static partial Regex Punctuation();
}
