using System.Globalization;

namespace Cache.Tool;

/// <summary>Moments of the wall clock, as files have them, for a person.</summary>
internal static class Moments
{
    private static readonly long s_earliest = DateTimeOffset.MinValue.ToUnixTimeMilliseconds();
    private static readonly long s_latest = DateTimeOffset.MaxValue.ToUnixTimeMilliseconds();

    /// <summary>In UTC; a number of milliseconds that no calendar has stays a number.</summary>
    public static string Text(long unixMs) => unixMs >= s_earliest && unixMs <= s_latest
        ? DateTimeOffset.FromUnixTimeMilliseconds(unixMs).ToString(
            "yyyy-MM-dd'T'HH:mm:ss.fff'Z'", CultureInfo.InvariantCulture)
        : string.Create(CultureInfo.InvariantCulture, $"{unixMs} ms");

    public static string Seconds(long milliseconds) =>
        (Math.Max(0, milliseconds) / 1000.0).ToString("0.0##", CultureInfo.InvariantCulture);
}
