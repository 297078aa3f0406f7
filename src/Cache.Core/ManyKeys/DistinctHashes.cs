using System.Buffers;
using System.Numerics;

namespace Cache.Core.ManyKeys;

/// <summary>Whether many hashes differ.</summary>
internal static class DistinctHashes
{
    // So that a look seldom meets others' places.
    private const int PlacesPerHash = 2;

    /// <remarks>One look for each in a table: sorting 100,000 hashes takes several times as long.</remarks>
    public static bool AreDistinct(ReadOnlySpan<ulong> hashes)
    {
        int capacity = (int)BitOperations.RoundUpToPowerOf2((uint)hashes.Length * PlacesPerHash);
        ulong[] rented = ArrayPool<ulong>.Shared.Rent(capacity);
        var table = rented.AsSpan(0, capacity);
        table.Clear();
        bool hasZero = false;
        bool areDistinct = true;
        for (int i = 0; areDistinct && i < hashes.Length; i++)
        {
            if (hashes[i] != 0)
                areDistinct = TryAdd(table, hashes[i]);
            else
                (areDistinct, hasZero) = (!hasZero, true);
        }

        ArrayPool<ulong>.Shared.Return(rented);
        return areDistinct;
    }

    private static bool TryAdd(Span<ulong> table, ulong hash)
    {
        int mask = table.Length - 1;
        int place = (int)hash & mask;
        while (table[place] != 0)
        {
            if (table[place] == hash)
                return false;
            place = (place + 1) & mask;
        }

        table[place] = hash;
        return true;
    }
}
