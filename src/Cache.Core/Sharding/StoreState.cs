using System.Numerics;
using Cache.Core.Changes;
using Cache.Core.Eviction;
using Cache.Core.Expiry;
using Cache.Core.Hashing;
using Cache.Core.Layout;
using Cache.Core.Log;

namespace Cache.Core.Sharding;

/// <summary>
/// What all views of one store share: the shards, the log of records, the budget, the clock, the hash.
/// </summary>
internal sealed partial class StoreState : IDisposable
{
    // As often as Redis by default (hz 10).
    private static readonly TimeSpan _sweepPeriod = TimeSpan.FromMilliseconds(100);

    // A record of more than an eighth of a segment would leave too much of it unused behind the last one. In the
    // smallest segments an eighth is so little that half is better than an allocation for each value.
    private const int RecordsPerSegmentMin = 8;
    private const int SmallRecordBytesMax = 2048;

    // A smaller store would hold its pages of the index and little else.
    private const int BytesPerShardMin = 256 << 10;

    // Below this, huge pages would be mostly air.
    private const long HugePagesMin = 64 << 20;

    private readonly KeyedHash _hash;
    private readonly int _shardShift;
    private readonly ITimer _sweepTimer;
    private readonly Lock _sweepGate = new();
    private readonly Lock _limitGate = new();

    // Written under the gate, read anywhere.
    private long _limitBytes;

    // Of blocks that were made and not freed; interlocked.
    private long _blockBytes;

    public StoreState(CacheOptions options, TimeProvider timeProvider, KeyedHash hash)
    {
        _hash = hash;
        long limit = options.MemoryLimitBytes;
        Clock = new CoarseClock(timeProvider);
        Budget = new MemoryBudget(limit, options.Eviction);
        LimitBytes = limit;
        ValueLengthMax = options.ValueLengthMax;
        int shardCount = options.ShardCount;
        while (shardCount > 1 && (long)shardCount * BytesPerShardMin > limit)
            shardCount /= 2;
        long machineBytes = Math.Max(limit, CacheOptions.AvailableMemoryBytes);
        bool hugePages = limit >= HugePagesMin;
        var addresses = AddressShares.Create(limit, machineBytes, CacheOptions.FreeAddressBytes);
        Heap = new PageHeap(limit, addresses.BlockBytes);
        Index = new IndexMemory(limit + (long)shardCount * IndexPage.Size, addresses.IndexBytes, hugePages);
        int segmentSize = SegmentSizeOf(limit);
        Log = new RecordLog(
            new SegmentMemory(segmentSize, limit, addresses.RecordBytes, hugePages), Budget,
            (int)BitOperations.RoundUpToPowerOf2((uint)Environment.ProcessorCount));
        RecordBytesMax = RecordBytesFor(segmentSize);
        Reclaimer = new Reclaimer(this, new GhostTable(limit, addresses.RecordBytes), options.PromotionThreshold);
        Cleared = new ClearedEntries(this);
        Shards = new Shard[shardCount];
        int shardBits = BitOperations.Log2((uint)shardCount);
        for (int i = 0; i < Shards.Length; i++)
            Shards[i] = new Shard(this, i, shardBits);
        Changes = new StoreChanges(listeners =>
        {
            foreach (var shard in Shards)
                shard.Listeners = listeners;
            lock (ClearGate) // A clear locks no bucket that would tell it: one that saw others has ended.
            {
            }
        });
        _shardShift = 63 - shardBits;
        _sweepTimer = timeProvider.CreateTimer(
            static state => ((StoreState)state!).Sweep(), this, _sweepPeriod, _sweepPeriod);
    }

    /// <summary>The limit that the store keeps, as it is told to others.</summary>
    public long LimitBytes
    {
        get => Volatile.Read(ref _limitBytes);
        private set => Volatile.Write(ref _limitBytes, value);
    }

    public CoarseClock Clock { get; }

    public MemoryBudget Budget { get; }

    public IndexMemory Index { get; }

    public RecordLog Log { get; }

    /// <summary>The memory of large values.</summary>
    public PageHeap Heap { get; }

    public Reclaimer Reclaimer { get; }

    public EntryClaims Claims { get; } = new();

    public Shard[] Shards { get; }

    public ReadCounters Counters { get; } = new();

    public Generations Generations { get; } = new();

