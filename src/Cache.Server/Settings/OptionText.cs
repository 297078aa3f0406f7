using System.Buffers;
using System.Diagnostics;
using System.Text;

namespace Cache.Server.Settings;

/// <summary>Converts between an option's text and its bytes: UTF-8, and any other bytes that a file may have.</summary>
/// <remarks>
/// A password may have any bytes. Bytes that are not UTF-8 are lone surrogates in the text, which UTF-8 never has, so
/// the conversion is lossless: the next start reads what CONFIG REWRITE has written.
/// </remarks>
internal static class OptionText
{
    // Byte b is the surrogate U+DC00 + b; only bytes that are not ASCII can be invalid UTF-8.
    private const char SurrogateOfByte = '\uDC00';
    private const byte WrongByteMin = 0x80;

    /// <summary>The text of these bytes.</summary>
    public static string FromBytes(ReadOnlySpan<byte> bytes)
    {
        var text = new StringBuilder(bytes.Length);
        while (!bytes.IsEmpty)
        {
            bool isRune = Rune.DecodeFromUtf8(bytes, out var rune, out int length) == OperationStatus.Done;
            if (isRune)
                text.Append(rune.ToString());
            else
                AppendWrong(text, bytes[..length]);
            bytes = bytes[length..];
        }

        return text.ToString();
    }

    /// <summary>The bytes of a text.</summary>
    public static byte[] ToBytes(string text)
    {
        var bytes = new List<byte>(text.Length);
        Span<byte> room = stackalloc byte[4];
        for (int i = 0; i < text.Length;)
        {
            bool isRune = Rune.DecodeFromUtf16(text.AsSpan(i), out var rune, out int length)
                == OperationStatus.Done;
            if (!isRune && text[i] is >= (char)(SurrogateOfByte + WrongByteMin) and <= (char)(SurrogateOfByte + 0xFF))
                bytes.Add((byte)(text[i] - SurrogateOfByte));
            else
                bytes.AddRange(room[..rune.EncodeToUtf8(room)]);
            i += length;
        }

        return [.. bytes];
    }

    /// <summary>These bytes as a text with one char per byte.</summary>
    public static string ToLatin1(string text) => Encoding.Latin1.GetString(ToBytes(text));

    private static void AppendWrong(StringBuilder text, ReadOnlySpan<byte> bytes)
    {
        foreach (byte one in bytes)
        {
            Debug.Assert(one >= WrongByteMin);
            text.Append((char)(SurrogateOfByte + one));
        }
    }
}
