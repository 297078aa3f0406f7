using Cache.Core.Contracts;

namespace Cache.Core.Sharding;

/// <summary>The counters of a shard.</summary>
internal sealed partial class Shard
{
    // Written with interlocked additions under the bucket of the entry.
    private readonly long[] _countByKeyspace = new long[CacheOptions.KeyspaceCountMax];

    public long EvictionCount => Volatile.Read(ref _evictions);

    public long CountOf(int keyspace) => Volatile.Read(ref _countByKeyspace[keyspace]);

    public long CountAll()
    {
        long count = 0;
        for (int i = 0; i < _countByKeyspace.Length; i++)
            count += CountOf(i);
        return count;
    }

    public CacheStatistics GetStatistics()
    {
        long expiring = 0;
        for (int i = 0; i < _expiringByKeyspace.Length; i++)
            expiring += ExpiringCountOf(i);
        return new CacheStatistics
        {
            Count = CountAll(),
            ExpiringCount = expiring,
            Evictions = EvictionCount,
            Expirations = Volatile.Read(ref _expirations),
        };
    }

    public void ResetStatistics()
    {
        Interlocked.Exchange(ref _evictions, 0);
        Interlocked.Exchange(ref _expirations, 0);
    }
}
