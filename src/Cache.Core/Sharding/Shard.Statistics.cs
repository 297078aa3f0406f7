namespace Cache.Core.Sharding;

/// <summary>The counters of a shard.</summary>
internal sealed partial class Shard
{
    // Written with interlocked additions under the bucket of the entry.
    private readonly long[] _countByGeneration = new long[CacheOptions.KeyspaceCountMax * Generations.PerKeyspace];

    /// <summary>The counts by keyspace and generation, for comparison with the entries.</summary>
    public ReadOnlySpan<long> CountByGeneration => _countByGeneration;

    public ReadOnlySpan<long> ExpiringByGeneration => _expiringByGeneration;

    public long EvictionCount => Volatile.Read(ref _evictions);

    public long CountOf(int keyspace) =>
        Volatile.Read(ref _countByGeneration[Generations.IndexOf(keyspace, _generations.Of(keyspace))]);

    /// <summary>All entries of some shards, the cleared ones among them.</summary>
    public static long CountAll(Shard[] shards)
    {
        long count = 0;
        foreach (var shard in shards)
            count += shard.CountAll();
        return count;
    }

    /// <summary>All entries that the index holds, the cleared ones among them.</summary>
    public long CountAll()
    {
        long count = 0;
        for (int i = 0; i < _countByGeneration.Length; i++)
            count += Volatile.Read(ref _countByGeneration[i]);
        return count;
    }

    public CacheStatistics GetStatistics()
    {
        long count = 0;
        long expiring = 0;
        for (int keyspace = 0; keyspace < CacheOptions.KeyspaceCountMax; keyspace++)
        {
            count += CountOf(keyspace);
            expiring += ExpiringCountOf(keyspace);
        }

        return new CacheStatistics
        {
            Count = count,
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
