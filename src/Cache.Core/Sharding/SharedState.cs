using System.Diagnostics;
using System.Numerics;
using Cache.Core.Changes;
using Cache.Core.Collections.Objects;
using Cache.Core.Curve;
using Cache.Core.Expiry;
using Cache.Core.Hashing;
using Cache.Core.Layout;
using Cache.Core.Log;
using Cache.Core.Packing;

namespace Cache.Core.Sharding;

/// <summary>What the shards of a store share: the log of records, the index, the budget, the clock, the hash.</summary>
/// <remarks>It knows no shard. <see cref="StoreState"/> adds these, and what works on all of them.</remarks>
internal abstract partial class SharedState
{
    // A smaller store would hold its pages of the index and little else.
    private const int BytesPerShardMin = 256 << 10;

    // Below this, huge pages would be mostly air.
    private const long HugePagesMin = 64 << 20;

    // A removal under a snapshot copies pages, and may pass the limit by so small a part.
    private const int ObjectOverdraftDivisor = 64;

    private readonly KeyedHash _hash;
    private volatile EncodingLimits _encodingLimits = new();
    private readonly int _shardShift;

    // Made once, under its gate, when the first collection becomes large: its addresses are as many as the records'.
    private readonly Lock _objectsGate = new();
    private ObjectHeap? _objects;
    private bool _hasNoObjects;

    // Written once, before the first bucket is held; read by every thread that waits.
    private volatile bool _isDisposed;

    protected SharedState(CacheOptions options, TimeProvider timeProvider, KeyedHash hash)
    {
        _hash = hash;
        long limit = options.MemoryLimitBytes;
        Clock = new CoarseClock(timeProvider);
        Fields = new FieldClock(Clock);
        Budget = new MemoryBudget(limit, options.Eviction);
        ValueLengthMax = options.ValueLengthMax;
        int shardCount = options.ShardCount;
        while (shardCount > 1 && (long)shardCount * BytesPerShardMin > limit)
            shardCount /= 2;
        ShardBits = BitOperations.Log2((uint)shardCount);
        _shardShift = 63 - ShardBits;
        long machineBytes = Math.Max(limit, CacheOptions.AvailableMemoryBytes);
        bool hugePages = limit >= HugePagesMin;
        var addresses = AddressShares.Create(limit, machineBytes, CacheOptions.FreeAddressBytes);
        GhostAddressBytes = addresses.RecordBytes;
        Heap = new PageHeap(limit, addresses.BlockBytes);
        Index = new IndexMemory(limit + (long)shardCount * IndexPage.Size, addresses.IndexBytes, hugePages);
        int segmentSize = SegmentSizeOf(limit);
        Log = new RecordLog(
            new SegmentMemory(segmentSize, limit, addresses.RecordBytes, hugePages), Budget,
            (int)BitOperations.RoundUpToPowerOf2((uint)Environment.ProcessorCount));
        RecordBytesMax = RecordBytesFor(segmentSize);
        Packer = new ValuePacker(options.Compression, Log.Packed, Budget);
    }

    public CoarseClock Clock { get; }

    /// <summary>By which fields of hashes expire.</summary>
    public FieldClock Fields { get; }

    public MemoryBudget Budget { get; }

    public IndexMemory Index { get; }

    public RecordLog Log { get; }

    /// <summary>Compresses values.</summary>
    public ValuePacker Packer { get; }

    /// <summary>The memory of large values.</summary>
    public PageHeap Heap { get; }

    /// <summary>Whether collections may become large; else a write that would make one so is refused.</summary>
    public bool PagesCollections { get; set; } = true;

    /// <summary>The large collections; null until there is one.</summary>
    public ObjectHeap? Objects => Volatile.Read(ref _objects);

    public EntryClaims Claims { get; } = new();

    public ReadCounters Counters { get; } = new();

    public Generations Generations { get; } = new();

    public WatchedKeys Watched { get; } = new();

    public BlockShares Shares { get; } = new();

    /// <summary>What threads that look for room hold.</summary>
    public BytesInTransit InTransit { get; } = new();

    public int ValueLengthMax { get; }

    public bool IsDisposed => _isDisposed;

    /// <summary>The page that all directories name after the disposal.</summary>
    public uint HeldPage { get; private set; }

    /// <summary>How many bits of a hash choose the shard.</summary>
    protected int ShardBits { get; }

