using Cache.Core.Contracts;
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
