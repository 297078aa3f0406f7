using Cache.Core.Contracts;

namespace Cache.Core.Sharding;

/// <summary>The bytes that all shards hold together, and their limit. Thread-safe.</summary>
internal sealed class MemoryBudget(long limitBytes, EvictionPolicy eviction)
{
    // Written by every shard with interlocked additions; read anywhere.
    private long _usedBytes;
    private long _peakBytes;

    // Written by the embedder at run time; read by every write.
    private long _limitBytes = limitBytes;
    private int _eviction = (int)eviction;

    public long UsedBytes => Volatile.Read(ref _usedBytes);

    public long PeakBytes => Volatile.Read(ref _peakBytes);

    public long LimitBytes
    {
        get => Volatile.Read(ref _limitBytes);
        set => Volatile.Write(ref _limitBytes, value);
    }

    public EvictionPolicy Eviction
    {
        get => (EvictionPolicy)Volatile.Read(ref _eviction);
        set => Volatile.Write(ref _eviction, (int)value);
    }

    public bool HasRoomFor(long bytes) => UsedBytes + bytes <= LimitBytes;

    public void Add(long bytes)
    {
        long used = Interlocked.Add(ref _usedBytes, bytes);
        if (used > PeakBytes)
            Volatile.Write(ref _peakBytes, used);
    }

    public void ResetPeak() => Volatile.Write(ref _peakBytes, UsedBytes);
}
