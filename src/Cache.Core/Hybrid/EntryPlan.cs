using Microsoft.Extensions.Caching.Hybrid;

namespace Cache.Core.Hybrid;

/// <summary>The options of a call; the cache's defaults where the call gives none.</summary>
internal readonly struct EntryPlan
{
    /// <summary>
    /// The flags that say where a value may come from: calls that differ in these cannot share a flight.
    /// </summary>
    public const HybridCacheEntryFlags ReadFlags = HybridCacheEntryFlags.DisableLocalCacheRead
        | HybridCacheEntryFlags.DisableDistributedCacheRead | HybridCacheEntryFlags.DisableUnderlyingData;

    private static readonly TimeSpan _defaultExpiration = TimeSpan.FromMinutes(5);

    // A longer expiry is the same as none; sums of a few such expiries do not overflow.
    private static readonly TimeSpan _longest = TimeSpan.FromDays(365 * 1000);

    private readonly HybridCacheEntryFlags _flags;

    public EntryPlan(HybridCacheEntryOptions? options, HybridCacheEntryOptions? defaults, long localMsMax)
    {
        var expiration = options?.Expiration ?? defaults?.Expiration ?? _defaultExpiration;
        var local = options?.LocalCacheExpiration ?? defaults?.LocalCacheExpiration ?? expiration;
        ExpirationMs = RoundUp(expiration);
        LocalMs = Math.Min(Math.Min(RoundUp(local), ExpirationMs), localMsMax);
        _flags = FlagsOf(options, defaults);
    }

    /// <summary>How long the value is fresh; 0 or less: it is not kept.</summary>
    public long ExpirationMs { get; }

    /// <summary>How long it is fresh in this process.</summary>
    public long LocalMs { get; }

    public HybridCacheEntryFlags SourceFlags => _flags & ReadFlags;

    public bool ReadsLocal => !Has(HybridCacheEntryFlags.DisableLocalCacheRead);

    public bool WritesLocal => !Has(HybridCacheEntryFlags.DisableLocalCacheWrite) && LocalMs > 0;

    public bool ReadsSecondLevel => !Has(HybridCacheEntryFlags.DisableDistributedCacheRead);

    public bool WritesSecondLevel => !Has(HybridCacheEntryFlags.DisableDistributedCacheWrite) && ExpirationMs > 0;

    public bool RunsFactory => !Has(HybridCacheEntryFlags.DisableUnderlyingData);

    public static HybridCacheEntryFlags FlagsOf(HybridCacheEntryOptions? options, HybridCacheEntryOptions? defaults) =>
        options?.Flags ?? defaults?.Flags ?? HybridCacheEntryFlags.None;

    private static long RoundUp(TimeSpan interval)
    {
        if (interval > _longest)
            interval = _longest;
        (long milliseconds, long rest) = Math.DivRem(interval.Ticks, TimeSpan.TicksPerMillisecond);
        return rest > 0 ? milliseconds + 1 : milliseconds;
    }

    private bool Has(HybridCacheEntryFlags flag) => (_flags & flag) != 0;
}
