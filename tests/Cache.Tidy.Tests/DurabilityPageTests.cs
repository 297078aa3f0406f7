using System.Text.RegularExpressions;

namespace Cache.Tidy.Tests;

/// <summary>What docs/durability.md promises is held by the tests that its table names.</summary>
public sealed partial class DurabilityPageTests
{
    private const string Document = "docs/durability.md";

    [Fact]
    public void Rows_NameTestsThatExist()
    {
        var rows = File.ReadAllLines(Repository.Absolute(Document))
            .SkipWhile(static line => !line.StartsWith("| fault |", StringComparison.Ordinal)).Skip(2)
            .TakeWhile(static line => line.StartsWith('|')).ToList();
        Assert.True(rows.Count > 20, $"Only {rows.Count} rows were found.");
        Findings.None(
            $"A row of {Document} whose third column is to name a test, by class and the beginning of the method:",
            from row in rows
            let tests = Name().Matches(row.Split('|')[3])
            where tests.Count == 0 || !tests.All(static test => Exists(test.Groups[1].Value, test.Groups[2].Value))
            select row);
    }

    private static bool Exists(string name, string method) =>
        Repository.Sources.Any(source => source.Path.EndsWith($"/{name}.cs", StringComparison.Ordinal)
            && source.Lines.Any(line => line.Contains(" " + method, StringComparison.Ordinal)));

    [GeneratedRegex("`([A-Za-z]+Tests)(?:\\.([A-Za-z_]+))?…?`")]
    private static partial Regex Name();
}
