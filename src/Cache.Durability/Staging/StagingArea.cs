using System.Diagnostics;
using Cache.Durability.Format;

namespace Cache.Durability.Staging;

/// <summary>Holds the records of all threads, in one order, until a thread writes them.</summary>
/// <remarks>
/// Algorithm: chunks are filled one after the other. One compare-exchange of the cursor reserves a place, under the
/// lock of the key, so that the records of a key have the order of its changes; the place is filled before unlocking. A
/// thread that finds no room leaves its lock and asks for another chunk under the gate. Free chunks are a stack: while
/// the disk keeps up, two or three are reused and stay in the processor's cache; if it does not, all are used, and then
/// writers wait. Concurrency: any thread reserves and fills; one takes sealed chunks and returns them. The gate is
/// never taken under the lock of a key.
/// </remarks>
internal sealed class StagingArea : IDisposable
{
    /// <summary>16 MB: the lag of the disk at which writers wait.</summary>
    public const int ChunksMax = 64;

    /// <summary>The longest record; longer values are written from their own memory.</summary>
    public const int RecordBytesMax = StagingChunk.Size - BlockHeader.Size;

    // Guards everything but the cursor and the content of chunks.
    private readonly object _gate = new();
    private readonly SharedRing? _ring;
    private readonly StagingChunk?[] _chunks;
    private readonly int[] _free;
    private readonly Queue<StagingChunk> _sealed;
    private int _freeCount;
    private bool _isHeld;
    private Exception? _refusal;
    private bool _isOff;

    private StagingCursor _cursor;

    /// <param name="chunks">The most chunks.</param>
    /// <param name="firstSequence">The number of the first chunk.</param>
    /// <param name="ring">The memory of the chunks; null: each has its own.</param>
    public StagingArea(int chunks, long firstSequence, SharedRing? ring = null)
    {
        _ring = ring;
        Debug.Assert(chunks is > 1 and <= ChunksMax);
        _chunks = new StagingChunk?[chunks];
        _free = new int[chunks];
        _sealed = new Queue<StagingChunk>(chunks);
        for (int slot = chunks - 1; slot >= 0; slot--)
            _free[_freeCount++] = slot;
        _cursor.Word = OpenNext(firstSequence, previous: 0);
    }

    /// <summary>Set whenever a chunk was sealed.</summary>
    public AutoResetEvent Sealed { get; } = new(false);

    /// <summary>The chunks that were used so far, each with its memory.</summary>
    public int ChunkCount => _chunks.Count(static chunk => chunk != null);

    /// <summary>The bytes of these chunks in shared memory; 0 if they have memory of their own.</summary>
    public long SharedBytes => _ring is null ? 0 : (long)ChunkCount * StagingChunk.Size;

    /// <summary>The number of times that a thread had to wait for room.</summary>
    public long WaitCount { get; private set; }

    /// <summary>Whether nothing was reserved since the last chunk was sealed.</summary>
    public bool IsEmpty => StagingCursor.UsedOf(Volatile.Read(ref _cursor.Word)) == BlockHeader.Size;

    /// <summary>Whether no place is granted, and writes continue unrecorded.</summary>
    public bool IsOff => Volatile.Read(ref _isOff);

    /// <summary>Whether there are sealed chunks that were not taken yet.</summary>
    public bool HasSealed
    {
        get
        {
            lock (_gate)
                return _sealed.Count > 0;
        }
    }

    /// <summary>The place of the next record.</summary>
    public ulong NextLsn
    {
        get
        {
            long word = Volatile.Read(ref _cursor.Word);
            return StagedPlace.LsnOf(StagingCursor.SequenceOf(word), StagingCursor.UsedOf(word));
        }
    }

    /// <summary>The place to wait for, until all records so far are durable.</summary>
    public ulong EndLsn
    {
        get
        {
            ulong next = NextLsn; // An empty chunk never becomes durable.
            return StagedPlace.OffsetOf(next) == BlockHeader.Size ? next - BlockHeader.Size : next;
        }
    }

    /// <summary>Reserves a place under the lock of the key: never waits, throws or allocates.</summary>
    /// <param name="length">A multiple of 8, at most <see cref="RecordBytesMax"/>.</param>
    /// <param name="place">The same thread must fill it before it unlocks, in any case.</param>
    /// <returns>False if there is no room: unlock, call <see cref="WaitForRoom"/>, and try again.</returns>
    public bool TryReserve(int length, out StagedPlace place)
    {
        Debug.Assert(length is > 0 and <= RecordBytesMax);
        Debug.Assert(length % RecordLayout.Alignment == 0);
        long word = Volatile.Read(ref _cursor.Word);
        while (true)
        {
            int used = StagingCursor.UsedOf(word);
            if (used + length > StagingChunk.Size)
            {
                place = default;
                return IsOff;
            }

            // Of racing threads one gets the place; the others try the next one, or the next chunk.
            long seen = Interlocked.CompareExchange(ref _cursor.Word, word + (length >> StagingCursor.UnitShift), word);
            if (seen == word)
            {
                place = new StagedPlace(
                    _chunks[StagingCursor.SlotOf(word)]!, StagingCursor.SequenceOf(word), used, length);
                return true;
            }

            word = seen;
        }
    }

