using System.Buffers.Binary;

namespace Cache.Durability.Rdb;

/// <summary>Redis's zipmap, the form of short hashes before 2.6, from untrusted bytes.</summary>
/// <remarks>
/// <code>
///  count 1 │ (length, field, length, unused n 1, value, n bytes)* │ FF
/// </code>
/// A length is one byte below 254, or 254 and four bytes. Source: Redis 7.0's zipmap.c.
/// </remarks>
internal static class RdbZipmap
{
    private const byte End = 0xFF;
    private const byte LongLength = 0xFE;
    private const int UnknownCount = 0xFE;

    /// <summary>Reads all fields and values in turn.</summary>
    /// <returns>False if the bytes are none.</returns>
    public static bool TryRead(ReadOnlySpan<byte> map, RdbElements elements)
    {
        if (map.Length < 2 || map[^1] != End)
            return false;
        long before = elements.Count;
        for (var rest = map[1..^1]; !rest.IsEmpty;)
        {
            if (!TryTake(ref rest, unusedLength: 0, elements) || !TryTake(ref rest, unusedLength: 1, elements))
                return false;
        }

        return map[0] >= UnknownCount || elements.Count - before == 2 * map[0];
    }

    private static bool TryTake(ref ReadOnlySpan<byte> rest, int unusedLength, RdbElements elements)
    {
        if (rest.IsEmpty || rest[0] == End)
            return false;
        int head = rest[0] < LongLength ? 1 : 1 + sizeof(uint);
        if (rest.Length < head + unusedLength)
            return false;
        uint length = head == 1 ? rest[0] : BinaryPrimitives.ReadUInt32LittleEndian(rest[1..]);
        int unused = unusedLength == 0 ? 0 : rest[head];
        rest = rest[(head + unusedLength)..];
        if (length > rest.Length || unused > rest.Length - length)
            return false;
        elements.Add(rest[..(int)length]);
        rest = rest[((int)length + unused)..];
        return true;
    }
}
