using System.Diagnostics;
using Cache.Core.Layout;

namespace Cache.Core.Sharding;

/// <summary>The blocks of large values, and what they count against the limit.</summary>
internal abstract partial class SharedState
{
    // A record of more than an eighth of a segment would leave too much of it unused behind the last one. In the
    // smallest segments an eighth is so little that half is better than an allocation for each value.
    private const int RecordsPerSegmentMin = 8;
    private const int SmallRecordBytesMax = 2048;

    // Of blocks that were made and not freed; interlocked.
    private long _blockBytes;

    /// <summary>The bytes of all blocks that count against the limit.</summary>
    public long BlockBytes => Volatile.Read(ref _blockBytes);

    /// <summary>Whether values lie in blocks of their own, outside of the segments.</summary>
    public bool HasBlocks => BlockBytes != 0;

    /// <summary>The longest key and value that are kept in a segment; a longer value has a block of its own.</summary>
    /// <remarks>It changes with the limit; what was written before stays as it is.</remarks>
    public int RecordBytesMax { get; protected set; }

    /// <summary>Whether a value is kept in a block of its own.</summary>
    public bool IsLarge(int keyLength, int valueLength) =>
        keyLength + (long)valueLength > RecordBytesMax && valueLength > LargeBlock.StubLength;

    /// <summary>What a block counts against the limit.</summary>
    public long BlockBytesOf(int capacity) => LargeBlock.SizeOf(capacity, Heap);

    /// <summary>Makes a block within the limit; false if it, or the system, has no room.</summary>
    /// <remarks>Throws nothing, since the caller may hold a bucket.</remarks>
    /// <param name="length">The value's length.</param>
    /// <param name="capacity">How far it may grow.</param>
    /// <param name="prepaidBytes">What was taken for it already; too little, or unused, it is given back.</param>
    /// <param name="block">The block.</param>
    public bool TryCreateBlock(int length, int capacity, long prepaidBytes, out LargeBlock block)
    {
        Debug.Assert(length <= capacity);
        Debug.Assert(prepaidBytes >= 0);
        long bytes = BlockBytesOf(capacity);
        block = default;
        if (prepaidBytes != 0)
            Budget.Add(prepaidBytes < bytes ? -prepaidBytes : bytes - prepaidBytes);
        if (prepaidBytes < bytes && !Budget.TryTake(bytes, Log.LinkSpareBytes))
            return false;
        KeepFreeSegmentsWithinLimit(bytes);
        if (LargeBlock.TryCreate(length, capacity, Heap, out block))
        {
            Interlocked.Add(ref _blockBytes, bytes);
            return true;
        }

        Budget.Add(-bytes);
        return false;
    }

    /// <summary>Gives back as much memory of freed blocks as a segment is about to take.</summary>
    public void GiveBackFor(long bytes) => Heap.GiveBackFor(bytes);

    /// <summary>Makes a block that does not count yet; false if values of this length need none.</summary>
    public bool TryCreateUncounted(int length, out LargeBlock block)
    {
        block = default;
        return IsLarge(keyLength: 0, length) && length <= ValueLengthMax
            && LargeBlock.TryCreate(length, length, Heap, out block);
    }

    /// <summary>Begins to count a block; false if the limit has no room for it.</summary>
    public bool TryCount(LargeBlock block)
    {
        if (!Budget.TryTake(block.SizeBytes, Log.LinkSpareBytes))
            return false;
        CountPrepaid(block);
        return true;
    }

    /// <summary>Begins to count a block whose bytes were taken already.</summary>
    public void CountPrepaid(LargeBlock block)
    {
        KeepFreeSegmentsWithinLimit(block.SizeBytes);
        Interlocked.Add(ref _blockBytes, block.SizeBytes);
    }

    /// <summary>Frees a block that was never counted.</summary>
    public void ReleaseUncounted(LargeBlock block) => block.Release(Heap);

    /// <summary>Drops a reference to a block; the last one gives its bytes back.</summary>
    public void Release(LargeBlock block)
    {
        long bytes = ReleaseUnpaid(block);
        if (bytes != 0)
            Budget.Add(-bytes);
    }

    /// <summary>The same, but the caller keeps the bytes.</summary>
    /// <returns>How many; 0 if it was not the last reference.</returns>
    public long ReleaseUnpaid(LargeBlock block)
    {
        long bytes = block.Release(Heap);
        if (bytes == 0)
            return 0;
        long left = Interlocked.Add(ref _blockBytes, -bytes);
        Debug.Assert(left >= 0, "Only blocks that count are released.");
        return bytes;
    }

    /// <summary>Takes a reference that outlives a copy; the caller holds the entry's home.</summary>
    public void Lend(LargeBlock block)
    {
        Shares.Lend(block);
        block.AddReference();
    }

    /// <summary>Takes a block back that was lent.</summary>
    public void Return(LargeBlock block)
    {
        Shares.EndLoan(block);
        Release(block);
    }

    protected static int RecordBytesFor(int segmentSize) =>
        Math.Max(segmentSize / RecordsPerSegmentMin, Math.Min(segmentSize / 2, SmallRecordBytesMax));

    // Where large values take the place of small ones, the memory of these must be gone when they are written, and not
    // at the next sweep. No more than is taken, since the caller may hold a bucket; what is too much for other reasons
    // is the sweep's.
    private void KeepFreeSegmentsWithinLimit(long takenBytes)
    {
        long excess = Budget.UsedBytes + Log.ResidentFreeBytes - Budget.LimitBytes;
        if (excess > 0)
            Log.DiscardSomeFree(Math.Min(excess, takenBytes));
    }
}
