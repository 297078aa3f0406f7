using System.Globalization;
using System.Text;
using Cache.Core;
using Cache.Server.Statistics;
using Cache.Server.Watches;

namespace Cache.Server.Tests.Watches;

public sealed class WatchTableTests : IDisposable
{
    // Those that are equal in so many bits share a chain, of which there are fewer.
    private const ulong ChainMask = (1 << 16) - 1;

    private readonly CacheStore _store = new(new CacheOptions { MemoryLimitBytes = 16 << 20 });

    public void Dispose() => _store.Dispose();

    [Fact]
    public void Note_OtherNameOfTheSameChain_MarksNothing()
    {
        var table = new WatchTable(_store);
        var watch = table.Watch(_store, "watched"u8.ToArray());
        ulong chain = ChainOf(watch.Key, 0);
        byte[] neighbour = FindName(one => ChainOf(one, 0) == chain);

        _store.Set(neighbour, "1"u8);
        Assert.False(watch.IsTouched);
        _store.Set(watch.Key, "1"u8);
        Assert.True(watch.IsTouched);
        table.Unwatch([watch]);
    }

    [Fact]
    public void Note_SameNameOfAnotherKeyspaceInTheSameChain_MarksNothing()
    {
        var other = _store.SelectKeyspace(1);
        byte[] name = FindName(one => ChainOf(one, 0) == ChainOf(one, other.Keyspace));
        var table = new WatchTable(_store);
        var watch = table.Watch(_store, name);

        other.Set(name, "1"u8);
        Assert.False(watch.IsTouched);
        _store.Set(name, "1"u8);
        Assert.True(watch.IsTouched);
        table.Unwatch([watch]);
    }

    // The hash has a secret: some 65,000 attempts on average.
    private static byte[] FindName(Predicate<byte[]> isWanted)
    {
        for (int i = 0; ; i++)
        {
            byte[] name = Encoding.ASCII.GetBytes(i.ToString(CultureInfo.InvariantCulture));
            if (isWanted(name))
                return name;
        }
    }

    private static ulong ChainOf(byte[] key, int keyspace) => SampleHash.Of(key, keyspace) & ChainMask;
}
