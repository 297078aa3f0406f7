using System.Buffers.Binary;
using System.Buffers.Text;

namespace Cache.Durability.Rdb;

/// <summary>Redis's listpack: strings one behind the other, from untrusted bytes.</summary>
/// <remarks>
/// <code>
///  bytes 4 │ count 2 │ (form, string or number, length of both backwards)* │ FF
/// </code>
/// A count of 65,535 says that it is not known. Source: Redis 7.0's listpack.c.
/// </remarks>
internal static class RdbListpack
{
    private const int HeaderLength = 6;
    private const int UnknownCount = ushort.MaxValue;
    private const byte End = 0xFF;
    private const int NumberLengthMax = 20;

    /// <summary>Reads all strings.</summary>
    /// <returns>False if the bytes are none.</returns>
    public static bool TryRead(ReadOnlySpan<byte> pack, RdbElements elements)
    {
        if (pack.Length <= HeaderLength || BinaryPrimitives.ReadUInt32LittleEndian(pack) != pack.Length
            || pack[^1] != End)
        {
            return false;
        }

        int expected = BinaryPrimitives.ReadUInt16LittleEndian(pack[sizeof(uint)..]);
        long before = elements.Count;
        for (var rest = pack[HeaderLength..^1]; !rest.IsEmpty;)
        {
            if (!TryReadOne(rest, elements, out int length))
                return false;
            rest = rest[length..];
        }

        return expected == UnknownCount || elements.Count - before == expected;
    }

    private static bool TryReadOne(ReadOnlySpan<byte> rest, RdbElements elements, out int length)
    {
        length = 0;
        if (!TryMeasure(rest, out int head, out int size) || size > rest.Length - head)
            return false;
        var text = rest.Slice(head, size);
        int used = head + size;
        if (IsString(rest[0]))
            elements.Add(text);
        else
            AddNumber(NumberOf(rest[0], text), elements);
        int back = BackLength(used);
        if (back > rest.Length - used || !IsBack(rest.Slice(used, back), used))
            return false;
        length = used + back;
        return true;
    }

    private static bool IsString(byte form) => form >> 6 == 2 || form >> 4 == 0xE || form == 0xF0;

    /// <summary>The bytes of the form, and of the string or the number behind it.</summary>
    private static bool TryMeasure(ReadOnlySpan<byte> rest, out int head, out int size)
    {
        byte form = rest[0];
        (head, size) = (1, 0);
        if (form < 0x80)
        {
            (head, size) = (0, 1); // The number is in the form.
        }
        else if (form < 0xC0)
        {
            size = form & 0x3F;
        }
        else if (form < 0xE0)
        {
            (head, size) = (0, 2);
        }
        else if (form < 0xF0)
        {
            head = 2;
            if (rest.Length < head)
                return false;
            size = (form & 0xF) << 8 | rest[1];
        }
        else if (form == 0xF0)
        {
            head = 1 + sizeof(uint);
            if (rest.Length < head)
                return false;
            uint declared = BinaryPrimitives.ReadUInt32LittleEndian(rest[1..]);
            size = (int)Math.Min(declared, int.MaxValue);
        }
        else
        {
            size = form switch { 0xF1 => 2, 0xF2 => 3, 0xF3 => 4, 0xF4 => 8, _ => 0 };
            return size != 0;
        }

        return true;
    }

    private static long NumberOf(byte form, ReadOnlySpan<byte> bytes)
    {
        if (form < 0x80)
            return bytes[0];
        if (form >= 0xE0)
            return LittleEndian(bytes);
        int number = (bytes[0] & 0x1F) << 8 | bytes[1];
        return number >= 1 << 12 ? number - (1 << 13) : number;
    }

    /// <summary>A number of 1 to 8 bytes, with its sign.</summary>
    public static long LittleEndian(ReadOnlySpan<byte> bytes)
    {
        long number = (sbyte)bytes[^1];
        for (int i = bytes.Length - 2; i >= 0; i--)
            number = number << 8 | bytes[i];
        return number;
    }

    public static void AddNumber(long number, RdbElements elements)
    {
        Span<byte> text = stackalloc byte[NumberLengthMax];
        Utf8Formatter.TryFormat(number, text, out int length);
        elements.Add(text[..length]);
    }

    private static int BackLength(int used) =>
        used < 1 << 7 ? 1 : used < 1 << 14 ? 2 : used < 1 << 21 ? 3 : used < 1 << 28 ? 4 : 5;

    // Seven bits a byte, the high ones first; all bytes but the first have their high bit set.
    private static bool IsBack(ReadOnlySpan<byte> back, int used)
    {
        for (int i = back.Length - 1; i >= 0; i--, used >>= 7)
        {
            if (back[i] != ((used & 0x7F) | (i == 0 ? 0 : 0x80)))
                return false;
        }

        return true;
    }
}
