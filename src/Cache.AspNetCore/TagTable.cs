using System.Collections.Concurrent;

namespace Cache.AspNetCore;

/// <summary>The last eviction of each tag, which decides whether an entry is still valid.</summary>
/// <remarks>
/// An eviction removes no entry: it takes the next number of a sequence and notes it for the tag, whether ten entries
/// have the tag or ten million. An entry has the number that was current when it was written; it is valid while none of
/// its tags has a later one. So a read compares numbers (without a lock, and not at all if nothing was evicted since
/// the entry was written), a write of an entry reads one number, and no two of them wait for each other.
///
/// A write and an eviction at the same time: the write reads its number before it puts the entry into the store. If the
/// eviction takes its number later, the entry is invalid, as if written before; else it is valid, as if written after.
///
/// The table has at most <see cref="TagsMax"/> tags. When it is full, the half that was evicted longest ago is
/// forgotten, and every entry that is older than these evictions becomes invalid: a few responses must be made again,
/// but an evicted one is never served.
/// </remarks>
internal sealed class TagTable(int tagsMax)
{
    /// <summary>The most tags in the table, some 10 MB.</summary>
    public const int TagsMax = 1 << 16;

    private readonly ConcurrentDictionary<string, long> _evictedAt = new(StringComparer.Ordinal);

    // The number of the last eviction. Written interlocked, read by every write of an entry.
    private long _sequence;

    // Entries with a lower number are invalid. Only grows; written by a trim, before tags are forgotten.
    private long _floor;

    // The number of tags in the table; the dictionary's own count takes all its locks.
    private int _count;

    // 1 while a thread trims; others continue, and the table may be a little larger meanwhile.
    private int _isTrimming;

    public TagTable()
        : this(TagsMax)
    {
    }

    /// <summary>The number for entries that are written from now on.</summary>
    public long Now => Volatile.Read(ref _sequence);

    /// <summary>The number of tags in the table.</summary>
    public int Count => Volatile.Read(ref _count);

    /// <summary>Invalidates all entries with the tag that were written until now.</summary>
    public void Evict(string tag)
    {
        long now = Interlocked.Increment(ref _sequence);
        while (!_evictedAt.TryAdd(tag, now))
        {
            // Of two evictions at the same time the later number stays.
            if (_evictedAt.TryGetValue(tag, out long last) && (last >= now || _evictedAt.TryUpdate(tag, now, last)))
                return;
        }

        if (Interlocked.Increment(ref _count) > tagsMax)
            Trim();
    }

    /// <summary>Whether an entry with this number and these tags is still valid.</summary>
    public bool IsCurrent(long number, TagList tags)
    {
        if (number == Now)
            return true;
        if (number < Volatile.Read(ref _floor))
            return false;
        var evictedAt = _evictedAt.GetAlternateLookup<ReadOnlySpan<char>>();
        foreach (var tag in tags)
        {
            if (evictedAt.TryGetValue(tag, out long last) && last > number)
                return false;
        }

        // A tag may be forgotten between the two reads; the floor rises before that.
        return number >= Volatile.Read(ref _floor);
    }

    private void Trim()
    {
        if (Interlocked.Exchange(ref _isTrimming, 1) != 0)
            return;
        var evictions = new List<KeyValuePair<string, long>>(tagsMax + 1);
        foreach (var eviction in _evictedAt)
            evictions.Add(eviction);
        evictions.Sort(static (one, other) => one.Value.CompareTo(other.Value));
        evictions.RemoveRange((evictions.Count + 1) / 2, evictions.Count / 2);
        if (evictions.Count > 0)
            Volatile.Write(ref _floor, evictions[^1].Value);
        foreach (var eviction in evictions)
        {
            if (_evictedAt.TryRemove(eviction)) // Unless the tag was evicted again meanwhile.
                Interlocked.Decrement(ref _count);
        }

        Volatile.Write(ref _isTrimming, 0);
    }
}
