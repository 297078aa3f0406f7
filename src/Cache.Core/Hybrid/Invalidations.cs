using System.Buffers.Binary;
using System.Collections.Concurrent;
using System.Runtime.CompilerServices;

namespace Cache.Core.Hybrid;

/// <summary>Which values of a store are void because a tag of theirs, or everything, was invalidated.</summary>
/// <remarks>
/// Algorithm. Every value with a trailer carries a stamp: the moment at which it was asked for. To invalidate a tag is
/// to note a moment later than all stamps given out so far; a value is void if one of its tags has a later moment
/// noted. Stamps are the store's time in 1024ths of a millisecond, advanced by each invalidation, so they also order
/// what happens within a millisecond, and are comparable between processes that share the second level. Stamps that
/// come from there advance them too, so that a value of a process whose clock is ahead can be invalidated here.
///
/// A plain value has no stamp. When everything is invalidated, the latest deadline that a plain value was given so far
/// is noted instead, and plain values with that deadline or an earlier one are void. A later value that would get such
/// a deadline is written with a trailer, which never happens if all expirations are equal. Values that other doors
/// wrote without an expiry do not belong to the hybrid cache, and stay.
///
/// Bounds. A tag is forgotten when all values that it could make void have expired. If there are more tags than
/// <see cref="TagsMax"/> even so, all tagged values so far become void, and the table is emptied.
///
/// Concurrency. Invalidations hold the gate. A writer announces the deadline of its value and then asks whether the
/// value is void already; an invalidation first increments the epoch or the generation and then reads the announced
/// deadlines; both with full fences, so one of the two sees the other. The generation is incremented once more when the
/// moment is noted: with the answer that a value is valid, a caller keeps the generation that it read before it asked.
/// </remarks>
internal sealed class Invalidations(CacheStore store)
{
    /// <summary>A bound of the table's memory, some megabytes.</summary>
    public const int TagsMax = 100_000;

    private const int StampsPerMsBits = 10;

    // No clock shows more: such a moment was not noted by a hybrid cache, and would leave no room for later ones.
    private static readonly long _momentMax = DateTimeOffset.MaxValue.ToUnixTimeMilliseconds() << StampsPerMsBits;

    private static readonly ConditionalWeakTable<CacheStore, Invalidations> _ofStores = [];

    private readonly Lock _gate = new();
    private readonly ConcurrentDictionary<ulong, Mark> _tags = [];
    private readonly int _tagsMax = TagsMax;

    // Written under the gate; the generation is incremented without it too.
    private long _lastStamp;
    private long _generation;
    private long _epoch;
    private long _allSince;
    private long _taggedSince;
    private long _plainUntilMs;

    // Raised by writers, by compare-exchange.
    private long _plainDeadlineMs;
    private long _stampedDeadlineMs;

    /// <summary>For tests, with another bound.</summary>
    public Invalidations(CacheStore store, int tagsMax)
        : this(store) => _tagsMax = tagsMax;

    /// <summary>Changes with each invalidation, before and after.</summary>
    public long Generation => Volatile.Read(ref _generation);

    /// <summary>Changes when everything is invalidated, before the moment is noted.</summary>
    public long Epoch => Volatile.Read(ref _epoch);

    /// <summary>Whether the deadline of a plain value decides if it is void.</summary>
    public bool NeedDeadlines => Volatile.Read(ref _plainUntilMs) != 0;

    public int TagCount => _tags.Count;

    /// <summary>The invalidations of a store, shared by all hybrid caches on it.</summary>
    public static Invalidations Of(CacheStore store) =>
        _ofStores.GetValue(store.Canonical, static store => new Invalidations(store));

    /// <summary>The stamp of a value that is asked for now.</summary>
    public long Now() => Math.Max(Volatile.Read(ref _lastStamp), store.NowMs << StampsPerMsBits);

    /// <summary>Makes all values of a tag void that were asked for before this moment.</summary>
    /// <returns>The moment.</returns>
    public long Invalidate(ulong tag)
    {
        lock (_gate)
        {
            Interlocked.Increment(ref _generation);
            long moment = Advance();
            MarkTag(tag, moment);
            Interlocked.Increment(ref _generation);
            return moment;
        }
    }

    /// <summary>Makes all values void that were asked for before this moment.</summary>
    /// <returns>The moment.</returns>
    public long InvalidateAll()
    {
        lock (_gate)
        {
            Interlocked.Increment(ref _generation);
            long moment = Advance();
            MarkAll(moment);
            Interlocked.Increment(ref _generation);
            return moment;
        }
    }

    /// <summary>Has everything that is known to be valid looked at again.</summary>
    public void Outdate() => Interlocked.Increment(ref _generation);

    /// <summary>Takes over a moment that another process noted for a tag, or for everything if that is null.</summary>
    public void Learn(ulong? tag, long moment)
    {
        lock (_gate)
        {
            long known = tag is { } hash
                ? Math.Max(
                    Math.Max(_allSince, _taggedSince), _tags.TryGetValue(hash, out var mark) ? mark.Moment : 0)
                : _allSince;
            if (moment <= known || moment > _momentMax)
                return;
            Interlocked.Increment(ref _generation);
            _lastStamp = Math.Max(_lastStamp, moment);
            if (tag is { } toMark)
                MarkTag(toMark, moment);
            else
                MarkAll(moment);
            Interlocked.Increment(ref _generation);
        }
    }

