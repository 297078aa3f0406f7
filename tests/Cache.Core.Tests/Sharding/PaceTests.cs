using System.Text;
using Cache.Testing;

namespace Cache.Core.Tests.Sharding;

/// <summary>What a writer evicts beforehand, so that the next ones find room.</summary>
public sealed class PaceTests
{
    private const long LimitBytes = 8 << 20;

    // Their records are short, and what each frees is long: a share of the work by the bytes of records was half of the
    // store. Of a value of 5,000 bytes in one record as much is written as of the fields of a hash that grows.
    [Theory]
    [InlineData(60, 100)]
    [InlineData(3, 3_000)]
    public void Write_OfLargeHashesInAFullStore_EvictsLittleAtATime(int fieldCount, int valueBytes)
    {
        using var store = new CacheStore(
            new CacheOptions { MemoryLimitBytes = LimitBytes, ShardCount = 1 }, new FakeTimeProvider());
        byte[] value = new byte[valueBytes];
        long least = long.MaxValue;
        for (int i = 0; i < 3_000; i++)
        {
            var hash = store.Hash(Encoding.Latin1.GetBytes($"key {i}"));
            for (int field = 0; field < fieldCount; field++)
                Assert.Equal(WriteStatus.Done, hash.Set(Encoding.Latin1.GetBytes($"field {field}"), value));
            var statistics = store.GetStatistics();
            if (statistics.Evictions != 0)
                least = Math.Min(least, statistics.MemoryBytes);
        }

        Assert.InRange(least, LimitBytes * 3 / 4, LimitBytes);
    }
}
