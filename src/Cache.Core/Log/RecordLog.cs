using System.Diagnostics;
using Cache.Core.Expiry;
using Cache.Core.Layout;

namespace Cache.Core.Log;

/// <summary>
/// The store's records, appended to segments: allocates their bytes, and frees segments.
/// </summary>
/// <remarks>
/// Each stripe has one active segment per stream and hands out its bytes by compare-exchange, so that a writer can take
/// them while it holds a bucket. A full segment is sealed; it is freed when its last record dies, or by the reclaimer,
/// which moves or evicts the rest. Lock order: bucket, then this gate; no lock is taken under it.
/// </remarks>
internal sealed partial class RecordLog : IDisposable
{
    private const int StreamCount = 4;

    // The bytes that an expiry may take beyond the limit while nothing can be evicted: with the segments that the
    // reclaimer is working on, less than two percent.
    private const int OverdrawDivisor = 128;

    // With fewer segments for each, too much of a small store would be in half full segments.
    private const int SegmentsPerStripeMin = 64;

    private readonly MemoryBudget _budget;
    private readonly SegmentMemory _segments;
    private readonly ActiveSegment[] _active;
    private readonly Lock _gate = new();

    // Written when the limit changes; read by writers: any recent value will do.
    private int _stripeMask;
    private int _capacity;

    // Written under the gate.
    private int _frontier = 1;
    private int _searchStart = 1;
    private long _sequence;


    // Free segments below the frontier; interlocked.
    private int _freeCount;

    public RecordLog(SegmentMemory segments, MemoryBudget budget, int stripes)
    {
        _segments = segments;
        _budget = budget;
        _capacity = segments.SegmentSize;
        ReclaimerStripe = StripesFor(budget.LimitBytes / SegmentSize, stripes);
        _stripeMask = ReclaimerStripe - 1;
        _active = new ActiveSegment[(ReclaimerStripe + 1) * StreamCount];
        Space = segments.Space;
        Array.Fill(_active, new ActiveSegment { Word = ActiveSegment.WordOf(0, SegmentSize) });
    }

    public RecordSpace Space { get; }

    /// <summary>The records whose values are compressed.</summary>
    public PackedRecords Packed { get; } = new();

    /// <summary>The distance of two segments, and their size until the limit is lowered.</summary>
    public int SegmentSize => _segments.SegmentSize;

    /// <summary>The size of the segments that are taken from now on.</summary>
    public int Capacity => Volatile.Read(ref _capacity);

    /// <summary>The bytes that such a segment counts against the limit.</summary>
    public int SegmentBytes => Capacity + SegmentInfo.Size;

    /// <summary>The number of the first segment that was never used.</summary>
    public int Frontier => Volatile.Read(ref _frontier);

    /// <summary>Grows with each segment that is sealed.</summary>
    public long Sequence => Volatile.Read(ref _sequence);

    /// <summary>Free segments that were used before.</summary>
    public int FreeCount => Volatile.Read(ref _freeCount);

    /// <summary>The stripe of the reclaimer, which no writer may fill up.</summary>
    public int ReclaimerStripe { get; }

    /// <summary>The bytes that writers leave free, so that the reclaimer always finds a segment to copy to.</summary>
    public long SpareBytes => SegmentBytes;

    /// <summary>
    /// The bytes that a block leaves free, so that there is a segment for the record that links it later.
    /// </summary>
    public long LinkSpareBytes => 2L * SegmentBytes;

    /// <summary>
    /// The bytes that a write that gives memory back leaves free: negative, since it may exceed the limit a little.
    /// </summary>
    public long OverdrawnSpareBytes => -_budget.LimitBytes / OverdrawDivisor;

    /// <summary>Lets the reclaimer exceed the limit by what it needs, because it is about to free a segment.</summary>
    public static long UnlimitedSpareBytes => long.MinValue / 2;

    /// <summary>The stripe of the calling thread.</summary>
    public int OwnStripe => Environment.CurrentManagedThreadId & Volatile.Read(ref _stripeMask);

