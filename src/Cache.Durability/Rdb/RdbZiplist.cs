using System.Buffers.Binary;

namespace Cache.Durability.Rdb;

/// <summary>Redis's ziplist, the form of short collections before 7.0, from untrusted bytes.</summary>
/// <remarks>
/// <code>
///  bytes 4 │ offset of the last 4 │ count 2 │ (length of the one before, form, string or number)* │ FF
/// </code>
/// Source: Redis 6.2's ziplist.c.
/// </remarks>
internal static class RdbZiplist
{
    private const int HeaderLength = 10;
    private const int UnknownCount = ushort.MaxValue;
    private const byte End = 0xFF;
    private const byte LongBefore = 0xFE;

    /// <summary>Reads all strings.</summary>
    /// <returns>False if the bytes are none.</returns>
    public static bool TryRead(ReadOnlySpan<byte> list, RdbElements elements)
    {
        if (list.Length <= HeaderLength || BinaryPrimitives.ReadUInt32LittleEndian(list) != list.Length
            || list[^1] != End)
        {
            return false;
        }

        int expected = BinaryPrimitives.ReadUInt16LittleEndian(list[(2 * sizeof(uint))..]);
        long before = elements.Count;
        int lengthBefore = 0;
        int last = HeaderLength;
        for (var rest = list[HeaderLength..^1]; !rest.IsEmpty; rest = rest[lengthBefore..])
        {
            last = list.Length - 1 - rest.Length;
            if (!TryReadOne(rest, lengthBefore, elements, out lengthBefore))
                return false;
        }

        return BinaryPrimitives.ReadUInt32LittleEndian(list[sizeof(uint)..]) == last
            && (expected == UnknownCount || elements.Count - before == expected);
    }

    private static bool TryReadOne(ReadOnlySpan<byte> rest, int lengthBefore, RdbElements elements, out int length)
    {
        length = 0;
        int prefix = rest[0] < LongBefore ? 1 : 1 + sizeof(uint);
        if (rest.Length <= prefix)
            return false;
        uint declared = prefix == 1 ? rest[0] : BinaryPrimitives.ReadUInt32LittleEndian(rest[1..]);
        var entry = rest[prefix..];
        if (declared != lengthBefore || !TryMeasure(entry, out int head, out int size) || size > entry.Length - head)
            return false;
        if (entry[0] < 0xC0)
            elements.Add(entry.Slice(head, size));
        else
            RdbListpack.AddNumber(NumberOf(entry[0], entry.Slice(head, size)), elements);
        length = prefix + head + size;
        return true;
    }

    // Of 0 to 12, the number is in the form.
    private static long NumberOf(byte form, ReadOnlySpan<byte> bytes) =>
        bytes.IsEmpty ? (form & 0xF) - 1 : RdbListpack.LittleEndian(bytes);

    /// <summary>The bytes of the form, and of the string or the number behind it.</summary>
    private static bool TryMeasure(ReadOnlySpan<byte> entry, out int head, out int size)
    {
        byte form = entry[0];
        head = form < 0x40 || form >= 0xC0 ? 1 : form < 0x80 ? 2 : 1 + sizeof(uint);
        size = 0;
        if (entry.Length < head)
            return false;
        if (form < 0x40)
            size = form;
        else if (form < 0x80)
            size = (form & 0x3F) << 8 | entry[1];
        else if (form < 0xC0)
            size = (int)Math.Min(BinaryPrimitives.ReadUInt32BigEndian(entry[1..]), int.MaxValue);
        else
            size = form switch
            {
                0xC0 => 2,
                0xD0 => 4,
                0xE0 => 8,
                0xF0 => 3,
                0xFE => 1,
                > 0xF0 and < 0xFE => 0,
                _ => -1,
            };
        return size >= 0;
    }
}
