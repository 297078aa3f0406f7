using System.Globalization;
using System.Text;
using System.Text.Unicode;

namespace Cache.Dashboard.Data;

/// <summary>Bytes as people read them: text if they are text, else with escapes, as redis-cli shows them.</summary>
internal static class KeyText
{
    /// <summary>A key or a name, in one line.</summary>
    public static string Of(ReadOnlySpan<byte> bytes) => Of(bytes, keepsLines: false);

    /// <summary>A value, with its lines.</summary>
    public static string OfValue(ReadOnlySpan<byte> bytes) => Of(bytes, keepsLines: true);

    /// <summary>What the server keeps as Latin-1, a char for a byte.</summary>
    public static string OfLatin1(string text) => Of(Encoding.Latin1.GetBytes(text));

    /// <summary>The beginning, with no half of a character at its end.</summary>
    public static ReadOnlySpan<byte> Cut(ReadOnlySpan<byte> bytes, int lengthMax)
    {
        if (bytes.Length <= lengthMax)
            return bytes;
        int end = lengthMax;
        while (end > lengthMax - 3 && IsInside(bytes[end]))
            end--;
        return bytes[..end];
    }

    private static string Of(ReadOnlySpan<byte> bytes, bool keepsLines)
    {
        if (!Utf8.IsValid(bytes))
            return Escape(bytes);
        string text = Encoding.UTF8.GetString(bytes);
        if (!text.Any(one => IsEscaped(one, keepsLines)))
            return text;
        var escaped = new StringBuilder(text.Length);
        foreach (char one in text)
        {
            if (one == '\\' || IsEscaped(one, keepsLines))
                escaped.Append(CultureInfo.InvariantCulture, $"\\x{(int)one:x2}");
            else
                escaped.Append(one);
        }

        return escaped.ToString();
    }

    private static string Escape(ReadOnlySpan<byte> bytes)
    {
        var escaped = new StringBuilder();
        foreach (byte one in bytes)
        {
            if (one is >= (byte)' ' and < 0x7F and not (byte)'\\')
                escaped.Append((char)one);
            else
                escaped.Append(CultureInfo.InvariantCulture, $"\\x{one:x2}");
        }

        return escaped.ToString();
    }

    private static bool IsEscaped(char one, bool keepsLines) =>
        char.IsControl(one) && !(keepsLines && (one is '\n' or '\r' or '\t'));

    private static bool IsInside(byte one) => (one & 0xC0) == 0x80;
}
