using System.Globalization;
using System.Text;
using Cache.Server.Statistics;

namespace Cache.Server.Commands.Administration;

/// <summary>Draws samples as columns of characters: LATENCY GRAPH.</summary>
internal static class LatencyGraph
{
    private const int ColumnsMax = 80;
    private const int Rows = 5;
    private const char Filled = '#';

    // Of half a row.
    private const char Half = '_';

    private const int HalvesPerRow = 2;

    /// <summary>The graph: a line with the range, columns, and below each its age, read downwards.</summary>
    /// <param name="cause">The name of the cause.</param>
    /// <param name="samples">At least one, the oldest first.</param>
    /// <param name="nowUnixSeconds">The present time.</param>
    public static string Draw(string cause, LatencySample[] samples, long nowUnixSeconds)
    {
        var shown = samples.AsSpan()[^Math.Min(samples.Length, ColumnsMax)..];
        long high = long.MinValue;
        long low = long.MaxValue;
        foreach (var sample in shown)
        {
            high = Math.Max(high, sample.Milliseconds);
            low = Math.Min(low, sample.Milliseconds);
        }

        var text = new StringBuilder();
        text.Append(CultureInfo.InvariantCulture, $"{cause} - high {high} ms, low {low} ms\n")
            .Append('-', ColumnsMax).Append('\n');
        for (int row = Rows - 1; row >= 0; row--)
        {
            foreach (var sample in shown)
                text.Append(CharacterOf(HeightOf(sample.Milliseconds, low, high) - row * HalvesPerRow));
            text.Append('\n');
        }

        AppendAges(text, shown, nowUnixSeconds);
        return text.ToString();
    }

    // In halves of a row: at least one, so that each sample is seen.
    private static int HeightOf(long value, long low, long high) =>
        1 + (high == low ? 0 : (int)((value - low) * (Rows * HalvesPerRow - 1) / (high - low)));

    private static char CharacterOf(int halves) => halves >= HalvesPerRow ? Filled : halves == 1 ? Half : ' ';

    private static void AppendAges(StringBuilder text, ReadOnlySpan<LatencySample> shown, long nowUnixSeconds)
    {
        string[] ages = new string[shown.Length];
        for (int i = 0; i < ages.Length; i++)
            ages[i] = AgeOf(Math.Max(0, nowUnixSeconds - shown[i].AtUnixSeconds));
        int longest = 0;
        foreach (string age in ages)
            longest = Math.Max(longest, age.Length);
        for (int line = 0; line < longest; line++)
        {
            foreach (string age in ages)
                text.Append(line < age.Length ? age[line] : ' ');
            text.Append('\n');
        }
    }

    private static string AgeOf(long seconds) => seconds switch
    {
        < 60 => string.Create(CultureInfo.InvariantCulture, $"{seconds}s"),
        < 60 * 60 => string.Create(CultureInfo.InvariantCulture, $"{seconds / 60}m"),
        < 24 * 60 * 60 => string.Create(CultureInfo.InvariantCulture, $"{seconds / (60 * 60)}h"),
        _ => string.Create(CultureInfo.InvariantCulture, $"{seconds / (24 * 60 * 60)}d"),
    };
}
