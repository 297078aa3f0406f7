using System.Buffers;
using System.Globalization;
using System.Text;
using System.Text.Json;
using Cache.Tool.Verbs;

namespace Cache.Tool.Analysis;

/// <summary>Findings for a program: one object.</summary>
internal static class AnalysisJson
{
    public static void Write(PackageAnalysis analysis, Report output)
    {
        var bytes = new ArrayBufferWriter<byte>();
        using (var json = new Utf8JsonWriter(bytes, new JsonWriterOptions { Indented = true }))
        {
            json.WriteStartObject();
            json.WriteString("serverVersion", analysis.Package.ServerVersion);
            json.WriteString("madeAt", analysis.Package.MadeAt.UtcDateTime.ToString("O", CultureInfo.InvariantCulture));
            json.WriteNumber("uptimeSeconds", (long)analysis.Package.Uptime.TotalSeconds);
            json.WriteBoolean("isCritical", analysis.IsCritical);
            WriteAll(json, "findings", analysis.Present);
            WriteAll(json, "earlier", analysis.Earlier);
            json.WriteEndObject();
        }

        output.Text(Encoding.UTF8.GetString(bytes.WrittenSpan));
    }

    private static void WriteAll(Utf8JsonWriter json, string name, IReadOnlyList<JudgedFinding> findings)
    {
        json.WriteStartArray(name);
        foreach (var one in findings)
        {
            json.WriteStartObject();
            json.WriteString("severity", AnalysisText.NameOf(one.Finding.Severity));
            json.WriteString("rule", one.Finding.Rule);
            json.WriteString("sentence", one.Finding.Sentence);
            json.WriteString("advice", one.Finding.Advice);
            if (one.At != 0)
                json.WriteNumber("atUnixSeconds", one.At);
            json.WriteStartArray("evidence");
            foreach (var series in one.Series)
                Write(json, series);
            json.WriteEndArray();
            json.WriteEndObject();
        }

        json.WriteEndArray();
    }

    private static void Write(Utf8JsonWriter json, SeriesSummary series)
    {
        json.WriteStartObject();
        json.WriteString("series", series.Name);
        json.WriteNumber("last", series.Last);
        json.WriteNumber("mean", series.Mean);
        json.WriteNumber("max", series.Max);
        json.WriteNumber("seconds", series.Values.Length);
        json.WriteEndObject();
    }
}
