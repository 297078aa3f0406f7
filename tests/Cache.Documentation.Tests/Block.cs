namespace Cache.Documentation.Tests;

/// <summary>A fenced block of a page.</summary>
/// <param name="Page">The page's path.</param>
/// <param name="Line">Where its fence is.</param>
/// <param name="Section">The line of the heading above it.</param>
/// <param name="Language">The word behind the fence.</param>
/// <param name="Lines">The block as printed.</param>
/// <param name="Marker">The HTML comment before it, which a reader does not see.</param>
internal sealed record Block(string Page, int Line, int Section, string Language, string[] Lines, string? Marker)
{
    private const string InPrefix = "in: ";
    private const string NotCompiledPrefix = "not compiled: ";

    public string Place => $"{Page}:{Line}";

    public string Text => string.Concat(Lines.Select(line => line + "\n"));

    /// <summary>The surroundings that a part of a program is compiled in; null: it is a whole program.</summary>
    public string? Surroundings =>
        Marker?.StartsWith(InPrefix, StringComparison.Ordinal) == true ? Marker[InPrefix.Length..]
        : Text.Contains("CreateBuilder(") || Text.Contains("CreateApplicationBuilder(") || !Text.Contains("builder.")
            ? null : "web";

    /// <summary>Why the block cannot be compiled here.</summary>
    public string? NotCompiled =>
        Marker?.StartsWith(NotCompiledPrefix, StringComparison.Ordinal) == true
            ? Marker[NotCompiledPrefix.Length..] : null;

    public IEnumerable<Block> InSection(string language) =>
        from page in Documentation.Tests.Page.All
        where page.Path == Page
        from block in page.Blocks
        where block.Section == Section && block.Language == language
        select block;
}
