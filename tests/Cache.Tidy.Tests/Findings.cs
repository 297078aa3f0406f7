namespace Cache.Tidy.Tests;

/// <summary>What a rule found; empty is what every test wants.</summary>
internal static class Findings
{
    /// <summary>Fails with the rule's sentence and every place that breaks it.</summary>
    public static void None(string rule, IEnumerable<string> places)
    {
        var found = places.Distinct().Order(StringComparer.Ordinal).ToList();
        if (found.Count > 0)
            Assert.Fail($"{rule}\n  {string.Join("\n  ", found)}");
    }
}
