using System.Globalization;
using Cache.Server.Doctor;
using Cache.Tool.Verbs;

namespace Cache.Tool.Analysis;

/// <summary>Findings for somebody at a terminal.</summary>
internal static class AnalysisText
{
    public static void Write(PackageAnalysis analysis, Report output)
    {
        var package = analysis.Package;
        output.Line(
            $"Server {package.ServerVersion}, up {ShownTime(package.Uptime)}; package of {Moment(package.MadeAt)}, "
            + $"keys by {package.Keys}");
        output.Line();
        if (analysis.Present.Count == 0)
            output.Line("No rule of the doctor finds anything wrong.");
        foreach (var finding in analysis.Present)
            Write(finding, output);
        if (analysis.Earlier.Count > 0)
            output.Line("In the minutes before, and no longer:");
        foreach (var finding in analysis.Earlier)
            Write(finding, output);
    }

    public static string Moment(DateTimeOffset at) =>
        at.UtcDateTime.ToString("yyyy-MM-dd HH:mm:ss", CultureInfo.InvariantCulture) + " UTC";

    /// <summary>The moment of a finding of before; empty: it is so now.</summary>
    public static string MomentOf(JudgedFinding finding) =>
        finding.At == 0 ? "" : Moment(DateTimeOffset.FromUnixTimeSeconds(finding.At));

    public static string NameOf(Severity severity) => severity.ToString().ToLowerInvariant();

    public static string ShownTime(TimeSpan time) => time.TotalDays >= 1
        ? string.Create(CultureInfo.InvariantCulture, $"{(int)time.TotalDays} days {time.Hours} h")
        : string.Create(CultureInfo.InvariantCulture, $"{(int)time.TotalHours} h {time.Minutes} min");

    private static void Write(JudgedFinding one, Report output)
    {
        var finding = one.Finding;
        output.Finding(NameOf(finding.Severity), finding.Rule, finding.Sentence, finding.Advice);
        if (one.At != 0)
            output.Line($"          in the minute before {MomentOf(one)}");
        foreach (var series in one.Series)
            output.Line($"          {series.Text}");
        output.Line();
    }
}
