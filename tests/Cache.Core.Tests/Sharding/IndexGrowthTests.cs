using static Cache.Core.Tests.StoreFixture;

namespace Cache.Core.Tests.Sharding;

/// <summary>The index while it grows from a page to hundreds. The fixture proves it whole at the end.</summary>
public sealed class IndexGrowthTests
{
    private const int Keys = 100_000;

    [Theory]
    [InlineData(1)]
    [InlineData(8)]
    public void Set_ManyKeys_AreAllFoundAfterEachSplit(int shardCount)
    {
        using var fixture = Limited(64 << 20, shardCount);
        var store = fixture.Store;
        for (int i = 0; i < Keys; i++)
        {
            Assert.Equal(WriteStatus.Done, store.Set(BitConverter.GetBytes(i), BitConverter.GetBytes(~i)));
            int earlier = (int)(i * 2654435761L % (i + 1));
            Assert.Equal(BitConverter.GetBytes(~earlier), store.GetArray(BitConverter.GetBytes(earlier)));
        }

        Assert.Equal((Keys, 0), (store.Count, store.GetStatistics().Evictions));
        for (int i = 0; i < Keys; i++)
            Assert.Equal(BitConverter.GetBytes(~i), store.GetArray(BitConverter.GetBytes(i)));
        store.AssertValid();
        for (int i = 0; i < Keys; i += 2)
            Assert.True(store.Remove(BitConverter.GetBytes(i)));
        Assert.Equal(Keys / 2, store.Count);
        Assert.Null(store.GetArray(BitConverter.GetBytes(0)));
        Assert.NotNull(store.GetArray(BitConverter.GetBytes(1)));
    }

    [Theory]
    [InlineData(1)]
    [InlineData(8)]
    public void Remove_MostKeys_GivesPagesBackAndKeepsTheRest(int shardCount)
    {
        using var fixture = Limited(64 << 20, shardCount);
        var store = fixture.Store;
        long empty = store.GetStatistics().MemoryBytes;
        for (int round = 0; round < 3; round++)
        {
            for (int i = 0; i < Keys; i++)
                Assert.Equal(WriteStatus.Done, store.Set(BitConverter.GetBytes(i), BitConverter.GetBytes(~i)));
            long full = store.GetStatistics().MemoryBytes;
            for (int i = 0; i < Keys; i++)
                Assert.True(i % 50 == round || store.Remove(BitConverter.GetBytes(i)));

            fixture.Clock.Advance(1_000); // Sweeps that merge and compact.

            store.AssertValid();
            Assert.Equal(Keys / 50, store.Count);
            Assert.InRange(store.GetStatistics().MemoryBytes - empty, 1, (full - empty) / 4);
            for (int i = 0; i < Keys; i++)
            {
                byte[]? expected = i % 50 == round ? BitConverter.GetBytes(~i) : null;
                Assert.Equal(expected, store.GetArray(BitConverter.GetBytes(i)));
            }
        }
    }

    [Fact]
    public void Versions_PageMergedAndSplitAgain_NeverComeBack()
    {
        using var fixture = Limited(64 << 20, 1);
        var store = fixture.Store;
        var seen = new HashSet<EntryVersion>();
        for (int round = 0; round < 4; round++)
        {
            store.Set("key"u8, [(byte)round]);
            Assert.True(store.TryPeekInfo("key"u8, out var info));
            Assert.True(seen.Add(info.Version), $"Version {info.Version} of round {round} was seen before.");
            for (int i = 0; i < 20_000; i++)
                store.Set(BitConverter.GetBytes(i), "value"u8);
            for (int i = 0; i < 20_000; i++)
                store.Remove(BitConverter.GetBytes(i));
            fixture.Clock.Advance(1_000);
            foreach (var version in seen)
                Assert.Equal(WriteStatus.ConditionNotMet, store.SetIfUnchanged("key"u8, "x"u8, default, version));
        }
    }

    [Fact]
    public void Keyspaces_SameKeys_AreCountedApart()
    {
        using var fixture = Limited(64 << 20, 4);
        for (int keyspace = 0; keyspace < 16; keyspace++)
        {
            for (int i = 0; i <= keyspace * 100; i++)
            {
                var options = i % 2 == 0 ? default : ExpiringAt(fixture.NowMs + 1_000_000);
                fixture.Store.SelectKeyspace(keyspace).Set(BitConverter.GetBytes(i), [(byte)keyspace], options);
            }
        }

        fixture.Store.SelectKeyspace(5).Clear();

        for (int keyspace = 0; keyspace < 16; keyspace++)
        {
            var view = fixture.Store.SelectKeyspace(keyspace);
            (long, long) expected = keyspace == 5 ? (0, 0) : (keyspace * 100 + 1, keyspace * 50);
            Assert.Equal(expected, (view.Count, view.ExpiringCount));
            byte[]? value = keyspace == 5 ? null : [(byte)keyspace];
            Assert.Equal(value, view.GetArray(BitConverter.GetBytes(0)));
        }
    }

    private static StoreFixture Limited(long bytes, int shardCount) => new(options =>
    {
        options.MemoryLimitBytes = bytes;
        options.ShardCount = shardCount;
    });
}
