using System.Globalization;

namespace Cache.Tool.Verbs;

/// <summary>Sizes as the server's directives write them: 64mb, 1gb; kb are 1,024 bytes, and k are 1,000.</summary>
internal static class ByteSize
{
    private static readonly (string Ending, long Bytes)[] s_units =
    [
        ("kb", 1L << 10), ("mb", 1L << 20), ("gb", 1L << 30), ("tb", 1L << 40),
        ("k", 1_000), ("m", 1_000_000), ("g", 1_000_000_000), ("t", 1_000_000_000_000), ("b", 1), ("", 1),
    ];

    public static bool TryParse(string text, out long bytes)
    {
        bytes = 0;
        var (ending, unit) = s_units.First(one => text.EndsWith(one.Ending, StringComparison.OrdinalIgnoreCase));
        var digits = text.AsSpan(0, text.Length - ending.Length);
        if (!long.TryParse(digits, NumberStyles.None, CultureInfo.InvariantCulture, out long count)
            || count > long.MaxValue / unit)
        {
            return false;
        }

        bytes = count * unit;
        return true;
    }
}