    /// <summary>The bytes of live records and of their blocks, summed up anew; about right beside writers.</summary>
    public long LiveBytes
    {
        get
        {
            long sum = 0;
            for (int segment = 1; segment < Frontier; segment++)
            {
                ref var info = ref this[segment];
                var state = StateOf(Volatile.Read(ref info.StateWord));
                if (state is not (SegmentState.Free or SegmentState.Continued))
                    sum += Volatile.Read(ref info.Committed) - Volatile.Read(ref info.Dead)
                        + Volatile.Read(ref info.LargeBytes);
            }

            return sum;
        }
    }

    public ref SegmentInfo this[int segment] => ref _segments[segment];

    public static SegmentState StateOf(long stateWord) => (SegmentState)(stateWord & 0xFF);

    /// <summary>Takes bytes of the active segment, if it has as many left. Never waits.</summary>
    public bool TryAllocate(int stripe, LogStream stream, int size, out Record record)
    {
        Debug.Assert(IsRecordSize(size));
        Debug.Assert(stripe >= 0 && stripe <= ReclaimerStripe);
        ref long word = ref _active[stripe * StreamCount + (int)stream].Word;
        long seen = Volatile.Read(ref word);
        while (ActiveSegment.UsedOf(seen) + size <= SegmentSize)
        {
            // Of racing writers one gets these bytes; the others try the next ones.
            long before = Interlocked.CompareExchange(ref word, seen + size, seen);
            if (before == seen)
            {
                record = Space.At(ActiveSegment.SegmentOf(seen), ActiveSegment.UsedOf(seen));
                return true;
            }

            seen = before;
        }

        record = default;
        return false;
    }

    /// <summary>Gives a stream an active segment with room for this many bytes, unless it has one.</summary>
    /// <remarks>spareBytes: What must be left of the limit.</remarks>
    /// <returns>False if the limit forbids it.</returns>
    public bool TryRotate(int stripe, LogStream stream, int size, long spareBytes)
    {
        Debug.Assert(IsRecordSize(size));
        lock (_gate)
        {
            ref long word = ref _active[stripe * StreamCount + (int)stream].Word;
            if (ActiveSegment.UsedOf(Volatile.Read(ref word)) + size <= SegmentSize)
                return true;
            int start = StartFor(size);
            if (!_budget.TryTake(BytesOf(1, start), spareBytes))
                return false;
            var bits = stripe == ReclaimerStripe ? stream | LogStream.Moved : stream;
            if (!TryTakeRun(1, start, bits, out int segment))
                return false;
            Seal(Interlocked.Exchange(ref word, ActiveSegment.WordOf(segment, start)));
            return true;
        }
    }

    /// <summary>The bytes that a new active segment for a record counts against the limit.</summary>
    public long ActiveBytesFor(int size) => BytesOf(1, StartFor(size));

    /// <summary>
    /// Takes a segment as long as needed, or a run of segments, for a single record that is longer than one.
    /// </summary>
    /// <remarks>spareBytes: What must be left of the limit.</remarks>
    public bool TryAllocateLong(LogStream stream, int size, long spareBytes, out Record record)
    {
        Debug.Assert(IsRecordSize(size));
        record = default;
        lock (_gate)
        {
            int start = Math.Max(0, SegmentSize - WholePages(size));
            int count = RunLengthOf(size);
            return _budget.TryTake(BytesOf(count, start), spareBytes)
                && TryAllocateLong(stream, size, count, start, out record);
        }
    }

    /// <summary>The bytes that a record longer than a segment counts against the limit.</summary>
    public long LongBytesOf(int size) =>
        BytesOf(RunLengthOf(size), Math.Max(0, SegmentSize - WholePages(size)));

