using System.Diagnostics;
using System.Numerics;

namespace Cache.Core.Hybrid;

/// <summary>The ready objects: a table of fixed size, in sets of a few places each, without locks.</summary>
/// <remarks>
/// A key's hash selects its set. The table has twice the requested places, so that few sets are full before the table
/// is. The hashes are kept apart, one cache line per set; they are hints, and unordered with the entries. A reader
/// trusts an entry only after the store has confirmed its stamp, so either of two racing writers may win, and a key may
/// have two entries for a while: an outdated one is never served, and is replaced later. A full set evicts the first
/// entry that was not used since the last search.
/// </remarks>
internal sealed class ReadyTable
{
    private const int Ways = 8;

    private readonly ReadyEntry?[] _entries;
    private readonly int[] _hashes;
    private readonly int _setMask;

    public ReadyTable(int capacity)
    {
        Debug.Assert(capacity > 0);
        int sets = Math.Max(1, (int)BitOperations.RoundUpToPowerOf2((uint)capacity) * 2 / Ways);
        _entries = new ReadyEntry?[sets * Ways];
        _hashes = new int[sets * Ways];
        _setMask = sets - 1;
    }

    public static int HashOf(ReadOnlySpan<char> key) => string.GetHashCode(key);

    public ReadyEntry? Find(ReadOnlySpan<char> key, int keyHash)
    {
        int first = FirstOf(keyHash);
        var hashes = _hashes.AsSpan(first, Ways);
        for (int i = 0; i < hashes.Length; i++)
        {
            if (hashes[i] != keyHash)
                continue;
            var entry = Volatile.Read(ref _entries[first + i]);
            if (entry is not null && entry.KeyHash == keyHash && key.SequenceEqual(entry.Key))
                return entry;
        }

        return null;
    }

    public void Add(ReadyEntry entry)
    {
        int place = FindPlace(entry);
        Volatile.Write(ref _entries[place], entry);
        Volatile.Write(ref _hashes[place], entry.KeyHash);
    }

    /// <summary>Removes an outdated entry, so that its object can be collected.</summary>
    public void Remove(ReadyEntry entry)
    {
        int first = FirstOf(entry.KeyHash);
        for (int i = first; i < first + Ways; i++)
            Interlocked.CompareExchange(ref _entries[i], null, entry);
    }

    private int FirstOf(int keyHash) => (keyHash & _setMask) * Ways;

    private int FindPlace(ReadyEntry entry)
    {
        int first = FirstOf(entry.KeyHash);
        int place = -1;
        for (int i = first; i < first + Ways; i++)
        {
            var present = Volatile.Read(ref _entries[i]);
            if (present is not null && present.KeyHash == entry.KeyHash && present.Key == entry.Key)
                return i;
            if (present is null && place < 0)
                place = i;
        }

        return place >= 0 ? place : FindVictim(first);
    }

    private int FindVictim(int first)
    {
        for (int i = first; i < first + Ways; i++)
        {
            var present = Volatile.Read(ref _entries[i]);
            if (present is null || !present.IsUsed)
                return i;
            present.IsUsed = false;
        }

        return first;
    }
}
