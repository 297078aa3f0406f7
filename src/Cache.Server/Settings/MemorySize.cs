using System.Globalization;

namespace Cache.Server.Settings;

/// <summary>An amount of memory as text: "100mb", "1g"; and in INFO "1.50M".</summary>
internal static class MemorySize
{
    private const int Percent = 100;

    /// <summary>Reads bytes, or a number with a unit: k, m, g of 1000; kb, mb, gb of 1024. Empty: 0.</summary>
    public static bool TryParse(ReadOnlySpan<char> text, out long bytes)
    {
        int digits = text.IndexOfAnyExceptInRange('0', '9');
        var number = digits < 0 ? text : text[..digits];
        long unit = UnitOf(digits < 0 ? [] : text[digits..]);
        bytes = 0;
        if (unit == 0 || (number.IsEmpty && !text.IsEmpty))
            return false;
        if (!number.IsEmpty && !long.TryParse(number, NumberStyles.None, CultureInfo.InvariantCulture, out bytes))
            return false;
        if (bytes > long.MaxValue / unit)
            return false;
        bytes *= unit;
        return true;
    }

    /// <summary>As the other, and "25%" of a whole: 1 to 100.</summary>
    public static bool TryParse(string text, long whole, out long bytes)
    {
        if (!text.EndsWith('%'))
            return TryParse(text, out bytes);
        bool isPart = MemoryKind.TryParsePercent(text, out int percent) && percent is > 0 and <= Percent;
        bytes = isPart ? (long)((Int128)whole * percent / Percent) : 0;
        return isPart;
    }

    /// <summary>Writes bytes with a unit and two decimals, as INFO does.</summary>
    public static string ToHuman(long bytes)
    {
        var culture = CultureInfo.InvariantCulture;
        return bytes switch
        {
            < 1L << 10 => string.Create(culture, $"{bytes}B"),
            < 1L << 20 => string.Create(culture, $"{bytes / 1024.0:F2}K"),
            < 1L << 30 => string.Create(culture, $"{bytes / (double)(1L << 20):F2}M"),
            < 1L << 40 => string.Create(culture, $"{bytes / (double)(1L << 30):F2}G"),
            _ => string.Create(culture, $"{bytes / (double)(1L << 40):F2}T"),
        };
    }

    /// <summary>The amount in its largest unit, rounded to a tenth: for sentences.</summary>
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

    /// <summary>The amount in the largest unit of which it is a whole number, as CONFIG REWRITE writes it.</summary>
    public static string ToExact(long bytes)
    {
        var culture = CultureInfo.InvariantCulture;
        return bytes switch
        {
            0 => "0",
            _ when bytes % (1L << 30) == 0 => string.Create(culture, $"{bytes >> 30}gb"),
            _ when bytes % (1L << 20) == 0 => string.Create(culture, $"{bytes >> 20}mb"),
            _ when bytes % (1L << 10) == 0 => string.Create(culture, $"{bytes >> 10}kb"),
            _ => string.Create(culture, $"{bytes}"),
        };
    }

    private static long UnitOf(ReadOnlySpan<char> unit) => unit switch
    {
        "" or "b" or "B" => 1,
        _ when unit.Equals("k", StringComparison.OrdinalIgnoreCase) => 1000,
        _ when unit.Equals("kb", StringComparison.OrdinalIgnoreCase) => 1L << 10,
        _ when unit.Equals("m", StringComparison.OrdinalIgnoreCase) => 1_000_000,
        _ when unit.Equals("mb", StringComparison.OrdinalIgnoreCase) => 1L << 20,
        _ when unit.Equals("g", StringComparison.OrdinalIgnoreCase) => 1_000_000_000,
        _ when unit.Equals("gb", StringComparison.OrdinalIgnoreCase) => 1L << 30,
        _ => 0,
    };
}