    public ClearedEntries Cleared { get; }

    public WatchedKeys Watched { get; } = new();

    public BlockShares Shares { get; } = new();

    public StoreChanges Changes { get; }

    /// <summary>Held by a clear from its look at who listens to its end.</summary>
    public Lock ClearGate { get; } = new();

    /// <summary>Who listens to changes; null while nobody does.</summary>
    public ChangeListeners? Listeners => Changes.Listeners;

    /// <summary>The bytes of all blocks that count, whoever holds them.</summary>
    public long BlockBytes => Volatile.Read(ref _blockBytes);

    public int ValueLengthMax { get; }

    /// <summary>The longest key and value that are kept in a segment; a longer value has a block of its own.</summary>
    /// <remarks>It changes with the limit; what was written before stays as it is.</remarks>
    public int RecordBytesMax { get; private set; }

    /// <summary>Whether the index has far more room than its entries need.</summary>
    public bool IsIndexSparse(long entryCount) =>
        Index.Count > Shards.Length && entryCount < Index.Count * (IndexPage.SlotCount / 4);

    /// <summary>What no eviction gives back.</summary>
    public long FixedBytes => Index.Count * Shard.PageBytes + Reclaimer.Ghosts.SizeBytes;

    public long EntryCount
    {
        get
        {
            long count = 0;
            foreach (var shard in Shards)
                count += shard.CountAll();
            return count;
        }
    }

    public ulong HashOf(ReadOnlySpan<byte> key, int keyspace) =>
        _hash.Hash(key) ^ ((ulong)keyspace * 0x9E3779B97F4A7C15UL);

    public ulong HashOf(Record record)
    {
        var header = record.Header;
        return HashOf(record.KeyOf(header), header.Keyspace);
    }

    public EntryKey KeyOf(ReadOnlySpan<byte> key, byte keyspace) => new(key, keyspace, HashOf(key, keyspace));

    // In two steps, since a shift by 64 is one by 0: one shard has no bits to choose it by.
    public Shard ShardOf(ulong hash) => Shards[(int)((hash >> 1) >> _shardShift)];

    /// <summary>The shard that a position of a scan lies in.</summary>
    public Shard ShardAt(uint position) => ShardOf((ulong)position << 32);

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

    /// <summary>Gives back of freed blocks' memory what somebody is about to take for a segment.</summary>
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

    /// <summary>Changes the limit, and returns when it is kept, as far as the policy allows.</summary>
    public void ChangeLimit(long limitBytes)
    {
        lock (_limitGate)
        {
            // While it is lowered, the former one is what the store keeps. A raised one holds before the segments
            // grow: a few of these would fill the former limit.
            if (limitBytes > LimitBytes)
            {
                LimitBytes = limitBytes;
                Budget.LimitBytes = limitBytes;
                RoomSteps.At(RoomStep.LimitRaised);
            }

            Log.FitTo(limitBytes);
            RecordBytesMax = RecordBytesFor(Log.Capacity);
            RoomSteps.At(RoomStep.SegmentsFitted);
            Reclaimer.ChangeLimit(limitBytes);
            Heap.FitTo(limitBytes);
            LimitBytes = limitBytes;
        }
    }

    /// <summary>Removes all entries of some keyspaces, one bit for each, at one moment.</summary>
    /// <remarks>mayWait: Whether the caller holds no lock, and waits for room in the journal.</remarks>
    /// <returns>False if too many earlier clears wait for being freed; or without a wait, for room.</returns>
    public bool TryClear(uint keyspaces, bool mayWait = true)
    {
        // Before: what a factory writes up to the clear goes with it. After: who began to watch in between hears of it.
        Watched.NoteClear(keyspaces);
        if (!TryBeginGenerations(keyspaces, mayWait))
            return false;
        Watched.NoteClear(keyspaces);
        return true;
    }

    /// <summary>Lets observers handle what they noted; the caller holds no lock.</summary>
    public void DrainChanges() => Listeners?.Drain();

    /// <summary>Waits until the journal may have room again; the caller holds no lock.</summary>
    /// <remarks>
    /// What the caller has taken stays in transit: it ends by itself, and who looks for room waits for it.
    /// </remarks>
    public void WaitForJournal(long bytes) => Listeners?.Journal?.WaitForRoom(bytes);