    /// <summary>The addresses that the ghosts may take: as many as the records.</summary>
    protected long GhostAddressBytes { get; }

    public ulong HashOf(ReadOnlySpan<byte> key, int keyspace) =>
        _hash.Hash(key) ^ ((ulong)keyspace * 0x9E3779B97F4A7C15UL);

    public ulong HashOf(Record record)
    {
        var header = record.Header;
        return HashOf(record.KeyOf(header), header.Keyspace);
    }

    /// <summary>The position of a hash's shard.</summary>
    // In two steps, since a shift by 64 is one by 0: one shard has no bits to choose it by.
    public int ShardIndexOf(ulong hash) => (int)((hash >> 1) >> _shardShift);

    public void ThrowIfDisposed()
    {
        if (_isDisposed)
            ThrowDisposed();
    }

    /// <summary>Locks a bucket, however long another thread holds it, unless that is the disposal.</summary>
    public uint Lock(Bucket bucket)
    {
        uint version;
        var wait = default(SpinWait);
        while (!bucket.TryLock(out version))
            Wait(ref wait);
        return version;
    }

    /// <summary>The same, but lets others read in it.</summary>
    public uint LockReadable(Bucket bucket)
    {
        uint version;
        var wait = default(SpinWait);
        while (!bucket.TryLockReadable(out version))
            Wait(ref wait);
        return version;
    }

    /// <summary>Beyond which a collection is noted as one that Redis converts.</summary>
    public EncodingLimits EncodingLimits
    {
        get => _encodingLimits;
        set => _encodingLimits = value;
    }

    /// <summary>The large collections, made if there are none yet.</summary>
    /// <returns>Null if the system has no addresses for them.</returns>
    public ObjectHeap? TryMakeObjects()
    {
        if (Objects is { } present)
            return present;
        lock (_objectsGate)
        {
            ThrowIfDisposed();
            if (_objects is not null || _hasNoObjects)
                return _objects;
            try
            {
                Volatile.Write(ref _objects, new ObjectHeap(
                    Budget.LimitBytes, GhostAddressBytes, Budget, _hash, () => Log.LinkSpareBytes,
                    () => Budget.LimitBytes / ObjectOverdraftDivisor, Heap, KeepFreeSegmentsWithinLimit, Fields)
                {
                    EncodingLimits = () => EncodingLimits,
                });
            }
            catch (OutOfMemoryException)
            {
                _hasNoObjects = true;
            }

            return _objects;
        }
    }

    /// <summary>Lets some time pass for a thread that holds a bucket, for a bounded step.</summary>
    /// <exception cref="ObjectDisposedException">The holder may be the disposal, which never lets go.</exception>
    public void Wait(ref SpinWait wait)
    {
        ThrowIfDisposed();
        RoomSteps.At(RoomStep.WaitsForBucket);
        wait.SpinOnce(sleep1Threshold: -1);
    }

    /// <summary>Waits until another thread's claim of a key is over; the caller holds no lock.</summary>
    public void WaitForClaim(ulong hash, in HeldBytes held)
    {
        InTransit.BeginWait(held);
        try
        {
            Claims.Wait(hash);
        }
        finally
        {
            InTransit.EndWait(held);
        }

        RoomSteps.At(RoomStep.ClaimEnded);
    }

    /// <summary>The same of some keys, which no thread claims again until they are opened.</summary>
    /// <returns>What to open: <see cref="EntryClaims.Open"/>.</returns>
    public ulong CloseClaims(ReadOnlySpan<ulong> hashes, in HeldBytes held)
    {
        InTransit.BeginWait(held);
        try
        {
            return Claims.Close(hashes);
        }
        finally
        {
            InTransit.EndWait(held);
        }
    }

    /// <summary>Tells waiting threads of the end, and makes the page that all directories name then.</summary>
    protected void BeginDisposal()
    {
        Debug.Assert(!_isDisposed, "A store ends once.");
        _isDisposed = true;
        Clock.Dispose();
        HeldPage = Index.CreateHeldPage();
    }

    private static int SegmentSizeOf(long limit)
    {
        long size = (long)BitOperations.RoundUpToPowerOf2((ulong)(limit / SegmentMemory.PerLimit / 2 + 1));
        return (int)Math.Clamp(size, SegmentMemory.SizeMin, SegmentMemory.SizeMax);
    }

    private static void ThrowDisposed() => throw new ObjectDisposedException("CacheStore");
}
