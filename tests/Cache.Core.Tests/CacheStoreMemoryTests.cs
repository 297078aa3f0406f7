using System.Text;

namespace Cache.Core.Tests;

public sealed class CacheStoreMemoryTests
{
    // The sum is what counts against the limit, whatever was written and removed.
    [Fact]
    public void GetMemory_Kinds_AddUpToWhatTheStoreCounts()
    {
        using var store = new CacheStore(new CacheOptions { MemoryLimitBytes = 16 << 20, ShardCount = 2 });
        for (int i = 0; i < 60_000; i++)
            store.Set(Encoding.ASCII.GetBytes($"key:{i}"), new byte[i % 400]);
        for (int i = 0; i < 20; i++)
            store.Set(Encoding.ASCII.GetBytes($"large:{i}"), new byte[100_000]);
        for (int i = 50_000; i < 55_000; i++)
            store.Remove(Encoding.ASCII.GetBytes($"key:{i}"));
        store.AddOutsideBytes(12_345);

        var memory = AssertAddsUp(store);
        Assert.Equal(12_345, memory.Outside);
        Assert.InRange(memory.Blocks, 20 * 100_000, 21 * 110_000);
        Assert.True(memory is { Index: > 0, Ghosts: > 0, Records: > 5 << 20, Dead: > 100_000 }, $"{memory}");
        store.AddOutsideBytes(-12_345);
    }

    [Fact]
    public void TakeLongestWaitForMemory_AfterEvictions_IsSomething_AndOnce()
    {
        using var store = new CacheStore(new CacheOptions { MemoryLimitBytes = 4 << 20, ShardCount = 2 });
        Assert.Equal(TimeSpan.Zero, store.TakeLongestWaitForMemory());
        for (int i = 0; i < 200; i++)
            store.Set(Encoding.ASCII.GetBytes($"large:{i}"), new byte[100_000]);

        Assert.True(store.TakeLongestWaitForMemory() > TimeSpan.Zero);
        Assert.Equal(TimeSpan.Zero, store.TakeLongestWaitForMemory());
    }

    [Fact]
    public void GetMemory_OfLargeCollections_AddsUpToWhatTheStoreCounts()
    {
        using var store = new CacheStore(new CacheOptions { MemoryLimitBytes = 64 << 20, ShardCount = 2 });
        var hash = store.Hash("hash"u8);
        for (int i = 0; i < 5_000; i++)
            Assert.Equal(WriteStatus.Done, hash.Set(Encoding.ASCII.GetBytes($"field:{i}"), new byte[200]));
        for (int i = 0; i < 20; i++) // In blocks of their own.
            Assert.Equal(WriteStatus.Done, hash.Set(Encoding.ASCII.GetBytes($"long:{i}"), new byte[100_000]));

        var memory = AssertAddsUp(store);
        Assert.InRange(memory.Collections, 5_000 * 200 + 20 * 100_000, 6 << 20);
    }

    [Fact]
    public void GetMemory_EntriesThatWereRemoved_AreDeadOrFree()
    {
        using var store = new CacheStore(new CacheOptions { MemoryLimitBytes = 16 << 20, ShardCount = 2 });
        for (int i = 0; i < 10_000; i++)
            store.Set(Encoding.ASCII.GetBytes($"key:{i}"), new byte[500]);
        long records = store.GetMemory().Records;
        for (int i = 0; i < 10_000; i++)
            store.Remove(Encoding.ASCII.GetBytes($"key:{i}"));

        var memory = store.GetMemory();

        Assert.True(records > 10_000 * 500);
        Assert.Equal(0, memory.Records);
        Assert.True(memory.Dead + memory.Free > 0);
    }

    // Between two looks a thread of the store may give a segment back: where the count has changed, both look again.
    private static StoreMemory AssertAddsUp(CacheStore store)
    {
        const int LooksMax = 1000;
        for (int looks = 1; ; looks++)
        {
            long counted = store.GetStatistics().MemoryBytes;
            var memory = store.GetMemory();
            if (store.GetStatistics().MemoryBytes != counted && looks < LooksMax)
                continue;
            long sum = memory.Index + memory.Ghosts + memory.Dictionaries + memory.Records + memory.Dead + memory.Blocks
                + memory.Collections + memory.Outside;
            Assert.Equal(counted, sum);
            return memory;
        }
    }
}