    /// <summary>Gives back pages of the index that others have room for.</summary>
    /// <returns>Whether there were any.</returns>
    public bool MergePages()
    {
        bool merged = false;
        foreach (var shard in Shards)
            merged |= shard.MergePages();
        return merged;
    }

    /// <summary>Drops a reference to a block; the last one gives its bytes back.</summary>
    public void Release(LargeBlock block)
    {
        long bytes = ReleaseUnpaid(block);
        if (bytes != 0)
            Budget.Add(-bytes);
    }

    /// <summary>The same, but whoever calls keeps the bytes.</summary>
    /// <returns>How many; 0 if it was not the last reference.</returns>
    public long ReleaseUnpaid(LargeBlock block)
    {
        long bytes = block.Release(Heap);
        if (bytes != 0)
            Interlocked.Add(ref _blockBytes, -bytes);
        return bytes;
    }

    /// <summary>Waits until another thread's claim of a key is over; the caller holds no lock.</summary>
    public void WaitForClaim(ulong hash, in HeldBytes held)
    {
        Reclaimer.BeginWait(held);
        try
        {
            Claims.Wait(hash);
        }
        finally
        {
            Reclaimer.EndWait(held);
        }

        RoomSteps.At(RoomStep.ClaimEnded);
    }

    /// <summary>The same of some keys, which nobody claims again until they are opened.</summary>
    /// <returns>What to open: <see cref="EntryClaims.Open"/>.</returns>
    public ulong CloseClaims(ReadOnlySpan<ulong> hashes, in HeldBytes held)
    {
        Reclaimer.BeginWait(held);
        try
        {
            return Claims.Close(hashes);
        }
        finally
        {
            Reclaimer.EndWait(held);
        }
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

    /// <summary>Clears some keyspaces, and tells those who listen.</summary>
    private bool TryBeginGenerations(uint keyspaces, bool mayWait)
    {
        bool isDone;
        while (!(isDone = TryBeginOnce(keyspaces, out long bytes)) && bytes != 0 && mayWait)
            WaitForJournal(bytes);
        if (isDone && Listeners is { } listeners)
        {
            ForEach(keyspaces, keyspace => listeners.Note(
                new ChangeNote { Keyspace = keyspace, Kind = ChangeKind.Clear, Cause = ChangeCause.Cleared }));
            if (mayWait)
                listeners.Drain();
        }

        return isDone;
    }

    /// <returns>False if nothing was done; bytes: what the journal has no room for, if that is why.</returns>
    private bool TryBeginOnce(uint keyspaces, out long bytes)
    {
        bytes = 0;
        lock (ClearGate)
        {
            var recorder = Listeners?.Journal is { } journal ? ChangeRecorder.Rent(journal) : null;
            if (recorder is not null)
                ForEach(keyspaces, keyspace => recorder.Add(ClearOf(keyspace)));
            bool isDone = Generations.TryBegin(keyspaces, recorder, out bool hasRoom);
            if (!hasRoom)
                bytes = recorder!.Bytes;
            if (isDone && recorder is not null)
                ForEach(keyspaces, _ => recorder.Write(default, default));
            else
                recorder?.End();
            return isDone;
        }
    }

    private static ChangeRecord ClearOf(int keyspace) =>
        new() { Kind = ChangeKind.Clear, Keyspace = (byte)keyspace };

    private static void ForEach(uint keyspaces, Action<int> action)
    {
        for (; keyspaces != 0; keyspaces &= keyspaces - 1)
            action(BitOperations.TrailingZeroCount(keyspaces));
    }

    private static int SegmentSizeOf(long limit)
    {
        long size = (long)BitOperations.RoundUpToPowerOf2((ulong)(limit / SegmentMemory.PerLimit / 2 + 1));
        return (int)Math.Clamp(size, SegmentMemory.SizeMin, SegmentMemory.SizeMax);
    }

    private static int RecordBytesFor(int segmentSize) =>
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

    private void Sweep()
    {
        if (!_sweepGate.TryEnter())
            return;
        try
        {
            if (IsDisposed)
                return;
            Reclaimer.Sweep();
            Heap.DropUnasked();
            DrainChanges();
        }
        catch (ObjectDisposedException) when (IsDisposed)
        {
            // Meanwhile; there is nothing to sweep any more.
        }
        finally
        {
            _sweepGate.Exit();
        }
    }
}
