using System.Globalization;
using System.Text;

namespace Cache.Reliability.Tests.Fuzz;

/// <summary>Bytes as text of one line, and back.</summary>
internal static class FuzzText
{
    public static string Escape(ReadOnlySpan<byte> bytes)
    {
        var text = new StringBuilder(bytes.Length);
        foreach (byte value in bytes)
        {
            if (value is >= (byte)' ' and <= (byte)'~' and not (byte)'\\')
                text.Append((char)value);
            else
                text.Append(CultureInfo.InvariantCulture, $"\\x{value:x2}");
        }

        return text.ToString();
    }

    public static byte[] Unescape(string text)
    {
        var bytes = new List<byte>(text.Length);
        for (int i = 0; i < text.Length; i++)
        {
            if (text[i] != '\\')
            {
                bytes.Add((byte)text[i]);
                continue;
            }

            bytes.Add(byte.Parse(text.AsSpan(i + 2, 2), NumberStyles.HexNumber, CultureInfo.InvariantCulture));
            i += 3;
        }

        return [.. bytes];
    }
}