    /// <summary>
    /// Learns of a stamp that another process gave out, whose clock may be ahead: later invalidations get a later
    /// moment (a Lamport clock).
    /// </summary>
    public void Witness(long stamp)
    {
        if (stamp <= Volatile.Read(ref _lastStamp) || stamp > _momentMax)
            return;
        lock (_gate)
            Volatile.Write(ref _lastStamp, Math.Max(_lastStamp, stamp));
    }

    /// <summary>Announces a plain value that is about to be written.</summary>
    /// <param name="deadlineMs">When it will expire in the store.</param>
    /// <param name="epoch">The epoch when the value was asked for.</param>
    /// <returns>
    /// False if it must have a trailer, because as a plain value it would count as void, or as newer than it is.
    /// </returns>
    public bool TryAnnouncePlain(long deadlineMs, long epoch)
    {
        Raise(ref _plainDeadlineMs, deadlineMs);
        return Volatile.Read(ref _epoch) == epoch && deadlineMs > Volatile.Read(ref _plainUntilMs);
    }

    /// <summary>Announces a value with a trailer that is about to be written.</summary>
    /// <returns>False if it is void already.</returns>
    public bool TryAnnounceStamped(long deadlineMs, long stamp, ReadOnlySpan<ulong> tags)
    {
        Raise(ref _stampedDeadlineMs, deadlineMs);
        return IsValid(stamp, tags);
    }

    /// <summary>Whether a value that was read is not void.</summary>
    /// <param name="value">The value.</param>
    /// <param name="deadlineMs">When it expires in the store; 0: never.</param>
    public bool IsValid(in StoredValue value, long deadlineMs)
    {
        if (!value.IsStamped)
            return deadlineMs == 0 || deadlineMs > Volatile.Read(ref _plainUntilMs);
        if (value.Stamp < Volatile.Read(ref _allSince))
            return false;
        if (value.TagHashes.IsEmpty)
            return true;
        if (value.Stamp < Volatile.Read(ref _taggedSince))
            return false;
        for (int i = 0; i < value.TagHashes.Length; i += sizeof(ulong))
        {
            if (IsMarked(BinaryPrimitives.ReadUInt64LittleEndian(value.TagHashes[i..]), value.Stamp))
                return false;
        }

        return true;
    }

    /// <summary>Whether a value with this stamp and these tags is not void.</summary>
    public bool IsValid(long stamp, ReadOnlySpan<ulong> tags)
    {
        if (stamp < Volatile.Read(ref _allSince) || (tags.Length > 0 && stamp < Volatile.Read(ref _taggedSince)))
            return false;
        foreach (ulong tag in tags)
        {
            if (IsMarked(tag, stamp))
                return false;
        }

        return true;
    }

    private static void Raise(ref long field, long value)
    {
        long present = Volatile.Read(ref field);
        while (present < value)
        {
            long seen = Interlocked.CompareExchange(ref field, value, present);
            if (seen == present)
                return;
            present = seen;
        }

        Interlocked.MemoryBarrier(); // A full fence, as the exchange would have been: see the remarks.
    }

    private bool IsMarked(ulong tag, long stamp) => _tags.TryGetValue(tag, out var mark) && stamp < mark.Moment;

    private void MarkTag(ulong tag, long moment)
    {
        _tags[tag] = new Mark(moment, Volatile.Read(ref _stampedDeadlineMs));
        if (_tags.Count > _tagsMax)
            Prune();
    }

    private void MarkAll(long moment)
    {
        Interlocked.Increment(ref _epoch);
        Volatile.Write(ref _allSince, moment);
        Volatile.Write(ref _plainUntilMs, Math.Max(_plainUntilMs, Volatile.Read(ref _plainDeadlineMs)));
        _tags.Clear(); // All tagged values are void anyway.
    }

    private long Advance()
    {
        long moment = Math.Max(_lastStamp, store.NowMs << StampsPerMsBits) + 1;
        Volatile.Write(ref _lastStamp, moment);
        return moment;
    }

    private void Prune()
    {
        long nowMs = store.NowMs;
        foreach (var (tag, mark) in _tags)
        {
            if (mark.DeadlineMs <= nowMs)
                _tags.TryRemove(tag, out _);
        }

        // Searched again only after half of the bound in new tags, so that a flood of tags stays cheap.
        if (_tags.Count <= _tagsMax / 2)
            return;
        Volatile.Write(ref _taggedSince, Advance());
        _tags.Clear();
    }

    /// <summary>The note of a tag.</summary>
    /// <param name="Moment">Values with an earlier stamp are void.</param>
    /// <param name="DeadlineMs">When the last of these has expired.</param>
    private readonly record struct Mark(long Moment, long DeadlineMs);
}
