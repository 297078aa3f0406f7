using Microsoft.Extensions.Caching.Distributed;

namespace Cache.Core.Distributed;

/// <summary>
/// Converts the framework's expiry options to the store's: whole milliseconds of its clock, rounded up.
/// </summary>
internal static class ExpiryConversion
{
    // For the store 0 means never; this is a moment that has passed.
    private const long LongPastMs = 1;

    private static readonly long _lastMomentMs = DateTimeOffset.MaxValue.ToUnixTimeMilliseconds();

    /// <summary>
    /// Of an absolute moment and one relative to now the earlier counts, as in the framework's memory cache; this is
    /// decided now.
    /// </summary>
    /// <remarks>Intervals are positive, since the framework's options refuse others.</remarks>
    public static EntryOptions ToEntryOptions(DistributedCacheEntryOptions options, CacheStore store)
    {
        long slidingMs = options.SlidingExpiration is { } sliding ? RoundUp(sliding.Ticks) : 0;
        return new EntryOptions
        {
            ExpiresAtMs = options.AbsoluteExpirationRelativeToNow is { } relative
                ? Math.Min(_lastMomentMs, store.NowMs + RoundUp(relative.Ticks))
                : 0,
            ExpiresAtUnixMs = options.AbsoluteExpiration is { } absolute
                ? Math.Max(LongPastMs, RoundUp((absolute - DateTimeOffset.UnixEpoch).Ticks))
                : 0,
            SlidingMs = Math.Min(slidingMs, _lastMomentMs),
        };
    }

    // No entry expires early, and no interval becomes zero.
    private static long RoundUp(long ticks)
    {
        (long milliseconds, long rest) = Math.DivRem(ticks, TimeSpan.TicksPerMillisecond);
        return rest > 0 ? milliseconds + 1 : milliseconds;
    }
}
