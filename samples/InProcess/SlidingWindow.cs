using System.Buffers.Binary;
using Cache.Core;

namespace InProcess;

/// <summary>Allows so many requests of a client in any span of time of one length. Thread-safe.</summary>
/// <remarks>
/// The requests of a client are a sorted set by their moments: those before the window are removed, and the others
/// counted. Of two requests at the same time both may be counted and one too many be refused, but never one too many be
/// allowed. The set ends with the window, so that clients that stay away take no memory.
/// </remarks>
/// <param name="store">The store.</param>
/// <param name="count">How many requests are allowed.</param>
/// <param name="windowMs">The length of the span, in milliseconds.</param>
internal sealed class SlidingWindow(CacheStore store, int count, long windowMs)
{
    private long _lastNumber;

    /// <summary>Counts a request, and says whether it is allowed; one that is refused does not count.</summary>
    public bool TryEnter(ReadOnlySpan<byte> client)
    {
        long nowMs = store.NowMs;
        Span<byte> request = stackalloc byte[sizeof(long)];
        BinaryPrimitives.WriteInt64LittleEndian(request, Interlocked.Increment(ref _lastNumber));

        SortedSetKey window = store.SortedSet(client);
        window.RemoveRange(SortedSetRange.ByScore(ScoreBound.Lowest, nowMs - windowMs), out _);
        window.Add(request, nowMs);
        store.Expire(client, nowMs + windowMs, ExpireConditions.None);
        if (window.Count <= count)
            return true;
        window.Remove(request);
        return false;
    }
}
