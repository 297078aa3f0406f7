using System.Diagnostics;

namespace Cache.Core.Log;

/// <summary>The bytes that a store holds, index and all, and their limit. Thread-safe.</summary>
/// <remarks>
/// Bytes change by segments, pages and large blocks, not by entries, so that writers seldom meet here.
/// <code>
///  0                                   52        64
///  ├───────────────────────────────────┼─────────┤
///  │ used bytes                        │ claims  │   odd: one is held
///  └───────────────────────────────────┴─────────┘
/// </code>
/// While a thread holds a claim only it takes bytes, so it gets what it frees. Another thread that takes bytes races
/// with the claim for the word: if it comes second, its compare-exchange fails and it sees the claim.
/// </remarks>
internal sealed class MemoryBudget(long limitBytes, EvictionPolicy eviction)
{
    private const int ClaimShift = 52;
    private const long ClaimUnit = 1L << ClaimShift;
    private const long UsedMask = ClaimUnit - 1;

    // Written with interlocked operations by threads that take or give back memory; read anywhere.
    private long _word;
    private long _peakBytes;

    // The part of the used bytes that is held outside; written and read like these.
    private long _outsideBytes;

    // The thread that claims, or 0; written by it under the reclaimer's gate, read anywhere.
    private int _claimer;

    // Written when the store is configured; read anywhere.
    private long _limitBytes = limitBytes;
    private int _eviction = (int)eviction;

    public long UsedBytes => Volatile.Read(ref _word) & UsedMask;

    public long OutsideBytes => Volatile.Read(ref _outsideBytes);

    public long PeakBytes => Volatile.Read(ref _peakBytes);

    /// <summary>The limit; above the configured one while that is lowered step by step.</summary>
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

    public bool IsClaimedByCaller => Volatile.Read(ref _claimer) == Environment.CurrentManagedThreadId;

    public bool HasRoomFor(long bytes) => UsedBytes + bytes <= LimitBytes;

    /// <summary>Takes bytes if the limit allows, with this many to spare, and no other thread has a claim.</summary>
    public bool TryTake(long bytes, long spareBytes)
    {
        Debug.Assert(bytes >= 0, "Add gives back.");
        long word = Volatile.Read(ref _word);
        while ((word & UsedMask) + bytes + spareBytes <= LimitBytes)
        {
            if ((word & ClaimUnit) != 0 && !IsClaimedByCaller)
                return false;
            long seen = Interlocked.CompareExchange(ref _word, word + bytes, word);
            if (seen == word)
            {
                NotePeak((word & UsedMask) + bytes);
                return true;
            }

            word = seen;
        }

        return false;
    }

    /// <summary>Lets only the caller take bytes until it ends the claim; one at a time.</summary>
    public void BeginClaim()
    {
        Debug.Assert(_claimer == 0, "Claims are made under the reclaimer's gate.");
        Volatile.Write(ref _claimer, Environment.CurrentManagedThreadId);
        Interlocked.Add(ref _word, ClaimUnit);
    }

    public void EndClaim()
    {
        Debug.Assert(IsClaimedByCaller);
        Interlocked.Add(ref _word, ClaimUnit);
        Volatile.Write(ref _claimer, 0);
    }

    /// <summary>Takes or, if negative, gives back bytes, regardless of the limit.</summary>
    public void Add(long bytes) => NotePeak(Interlocked.Add(ref _word, bytes) & UsedMask);

    /// <summary>Counts bytes that are held elsewhere for the store's users; negative: no longer held.</summary>
    public void AddOutside(long bytes)
    {
        long outsideBytes = Interlocked.Add(ref _outsideBytes, bytes);
        Debug.Assert(outsideBytes >= 0, "More was given back than was held.");
        Add(bytes);
    }

    public void ResetPeak() => Volatile.Write(ref _peakBytes, UsedBytes);

    private void NotePeak(long used)
    {
        Debug.Assert(used < UsedMask / 2, "More was given back than was taken.");
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