    /// <summary>Waits, without any lock, until there may be a place of this length.</summary>
    /// <exception cref="JournalSuspendedException">Nothing can be recorded, and writes must be refused.</exception>
    public void WaitForRoom(int length)
    {
        lock (_gate)
        {
            while (!_isOff && !TryMakeRoom(length))
            {
                if (_refusal != null)
                    throw new JournalSuspendedException(_refusal);
                WaitCount++;
                Monitor.Wait(_gate);
            }
        }
    }

    /// <summary>Seals the present chunk if it is not empty, so that it is written.</summary>
    public void Seal()
    {
        lock (_gate)
        {
            if (!_isOff && !_isHeld && !IsEmpty)
                TryRotate();
        }
    }

    /// <summary>Takes the oldest sealed chunk; null if there is none.</summary>
    public StagingChunk? TakeSealed()
    {
        lock (_gate)
            return _sealed.TryDequeue(out var chunk) ? chunk : null;
    }

    /// <summary>Makes a chunk ready for new records.</summary>
    public void Free(StagingChunk chunk)
    {
        chunk.End();
        lock (_gate)
        {
            _free[_freeCount++] = chunk.Slot;
            Monitor.PulseAll(_gate);
        }
    }

    /// <summary>Whether writers wait once the present chunk is full, although others are free.</summary>
    public void Hold(bool isHeld)
    {
        lock (_gate)
        {
            _isHeld = isHeld;
            Monitor.PulseAll(_gate);
        }
    }

    /// <summary>Grants no place from now on: writes continue unrecorded, or are refused.</summary>
    /// <param name="failure">The reason.</param>
    /// <param name="refusesWrites">Whether present and later waits for room throw.</param>
    public void TurnOff(Exception failure, bool refusesWrites)
    {
        lock (_gate)
        {
            if (refusesWrites)
                _refusal = failure;
            else
                Volatile.Write(ref _isOff, true);
            long word = EndCursor();
            if (IsOfChunk(word))
                Enqueue(word);
            Monitor.PulseAll(_gate);
        }
    }

    /// <summary>Grants no place any more: late writes continue unrecorded.</summary>
    public void Close()
    {
        lock (_gate)
        {
            Volatile.Write(ref _isOff, true);
            long word = EndCursor();
            if (!IsOfChunk(word))
                return;
            if (StagingCursor.UsedOf(word) > BlockHeader.Size)
                Enqueue(word);
            else
                _free[_freeCount++] = StagingCursor.SlotOf(word);
            Monitor.PulseAll(_gate);
        }
    }

    /// <summary>Grants places again, after <see cref="TurnOff"/>, in chunks with later numbers.</summary>
    public void TurnOn()
    {
        lock (_gate)
        {
            Debug.Assert(_freeCount > 0, "What was sealed was given back.");
            long sequence = StagingCursor.SequenceOf(Volatile.Read(ref _cursor.Word)) + 1;
            _refusal = null;
            Interlocked.Exchange(ref _cursor.Word, OpenNext(sequence, previous: 0)); // What was before is dropped.
            Volatile.Write(ref _isOff, false);
            Monitor.PulseAll(_gate);
        }
    }

    public void Dispose() => Sealed.Dispose();

    // The cursor's previous word; no thread finds room from now on.
    private long EndCursor()
    {
        long next = StagingCursor.SequenceOf(Volatile.Read(ref _cursor.Word)) + 1;
        return Interlocked.Exchange(
            ref _cursor.Word, StagingCursor.WordOf(next, StagingCursor.SlotsMax - 1, StagingChunk.Size));
    }

    private bool IsOfChunk(long word) => StagingCursor.SlotOf(word) < _chunks.Length;

    private bool TryMakeRoom(int length)
    {
        if (StagingCursor.UsedOf(Volatile.Read(ref _cursor.Word)) + length <= StagingChunk.Size)
            return true;
        return _refusal == null && !_isHeld && TryRotate();
    }

    private bool TryRotate()
    {
        if (_freeCount == 0 || _refusal != null || !HasMemory(_free[_freeCount - 1]))
            return false;
        long sequence = StagingCursor.SequenceOf(Volatile.Read(ref _cursor.Word)) + 1;
        long next = OpenNext(sequence, sequence - 1);
        Enqueue(Interlocked.Exchange(ref _cursor.Word, next));
        return true;
    }

    // Slots that were used before lie above the others.
    private bool HasMemory(int slot) => _ring == null || _ring.TryAllocate(slot);

    private long OpenNext(long sequence, long previous)
    {
        int slot = _free[--_freeCount];
        var chunk = _chunks[slot] ??= new StagingChunk(slot, _ring);
        chunk.Open(sequence, previous);
        return StagingCursor.WordOf(sequence, slot, BlockHeader.Size);
    }

    private void Enqueue(long word)
    {
        var chunk = _chunks[StagingCursor.SlotOf(word)]!;
        chunk.Seal(StagingCursor.UsedOf(word));
        _sealed.Enqueue(chunk);
        Sealed.Set();
    }
}
