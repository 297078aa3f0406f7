using System.Collections.Concurrent;

namespace Cache.AspNetCore;

/// <summary>When each tag was last evicted, by which an entry tells whether it still counts.</summary>
/// <remarks>
/// To evict a tag removes no entry: it takes the next number of a sequence and writes it beside the tag, whether ten
/// entries have the tag or ten million. An entry carries the number that was current when it was written; it counts
/// while none of its tags has a later one. So a read asks (without a lock, and not at all if nothing was evicted since
/// the entry was written), a write of an entry reads one number, and no two of them wait for each other.
///
/// A write and an eviction at the same moment: the write reads its number before it puts the entry into the store. If
/// the eviction took its own later, the entry does not count, as if it had been written before; else it counts, as if
/// it had been written after.
///
/// The table holds at most <see cref="TagsMax"/> tags. When it is full, the half that was evicted longest ago is
/// forgotten, and every entry that is older than these evictions stops to count: that costs a few responses that must
/// be made again, and never shows one that was evicted.
/// </remarks>
internal sealed class TagTable(int tagsMax)
{
    /// <summary>The most tags that are remembered, some 10 MB of them.</summary>
    public const int TagsMax = 1 << 16;

    private readonly ConcurrentDictionary<string, long> _evictedAt = new(StringComparer.Ordinal);

    // The number of the last eviction. Written interlocked, read by every write of an entry.
    private long _sequence;

    // Entries with a lower number do not count. Only grows; written by a trim, before tags are forgotten.
    private long _floor;

    // The tags in the table; asking the dictionary would take all its locks.
    private int _count;

    // 1 while a thread trims; others go on, and let the table be a little larger meanwhile.
    private int _isTrimming;

    public TagTable()
        : this(TagsMax)
    {
    }

    /// <summary>The number that entries carry which are written from now on.</summary>
    public long Now => Volatile.Read(ref _sequence);

    /// <summary>The tags that are remembered.</summary>
    public int Count => Volatile.Read(ref _count);

    /// <summary>All entries with the tag that were written until now count no longer.</summary>
    public void Evict(string tag)
    {
        long now = Interlocked.Increment(ref _sequence);
        while (!_evictedAt.TryAdd(tag, now))
        {
            // Of two evictions at the same moment the later number stays.
            if (_evictedAt.TryGetValue(tag, out long last) && (last >= now || _evictedAt.TryUpdate(tag, now, last)))
                return;
        }

        if (Interlocked.Increment(ref _count) > tagsMax)
            Trim();
    }

    /// <summary>Whether an entry with this number, and these tags, still counts.</summary>
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

        // A tag may have been forgotten between the two looks; the floor rose before it was.
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