    /// <summary>Makes new segments of the size for another limit, from now on.</summary>
    public void FitTo(long limitBytes)
    {
        int capacity = (int)Math.Clamp(
            limitBytes / SegmentMemory.PerLimit & -SegmentMemory.SizeMin, SegmentMemory.SizeMin, SegmentSize);
        if (capacity == Capacity)
            return;
        Volatile.Write(ref _capacity, capacity);
        Volatile.Write(ref _stripeMask, StripesFor(limitBytes / capacity, ReclaimerStripe) - 1);
        // A huge page would take two megabytes for the used part of a smaller segment.
        _segments.UseHugePages(capacity == SegmentSize);
        SealActive();
    }

    /// <summary>Seals the active segments, so that their records can be reclaimed or swept.</summary>
    public void SealActive() => SealActive(new ClockReading(long.MaxValue, long.MaxValue));

    /// <summary>Seals the active segments in which an entry expires by then.</summary>
    public void SealActive(ClockReading due) => TrySealActive(due, leastLargeBytes: 0);

    /// <summary>Seals those of them that have as many bytes in blocks.</summary>
    /// <returns>Whether there was one.</returns>
    public bool TrySealActive(ClockReading due, long leastLargeBytes)
    {
        bool hasSealed = false;
        lock (_gate)
        {
            long none = ActiveSegment.WordOf(0, SegmentSize);
            for (int i = 0; i < _active.Length; i++)
            {
                int segment = ActiveSegment.SegmentOf(Volatile.Read(ref _active[i].Word));
                if (segment == 0 || !IsDue(segment, due)
                    || Volatile.Read(ref this[segment].LargeBytes) < leastLargeBytes)
                {
                    continue;
                }

                Seal(Interlocked.Exchange(ref _active[i].Word, none));
                hasSealed = true;
            }
        }

        return hasSealed;
    }

    /// <summary>Whether an entry in a segment may have expired by then.</summary>
    public bool IsDue(int segment, ClockReading now)
    {
        ref var info = ref this[segment];
        return Volatile.Read(ref info.MinDeadlineMs) <= now.StoreMs
            || Volatile.Read(ref info.MinMomentMs) <= now.UnixMs;
    }

    /// <summary>Counts a record whose bytes are complete and which its bucket now points at.</summary>
    public void Commit(Record record, RecordHeader header, in RecordExpiry expiry, long largeBytes)
    {
        Debug.Assert(!header.IsDead);
        Debug.Assert(largeBytes >= 0);
        ref var info = ref this[Space.SegmentOf(record)];
        if (header.IsExpiring)
        {
            Interlocked.Increment(ref info.ExpiringCount);
            LowerDeadlines(ref info, expiry);
        }

        if (largeBytes != 0)
            Interlocked.Add(ref info.LargeBytes, largeBytes);
        if (header.IsCompressed)
            Packed.Add(record, header);
        Interlocked.Add(ref info.Committed, header.RecordSize);
    }

    /// <summary>Counts a change of a record's expiry or large value in place.</summary>
    public void Recount(
        Record record, RecordHeader before, RecordHeader after, in RecordExpiry expiry, long largeBytes)
    {
        Debug.Assert(before.RecordSize == after.RecordSize, "A record keeps its bytes.");
        Debug.Assert(!after.IsDead);
        Debug.Assert(before.IsCompressed == after.IsCompressed, "A packed value is not written over.");
        ref var info = ref this[Space.SegmentOf(record)];
        int expiring = (after.IsExpiring ? 1 : 0) - (before.IsExpiring ? 1 : 0);
        if (expiring != 0)
            Interlocked.Add(ref info.ExpiringCount, expiring);
        else if (after.IsExpiring)
            Interlocked.MemoryBarrier();
        // A full fence stands between the write of the header and the read of the segment's deadline in any case. The
        // sweep raises that deadline first, with a fence too, and then reads the header, so one of both sees the other.
        if (after.IsExpiring)
            LowerDeadlines(ref info, expiry);
        if (largeBytes != 0)
            Interlocked.Add(ref info.LargeBytes, largeBytes);
    }

