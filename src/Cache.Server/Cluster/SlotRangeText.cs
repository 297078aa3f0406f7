using System.Globalization;
using Cache.Protocol;

namespace Cache.Server.Cluster;

/// <summary>Slots as words: "5" or "0-5460".</summary>
internal static class SlotRangeText
{
    /// <summary>Reads one word.</summary>
    public static bool TryParse(ReadOnlySpan<char> text, out int first, out int last)
    {
        int hyphen = text.IndexOf('-');
        var end = hyphen < 0 ? text : text[(hyphen + 1)..];
        last = 0;
        return TryParseSlot(hyphen < 0 ? text : text[..hyphen], out first)
            && TryParseSlot(end, out last) && first <= last;
    }

    public static string Format(int first, int last) => first == last
        ? first.ToString(CultureInfo.InvariantCulture)
        : string.Create(CultureInfo.InvariantCulture, $"{first}-{last}");

    private static bool TryParseSlot(ReadOnlySpan<char> text, out int slot) =>
        int.TryParse(text, NumberStyles.None, CultureInfo.InvariantCulture, out slot) && slot < KeySlot.Count;
}
