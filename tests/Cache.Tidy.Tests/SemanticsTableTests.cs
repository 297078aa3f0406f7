using System.Text.RegularExpressions;
using Microsoft.CodeAnalysis.CSharp.Syntax;

namespace Cache.Tidy.Tests;

/// <summary>What docs/in-process.md promises case by case is held by the tests that its tables name.</summary>
public sealed partial class SemanticsTableTests
{
    private const string Document = "docs/in-process.md";

    private static readonly string[] s_lines = File.ReadAllLines(Repository.Absolute(Document));

    // The legend: a letter and the class that it stands for.
    private static readonly Dictionary<string, string> s_classes =
        Legend().Matches(string.Join(' ', s_lines)).ToDictionary(
            static match => match.Groups[1].Value, static match => match.Groups[2].Value);

    [Fact]
    public void Rows_NameTestsThatExist()
    {
        var rows = TestedRows().ToList();
        Assert.True(rows.Count > 30, $"Only {rows.Count} rows with tests were found.");
        Findings.None(
            $"A row of {Document} whose last column is to name a test, by class and the beginning of the method:",
            from row in rows
            from reference in row.Tests
            where !IsTest(reference)
            select $"{Document}:{row.Line}: {reference}");
    }

    /// <summary>The rows of tables whose last heading is "test".</summary>
    private static IEnumerable<(int Line, string[] Tests)> TestedRows()
    {
        bool isTested = false;
        for (int i = 0; i < s_lines.Length; i++)
        {
            if (!s_lines[i].StartsWith('|'))
                isTested = false;
            else if (s_lines[i].EndsWith("| test |", StringComparison.Ordinal))
                isTested = true;
            else if (isTested && !s_lines[i].StartsWith("|---", StringComparison.Ordinal))
                yield return (i + 1, s_lines[i].Split('|')[^2].Split(',', StringSplitOptions.TrimEntries));
        }
    }

    // A letter alone stands for the whole class.
    private static bool IsTest(string reference)
    {
        string[] parts = reference.Split('.', 2);
        if (!s_classes.TryGetValue(parts[0], out string? name))
            return false;
        return Repository.Sources
            .Where(source => source.Path.EndsWith($"/{name}.cs", StringComparison.Ordinal))
            .SelectMany(static source => source.Syntax.DescendantNodes().OfType<MethodDeclarationSyntax>())
            .Any(method => method.AttributeLists.Count > 0
                && (parts.Length == 1 || method.Identifier.Text.StartsWith(parts[1], StringComparison.Ordinal)));
    }

    [GeneratedRegex(@"\b([A-Z]) `(\w+)`")]
    private static partial Regex Legend();
}