    /// <summary>Notes that a record which has a deadline was given another one in place.</summary>
    public void NoteDeadline(Record record, long deadline)
    {
        ref var info = ref this[Space.SegmentOf(record)];
        Interlocked.MemoryBarrier(); // As in Recount.
        if (Deadline.IsOfWall(deadline))
            Lower(ref info.MinMomentMs, -deadline);
        else
            Lower(ref info.MinDeadlineMs, deadline);
    }

    /// <summary>Declares a record dead when nothing points at it any more; the caller holds its home bucket.</summary>
    /// <remarks>Its bytes may be another record's as soon as this returns.</remarks>
    public void Retire(Record record, RecordHeader header, long largeBytes)
    {
        Debug.Assert(!header.IsDead);
        Debug.Assert(largeBytes >= 0);
        int segment = Space.SegmentOf(record);
        ref var info = ref this[segment];
        if (header.IsExpiring)
            Interlocked.Decrement(ref info.ExpiringCount);
        if (largeBytes != 0)
            Interlocked.Add(ref info.LargeBytes, -largeBytes);
        if (header.IsCompressed)
            Packed.Remove(record, header);
        // The mark comes first: once the last byte is counted dead, the segment may be taken.
        record.Header = header.AsDead();
        Interlocked.Add(ref info.Dead, header.RecordSize);
        TryFree(segment);
    }

    /// <summary>Begins to compute the earliest deadlines of a claimed segment again.</summary>
    public void ResetDeadlines(int segment)
    {
        Debug.Assert(StateOf(Volatile.Read(ref this[segment].StateWord)) == SegmentState.Claimed);
        Interlocked.Exchange(ref this[segment].MinDeadlineMs, long.MaxValue);
        Interlocked.Exchange(ref this[segment].MinMomentMs, long.MaxValue);
    }

    public void LowerDeadlines(int segment, in RecordExpiry expiry) => LowerDeadlines(ref this[segment], expiry);

    /// <summary>Notes that a field of a hash in a segment expires at a moment of the wall clock.</summary>
    /// <remarks>After what gave it that: the sweep computes the moment again first, and then reads.</remarks>
    public void LowerMoment(int segment, long unixMs)
    {
        Interlocked.MemoryBarrier();
        Lower(ref this[segment].MinMomentMs, unixMs);
    }

    /// <summary>Gives back a record that was never pointed at.</summary>
    public void Abandon(Record record, int size)
    {
        Debug.Assert(size == 0 || IsRecordSize(size), "It is 0 where a disposal has given the memory back.");
        int segment = Space.SegmentOf(record);
        record.Header = RecordHeader.Create(0, 0, size, 0, default, large: false).AsDead();
        Interlocked.Add(ref this[segment].Dead, size);
        Interlocked.Add(ref this[segment].Committed, size);
        TryFree(segment);
    }

    /// <summary>Whether a segment is sealed and every record in it complete.</summary>
    public bool IsWhole(int segment)
    {
        ref var info = ref this[segment];
        return StateOf(Volatile.Read(ref info.StateWord)) == SegmentState.Sealed
            && Volatile.Read(ref info.Committed) == info.End;
    }

    /// <summary>Makes the caller the only one who may free a segment, if it is whole.</summary>
    public bool TryClaim(int segment)
    {
        ref var info = ref this[segment];
        long word = Volatile.Read(ref info.StateWord);
        return StateOf(word) == SegmentState.Sealed && Volatile.Read(ref info.Committed) == info.End
            && TryChange(ref info, word, SegmentState.Claimed);
    }

    /// <summary>Makes a claimed segment the youngest of all that are sealed.</summary>
    public void Rejuvenate(int segment)
    {
        Debug.Assert(StateOf(Volatile.Read(ref this[segment].StateWord)) == SegmentState.Claimed);
        lock (_gate)
            this[segment].Sequence = ++_sequence;
    }

    /// <summary>Ends a claim: the segment is free if it is empty, else sealed as before.</summary>
    public void Unclaim(int segment)
    {
        ref var info = ref this[segment];
        long word = Volatile.Read(ref info.StateWord);
        Debug.Assert(StateOf(word) == SegmentState.Claimed);
        bool changed = TryChange(ref info, word, SegmentState.Sealed);
        Debug.Assert(changed, "Only the claimer changes a claimed segment.");
        TryFree(segment);
    }

