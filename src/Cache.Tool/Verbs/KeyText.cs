using System.Diagnostics.CodeAnalysis;
using System.Globalization;
using System.Text;

namespace Cache.Tool.Verbs;

/// <summary>Keys and values as text in quotes, as redis-cli prints them; bytes that are not ASCII as \xHH.</summary>
internal static class KeyText
{
    // A longer one would fill the terminal.
    private const int BytesMax = 256;

    private const string Letters = "nrtab\\\"";
    private const string Meanings = "\n\r\t\a\b\\\"";

    public static string Of(ReadOnlySpan<byte> bytes)
    {
        var text = new StringBuilder("\"");
        foreach (byte next in bytes[..Math.Min(bytes.Length, BytesMax)])
        {
            int meaning = Meanings.IndexOf((char)next);
            if (meaning >= 0)
                text.Append('\\').Append(Letters[meaning]);
            else if (next is >= 0x20 and < 0x7F)
                text.Append((char)next);
            else
                text.Append(CultureInfo.InvariantCulture, $"\\x{next:x2}");
        }

        text.Append(bytes.Length > BytesMax ? "\"..." : "\"");
        return text.ToString();
    }

    /// <summary>Reads a key as it was typed: UTF-8, with the escapes that <see cref="Of"/> prints.</summary>
    public static bool TryParse(string text, [NotNullWhen(true)] out byte[]? key)
    {
        key = null;
        var bytes = new List<byte>();
        for (int i = 0; i < text.Length; i++)
        {
            if (text[i] != '\\')
            {
                int length = i + 1 < text.Length && char.IsSurrogatePair(text, i) ? 2 : 1;
                bytes.AddRange(Encoding.UTF8.GetBytes(text.Substring(i, length)));
                i += length - 1;
                continue;
            }

            if (++i == text.Length)
                return false;
            int letter = Letters.IndexOf(text[i]);
            if (letter >= 0)
                bytes.Add((byte)Meanings[letter]);
            else if (TryParseHex(text, i, out byte one))
                bytes.Add(one);
            else
                return false;
            i += letter >= 0 ? 0 : 2;
        }

        key = [.. bytes];
        return true;
    }

    private static bool TryParseHex(string text, int at, out byte one)
    {
        one = 0;
        return text[at] == 'x' && text.Length - at > 2
            && byte.TryParse(text.AsSpan(at + 1, 2), NumberStyles.AllowHexSpecifier, null, out one);
    }
}
