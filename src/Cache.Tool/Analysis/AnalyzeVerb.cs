using Cache.Tool.Verbs;

namespace Cache.Tool.Analysis;

/// <summary>Finds in a package what is wrong with its server.</summary>
internal static class AnalyzeVerb
{
    private const string JsonOption = "--json";
    private const string HtmlOption = "--html";

    public static Verb Verb { get; } = new(
        "analyze",
        ["FILE"],
        "Tells what is wrong with a server, and what to do, from the package that cache package has made of it.",
        [
            "",
            "--json   for a program",
            "--html   a page with charts: cache analyze FILE --html > page.html",
            "",
            "The rules are those of CACHE DOCTOR, over the figures of the package; besides, over each of the ten",
            "minutes before. Nothing is unpacked to the disk.",
            "Exit codes: 0 nothing critical, 1 no whole package, 2 critical, 3 wrong words or cannot be read.",
        ],
        new Dictionary<string, string?> { [JsonOption] = null, [HtmlOption] = null },
        Run)
    { Failure = ExitCode.Unjudged };

    private static ExitCode Run(VerbWords words, Report output, TimeProvider time)
    {
        if (words.Has(JsonOption) && words.Has(HtmlOption))
            throw new ToolException($"{JsonOption} and {HtmlOption} exclude each other.");
        var analysis = PackageAnalysis.Of(Path.GetFullPath(words.Operands[0]));
        if (words.Has(JsonOption))
            AnalysisJson.Write(analysis, output);
        else if (words.Has(HtmlOption))
            AnalysisPage.Write(analysis, output);
        else
            AnalysisText.Write(analysis, output);
        return analysis.IsCritical ? ExitCode.Critical : ExitCode.Whole;
    }
}
