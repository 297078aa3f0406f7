using System.Globalization;
using Cache.Tool.Client;
using Cache.Tool.Verbs;
using Spectre.Console;
using Spectre.Console.Rendering;

namespace Cache.Tool.Live;

/// <summary>A frame of cache top.</summary>
internal static class TopView
{
    private const double BytesPerMegabyte = 1 << 20;

    /// <param name="address">The server's address.</param>
    /// <param name="now">The present figures.</param>
    /// <param name="before">Those of the frame before; null: none.</param>
    public static IRenderable Of(string address, TopFigures now, TopFigures? before)
    {
        var rows = new List<IRenderable> { Line($"{address}, {Describe(now)}") };
        if (now.Worst is { Items: [var severity, _, var sentence, var advice, ..] })
        {
            rows.Add(Line($"{severity.Text.ToUpperInvariant()}: {sentence.Text}", StyleOf(severity.Text)));
            rows.Add(Line(advice.Text));
        }
        else
        {
            rows.Add(Line(now.Refusal is { } refusal ? $"The doctor: {refusal}" : "The doctor finds nothing wrong."));
        }

        rows.Add(FiguresOf(now, before));
        if (now.Keys.Count > 0)
            rows.Add(KeysOf(now.Keys));
        return new Rows(rows);
    }

    private static string Describe(TopFigures now)
    {
        var uptime = TimeSpan.FromSeconds(now.Number("uptime_in_seconds"));
        return string.Create(
            CultureInfo.InvariantCulture,
            $"cache {now.Info.GetValueOrDefault("cache_version", "?")}, up {(int)uptime.TotalDays} d "
            + $"{uptime.Hours} h {uptime.Minutes} min");
    }

    private static Table FiguresOf(TopFigures now, TopFigures? before)
    {
        var table = new Table { Border = TableBorder.Simple };
        foreach (string name in (string[])["ops/s", "hit ratio", "memory", "of limit", "clients", "evicted"])
            table.AddColumn(new TableColumn(new Text(name)).RightAligned());
        table.AddColumn("busiest, microseconds");
        table.AddColumn(new TableColumn(new Text("p99")).RightAligned());
        table.AddColumn(new TableColumn(new Text("longest")).RightAligned());
        double used = now.Number("used_memory");
        long limit = now.Number("maxmemory");
        var (name1, percentiles) = now.Busiest();
        table.AddRow(
            Line(Count(now.Number("instantaneous_ops_per_sec"))),
            Line(now.HitPercentSince(before) is { } hits ? Invariant($"{hits:F1} %") : "-"),
            Line(Invariant($"{used / BytesPerMegabyte:F1} MB")),
            Line(limit > 0 ? Invariant($"{100 * used / limit:F0} %") : "-"),
            Line(Count(now.Number("connected_clients"))),
            Line(Count(now.Number("evicted_keys") - (before?.Number("evicted_keys") ?? 0))),
            Line(name1.Length == 0 ? "-" : $"{name1} {percentiles}"),
            Line(Count(now.Number("latency_p99_usec_10s"))),
            Line(Count(now.Number("latency_max_usec_10s"))));
        return table;
    }

    private static Table KeysOf(IReadOnlyList<Reply> keys)
    {
        var table = new Table { Border = TableBorder.Simple };
        foreach (string name in (string[])["reads/s", "writes/s", "bytes/s", "length", "db"])
            table.AddColumn(new TableColumn(new Text(name)).RightAligned());
        table.AddColumn("key");
        foreach (var key in keys)
        {
            table.AddRow(
                Field(key, "reads"), Field(key, "writes"), Field(key, "bytes"), Field(key, "length"), Field(key, "db"),
                Line(KeyText.Of(key.Find("key")?.Bytes ?? [])));
        }

        return table;
    }

    private static Text Field(Reply key, string name) => Line(key.Find(name)?.Text ?? "");

    private static string Count(long number) => number.ToString("#,0", CultureInfo.InvariantCulture);

    private static string Invariant(FormattableString text) => FormattableString.Invariant(text);

    private static Style? StyleOf(string severity) => severity switch
    {
        "critical" => new Style(Color.Red, decoration: Decoration.Bold),
        "warning" => new Style(Color.Yellow),
        _ => null,
    };

    // Not markup, and nothing that commands a terminal: a server may say anything.
    private static Text Line(string text, Style? style = null) => new(Report.Harmless(text), style);
}