    /// <summary>Gives the memory of all records back; nothing points at any of them any more.</summary>
    public void Dispose() => _segments.Dispose();

    /// <summary>The bytes that a sealed segment, and those that continue it, count against the limit.</summary>
    public long BytesOf(int segment) => BytesOf(RunLengthOf(this[segment].End), this[segment].Start);

    /// <summary>The number of segments that a sealed one spans: 1, unless its record is longer.</summary>
    public int RunLengthOf(int end) => Math.Max(1, (end + SegmentSize - 1) / SegmentSize);

    private static void LowerDeadlines(ref SegmentInfo info, in RecordExpiry expiry)
    {
        if (!Deadline.IsOfWall(expiry.DeadlineMs))
            Lower(ref info.MinDeadlineMs, expiry.DeadlineMs);
        if (expiry.HasMoment)
            Lower(ref info.MinMomentMs, -expiry.AbsoluteMs);
    }

    private static void Lower(ref long min, long ms)
    {
        long seen = Volatile.Read(ref min);
        while (ms < seen)
        {
            long before = Interlocked.CompareExchange(ref min, ms, seen);
            if (before == seen)
                return;
            seen = before;
        }
    }

    private static bool TryChange(ref SegmentInfo info, long word, SegmentState state)
    {
        long next = ((word | 0xFF) + 1) | (long)state;
        return Interlocked.CompareExchange(ref info.StateWord, next, word) == word;
    }

    private static bool IsRecordSize(int size) =>
        size is >= RecordHeader.Size and <= RecordHeader.RecordSizeMax && size % 8 == 0;

    private static int WholePages(int bytes) => (bytes + SegmentMemory.SizeMin - 1) & -SegmentMemory.SizeMin;

    private static int StripesFor(long segments, int most)
    {
        while (most > Math.Max(1, segments / SegmentsPerStripeMin))
            most /= 2;
        return most;
    }

    private int StartFor(int size) => SegmentSize - Math.Max(Capacity, WholePages(size));

    private long BytesOf(int count, int start) => (long)count * (SegmentSize + SegmentInfo.Size) - start;

    // The counts may belong to a later use of the segment than the word: then the generations differ, and the
    // exchange fails.
    private void TryFree(int segment)
    {
        ref var info = ref this[segment];
        long word = Volatile.Read(ref info.StateWord);
        if (StateOf(word) != SegmentState.Sealed)
            return;
        int end = Volatile.Read(ref info.End);
        if (Volatile.Read(ref info.Committed) != end || Volatile.Read(ref info.Dead) != end)
            return;
        int count = RunLengthOf(end);
        long bytes = BytesOf(count, Volatile.Read(ref info.Start));
        if (!TryChange(ref info, word, SegmentState.Free))
            return;
        for (int i = 1; i < count; i++)
        {
            ref var continued = ref this[segment + i];
            TryChange(ref continued, Volatile.Read(ref continued.StateWord), SegmentState.Free);
        }

        Interlocked.Add(ref _residentFreeCount, count);
        Interlocked.Add(ref _freeCount, count);
        _budget.Add(-bytes);
    }

    private void Seal(long word)
    {
        Debug.Assert(_gate.IsHeldByCurrentThread);
        int segment = ActiveSegment.SegmentOf(word);
        if (segment == 0)
            return;
        ref var info = ref this[segment];
        info.End = ActiveSegment.UsedOf(word);
        Debug.Assert(info.End >= info.Start);
        Debug.Assert(Volatile.Read(ref info.Committed) <= info.End, "More was counted than was handed out.");
        info.Sequence = ++_sequence;
        bool changed = TryChange(ref info, Volatile.Read(ref info.StateWord), SegmentState.Sealed);
        Debug.Assert(changed, "An active segment is changed under the gate alone.");
        TryFree(segment);
    }
}
