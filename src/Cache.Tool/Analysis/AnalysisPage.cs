using System.Globalization;
using System.Net;
using System.Text;
using Cache.Tool.Verbs;

namespace Cache.Tool.Analysis;

/// <summary>Findings as a page that loads nothing and runs nothing, with a small chart of each series.</summary>
internal static class AnalysisPage
{
    private const int ChartWidth = 300;
    private const int ChartHeight = 40;

    private const string Head = """
        <!doctype html>
        <html lang="en">
        <head>
        <meta charset="utf-8">
        <meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
        <meta name="viewport" content="width=device-width">
        <title>Findings</title>
        <style>
        :root { color-scheme: light dark }
        body { font: 16px/1.5 system-ui, sans-serif; max-width: 60rem; margin: 2rem auto; padding: 0 1rem }
        section { border-left: .4rem solid GrayText; padding: .1rem 1rem; margin: 1rem 0 }
        section.critical { border-color: #c62828 }
        section.warning { border-color: #e68a00 }
        svg { display: block; max-width: 100% }
        polyline { fill: none; stroke: currentColor }
        </style>
        </head>
        <body>
        """;

    public static void Write(PackageAnalysis analysis, Report output)
    {
        var page = new StringBuilder(Head).Append('\n');
        var package = analysis.Package;
        page.Append("<h1>Findings</h1>\n<p>Server ").Append(Shown(package.ServerVersion)).Append(", up ")
            .Append(AnalysisText.ShownTime(package.Uptime)).Append("; package of ")
            .Append(AnalysisText.Moment(package.MadeAt)).Append(", keys by ").Append(Shown(package.Keys))
            .Append("</p>\n");
        if (analysis.Present.Count == 0)
            page.Append("<p>No rule of the doctor finds anything wrong.</p>\n");
        foreach (var one in analysis.Present)
            Append(page, one);
        if (analysis.Earlier.Count > 0)
            page.Append("<h2>In the minutes before, and no longer</h2>\n");
        foreach (var one in analysis.Earlier)
            Append(page, one);
        output.Text(page.Append("</body>\n</html>").ToString());
    }

    private static void Append(StringBuilder page, JudgedFinding one)
    {
        var finding = one.Finding;
        string severity = AnalysisText.NameOf(finding.Severity);
        page.Append(CultureInfo.InvariantCulture, $"<section class=\"{severity}\">\n")
            .Append(CultureInfo.InvariantCulture, $"<h3>{severity}: {Shown(finding.Rule)}</h3>\n")
            .Append(CultureInfo.InvariantCulture, $"<p>{Shown(finding.Sentence)}</p>\n")
            .Append(CultureInfo.InvariantCulture, $"<p>{Shown(finding.Advice)}</p>\n");
        if (one.At != 0)
            page.Append(CultureInfo.InvariantCulture, $"<p>In the minute before {AnalysisText.MomentOf(one)}.</p>\n");
        foreach (var series in one.Series)
            Append(page, series);
        page.Append("</section>\n");
    }

    private static void Append(StringBuilder page, SeriesSummary series)
    {
        page.Append(CultureInfo.InvariantCulture, $"<p><small>{Shown(series.Text)}</small></p>\n")
            .Append(CultureInfo.InvariantCulture, $"<svg viewBox=\"0 0 {ChartWidth} {ChartHeight}\" ")
            .Append(CultureInfo.InvariantCulture, $"width=\"{ChartWidth}\" height=\"{ChartHeight}\" ")
            .Append(CultureInfo.InvariantCulture, $"role=\"img\" aria-label=\"{Shown(series.Name)}\">")
            .Append("<polyline points=\"");
        double most = Math.Max(series.Max, double.Epsilon);
        for (int i = 0; i < series.Values.Length; i++)
        {
            double x = ChartWidth * (double)i / Math.Max(1, series.Values.Length - 1);
            double y = ChartHeight - (ChartHeight * Math.Clamp(series.Values[i] / most, 0, 1));
            page.Append(CultureInfo.InvariantCulture, $"{x:0.#},{y:0.#} ");
        }

        page.Append("\"/></svg>\n");
    }

    private static string Shown(string text) => WebUtility.HtmlEncode(text);
}
