using Cache.Bench.Subjects;
using Cache.Bench.Traces;
using Cache.Core;

namespace Cache.Bench.Tests;

/// <summary>Both replays of a trace count the same hits where nothing need be evicted, and keep their limits.</summary>
public sealed class ReplayTests
{
    private const int ValueLength = 64;

    // A hundred objects three times over, then one of them 99 times: 399 requests, 299 of them hits.
    private static readonly uint[] _ids =
    [
        .. Enumerable.Range(0, 3).SelectMany(static _ => Enumerable.Range(0, 100)).Select(static id => (uint)id),
        .. Enumerable.Repeat(0u, 99),
    ];

    [Fact]
    public void Store_WithRoomForAll_MissesEachObjectOnce()
    {
        using var store = new CacheStore(new CacheOptions { MemoryLimitBytes = CacheOptions.MemoryLimitMin });
        long peak = 0;
        Assert.Equal(_ids.Length - 100, StoreReplay.Run(store, _ids, ValueLength, ref peak));
        Assert.Equal(100, peak);
    }

    [Fact]
    public void MemoryCache_WithRoomForAll_MissesEachObjectOnce() =>
        Assert.Equal(_ids.Length - 100, MemoryCacheReplay.Run(_ids, capacity: 100, ValueLength));

    [Fact]
    public void MemoryCache_WithLessRoom_RefusesNoneAndForgetsSome()
    {
        // The last object misses once at most, the others at least once more than with room for all.
        long hits = MemoryCacheReplay.Run(_ids, capacity: 50, ValueLength);
        Assert.InRange(hits, 98, _ids.Length - 101);
    }

    [Fact]
    public void Limit_OfSoManyEntries_HoldsThem()
    {
        var limit = CapacityLimit.Find(capacity: 20_000, ValueLength);
        Assert.Equal(ValueLength, limit.ValueLength);
        uint[] ids = [.. Enumerable.Range(0, 60_000).Select(static id => (uint)id)];
        using var store = new CacheStore(limit.CreateOptions());
        long peak = 0;
        StoreReplay.Run(store, ids, ValueLength, ref peak);
        Assert.InRange(peak, 19_000, 20_400);
    }
}
