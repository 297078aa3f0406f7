using System.Runtime.InteropServices;

namespace Cache.Core.Sharding;

/// <summary>The counters of a shard.</summary>
internal sealed partial class Shard
{
    // What is written often lies apart from what every operation reads, by the two lines that a core fetches at once:
    // before and behind it.
    private const int ApartBytes = 128;
    private const int ApartCounts = ApartBytes / sizeof(long);
    private const int CountLength = CacheOptions.KeyspaceCountMax * Generations.PerKeyspace;

    // Written with interlocked additions under the bucket of the entry.
    private readonly long[] _countByGeneration = CreateCounts();

    private Counters _counters;

    /// <summary>The counts by keyspace and generation, for comparison with the entries.</summary>
    public ReadOnlySpan<long> CountByGeneration => _countByGeneration.AsSpan(ApartCounts, CountLength);

    public ReadOnlySpan<long> ExpiringByGeneration => _expiringByGeneration.AsSpan(ApartCounts, CountLength);

    public long EvictionCount => Volatile.Read(ref _counters.Evictions);

    public long CountOf(int keyspace) =>
        Volatile.Read(ref CountAt(keyspace, _generations.Of(keyspace)));

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
            Expirations = Volatile.Read(ref _counters.Expirations),
        };
    }

    public void ResetStatistics()
    {
        Interlocked.Exchange(ref _counters.Evictions, 0);
        Interlocked.Exchange(ref _counters.Expirations, 0);
    }

    private static long[] CreateCounts() => new long[ApartCounts + CountLength + ApartCounts];

    private ref long CountAt(int keyspace, int generation) =>
        ref _countByGeneration[ApartCounts + Generations.IndexOf(keyspace, generation)];

    private ref long ExpiringCountAt(int keyspace, int generation) =>
        ref _expiringByGeneration[ApartCounts + Generations.IndexOf(keyspace, generation)];

    // Interlocked.
    [StructLayout(LayoutKind.Explicit, Size = 3 * ApartBytes)]
    private struct Counters
    {
        [FieldOffset(ApartBytes)]
        public long Evictions;

        [FieldOffset(ApartBytes + sizeof(long))]
        public long Expirations;
    }
}
