using System.Buffers.Binary;

namespace Cache.Durability.Rdb;

/// <summary>Redis's intset: numbers of the same length in ascending order, from untrusted bytes.</summary>
/// <remarks>
/// <code>
///  length of a number 4 (2, 4 or 8) │ count 4 │ number …
/// </code>
/// Source: Redis 7.0's intset.c.
/// </remarks>
internal static class RdbIntset
{
    private const int HeaderLength = 8;

    /// <summary>Reads all numbers, as texts.</summary>
    /// <returns>False if the bytes are none.</returns>
    public static bool TryRead(ReadOnlySpan<byte> set, RdbElements elements)
    {
        if (set.Length < HeaderLength)
            return false;
        uint size = BinaryPrimitives.ReadUInt32LittleEndian(set);
        uint count = BinaryPrimitives.ReadUInt32LittleEndian(set[sizeof(uint)..]);
        if (size is not (2 or 4 or 8) || (ulong)count * size != (ulong)(set.Length - HeaderLength))
            return false;
        long? before = null;
        for (var rest = set[HeaderLength..]; !rest.IsEmpty; rest = rest[(int)size..])
        {
            long number = RdbListpack.LittleEndian(rest[..(int)size]);
            if (number <= before)
                return false;
            before = number;
            RdbListpack.AddNumber(number, elements);
        }

        return true;
    }
}
