using System.Globalization;

namespace Cache.Hosting;

/// <summary>
/// Amounts of memory as Redis writes them: 1k is 1000 bytes, 1kb is 1024; so for m, mb, g and gb. And parts of a whole.
/// </summary>
internal static class MemorySize
{
    private const int Percent = 100;

    private static readonly (string Suffix, long Bytes)[] _units =
    [
        ("kb", 1L << 10), ("mb", 1L << 20), ("gb", 1L << 30),
        ("k", 1_000), ("m", 1_000_000), ("g", 1_000_000_000), ("b", 1), ("", 1),
    ];

    public static bool TryParse(string text, out long bytes)
    {
        var unit = Array.Find(_units, unit => text.EndsWith(unit.Suffix, StringComparison.OrdinalIgnoreCase));
        var digits = text.AsSpan(0, text.Length - unit.Suffix.Length);
        bool isNumber = long.TryParse(digits, NumberStyles.None, CultureInfo.InvariantCulture, out bytes);
        if (!isNumber || bytes > long.MaxValue / unit.Bytes)
            return false;
        bytes *= unit.Bytes;
        return true;
    }

    /// <summary>As <see cref="TryParse(string, out long)"/>, and "25%" of a whole: 1 to 100.</summary>
    public static bool TryParse(string text, long whole, out long bytes)
    {
        if (!text.EndsWith('%'))
            return TryParse(text, out bytes);
        bool isPercent = int.TryParse(
            text.AsSpan(0, text.Length - 1), NumberStyles.None, CultureInfo.InvariantCulture, out int percent)
            && percent is > 0 and <= Percent;
        bytes = isPercent ? (long)((Int128)whole * percent / Percent) : 0;
        return isPercent;
    }

    /// <summary>The amount in its largest unit, rounded to a tenth.</summary>
    public static string Format(long bytes)
    {
        var (suffix, unit) = bytes switch
        {
            >= 1L << 30 => ("gb", 1L << 30),
            >= 1L << 20 => ("mb", 1L << 20),
            >= 1L << 10 => ("kb", 1L << 10),
            _ => ("", 1L),
        };
        return string.Create(CultureInfo.InvariantCulture, $"{(double)bytes / unit:0.#}{suffix}");
    }
}
