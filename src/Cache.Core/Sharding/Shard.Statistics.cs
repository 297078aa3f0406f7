using Cache.Core.Contracts;

namespace Cache.Core.Sharding;

/// <summary>The counters of a shard.</summary>
internal sealed partial class Shard
{
    public CacheStatistics GetStatistics()
    {
        lock (Gate)
        {
            return new CacheStatistics
            {
                Count = _count,
                ExpiringCount = _expiringCount,
                Hits = _hits,
                Misses = _misses,
                Evictions = _evictions,
                Expirations = _expirations,
            };
        }
    }

    public void ResetStatistics()
    {
        lock (Gate)
            _hits = _misses = _evictions = _expirations = 0;
    }
}
