using Cache.Core.Contracts;

namespace Cache.Core.Sharding;

/// <summary>The bytes that a store holds, index and all, and their limit. Thread-safe.</summary>
/// <remarks>
/// Bytes change by segments, pages and large blocks, not by entries, so that writers seldom meet here.
/// </remarks>
internal sealed class MemoryBudget(long limitBytes, EvictionPolicy eviction)
{
    // Written with interlocked operations by whoever takes or gives back memory; read anywhere.
    private long _usedBytes;
    private long _peakBytes;

    // The part of the used bytes that is held outside; written and read alike.
    private long _outsideBytes;

    // Written by whoever configures the store; read anywhere.
    private long _limitBytes = limitBytes;
    private int _eviction = (int)eviction;

    public long UsedBytes => Volatile.Read(ref _usedBytes);

    public long OutsideBytes => Volatile.Read(ref _outsideBytes);

    public long PeakBytes => Volatile.Read(ref _peakBytes);

    /// <summary>What may be taken; on the way to a lower limit, which comes step by step, more than that.</summary>
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

    /// <summary>Takes bytes if the limit allows, with so many to spare.</summary>
    public bool TryTake(long bytes, long spareBytes)
    {
        long used = UsedBytes;
        while (used + bytes + spareBytes <= LimitBytes)
        {
            long seen = Interlocked.CompareExchange(ref _usedBytes, used + bytes, used);
            if (seen == used)
            {
                NotePeak(used + bytes);
                return true;
            }

            used = seen;
        }

        return false;
    }

    /// <summary>Takes or, if negative, gives back bytes, whatever the limit.</summary>
    public void Add(long bytes) => NotePeak(Interlocked.Add(ref _usedBytes, bytes));

    /// <summary>Counts bytes that are held elsewhere for the store's users; negative: held no more.</summary>
    public void AddOutside(long bytes)
    {
        Interlocked.Add(ref _outsideBytes, bytes);
        Add(bytes);
    }

    public void ResetPeak() => Volatile.Write(ref _peakBytes, UsedBytes);

    private void NotePeak(long used)
    {
        long peak = PeakBytes;
        while (used > peak)
        {
            long seen = Interlocked.CompareExchange(ref _peakBytes, used, peak);
            if (seen == peak)
                return;
            peak = seen;
        }
    }
}
