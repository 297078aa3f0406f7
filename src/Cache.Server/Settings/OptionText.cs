using System.Buffers;
using System.Diagnostics;
using System.Text;

namespace Cache.Server.Settings;

/// <summary>The text of an option and the bytes that it stands for: UTF-8, and whatever else a file may have.</summary>
/// <remarks>
/// A password is any bytes. Those that are not UTF-8 are lone surrogates in the text, which UTF-8 never gives, so that
/// the bytes come back as they were: what CONFIG REWRITE writes is what the next start reads.
/// </remarks>
internal static class OptionText
{
    // Byte b is the surrogate U+DC00 + b; only bytes that are not ASCII are ever wrong.
    private const char SurrogateOfByte = '\uDC00';
    private const byte WrongByteMin = 0x80;

    /// <summary>The text that stands for these bytes.</summary>
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

    /// <summary>The bytes that a text stands for.</summary>
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

    /// <summary>These bytes as a text of which each char is a byte.</summary>
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
