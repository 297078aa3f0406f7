using Cache.Core;
using Cache.Server.Tests.Commands;
using Cache.Server.Waits;
using Cache.Testing;

namespace Cache.Server.Tests.Waits;

/// <summary>
/// Clients that ask for an element after it came, and before those who waited for it are served; and those that wait
/// behind a client that was woken.
/// </summary>
public sealed class LaterClientTests : IDisposable
{
    // Its clock stands still: otherwise the sweep of the store might serve the waiting clients before.
    private readonly CacheStore _store = new(new CacheOptions { MemoryLimitBytes = 8 << 20 }, new FakeTimeProvider());

    [Theory]
    [InlineData("BLPOP k 0", "RPUSH k a", "*2\r\n$1\r\nk\r\n$1\r\na\r\n")]
    [InlineData("BLPOP other k 0", "RPUSH k a", "*2\r\n$1\r\nk\r\n$1\r\na\r\n")]
    [InlineData("BLMOVE k to LEFT LEFT 0", "RPUSH k a", "$1\r\na\r\n")]
    [InlineData("BRPOPLPUSH k to 0", "RPUSH k a", "$1\r\na\r\n")]
    [InlineData("BLMPOP 0 2 other k LEFT", "RPUSH k a", "*2\r\n$1\r\nk\r\n*1\r\n$1\r\na\r\n")]
    [InlineData("BZPOPMIN k 0", "ZADD k 1 a", "*3\r\n$1\r\nk\r\n$1\r\na\r\n$1\r\n1\r\n")]
    public void LaterClient_WhileTheEarlierOneIsNotServedYet_WaitsBehindIt(string command, string write, string reply)
    {
        var earlier = new CommandClient(_store);
        var later = new CommandClient(earlier.Server);
        var writer = new CommandClient(earlier.Server);
        Assert.Empty(earlier.Begin(command.Split(' ')));

        Assert.True(WaitTable.TryHold());
        writer.Run(write);
        Assert.Empty(later.Begin(command.Split(' ')));
        earlier.Server.Waits.Unhold();

        Assert.Equal(reply, earlier.Receive());
        Assert.Empty(later.Receive());
        writer.Run(write);
        Assert.Equal(reply, later.Receive());
    }

    // An element so long that its client takes it itself; by then there is one in a key that it prefers.
    [Fact]
    public void LaterClient_WhereTheWokenOneTakesFromAnotherKey_HasWhatThatOneLeft()
    {
        string element = new('e', 100_000);
        var woken = new CommandClient(_store);
        var later = new CommandClient(woken.Server);
        var writer = new CommandClient(woken.Server);
        Assert.Empty(woken.Begin("BLPOP", "first", "k", "0"));
        Assert.Empty(later.Begin("BLPOP", "k", "0"));

        Assert.True(WaitTable.TryHold());
        writer.Call("RPUSH", "k", element);
        woken.Server.Waits.Unhold();
        writer.Run("RPUSH first a");

        Assert.Equal("*2\r\n$5\r\nfirst\r\n$1\r\na\r\n", woken.Receive());
        Assert.True(SpinWait.SpinUntil(() => woken.Server.Waits.IsIdle, TimeSpan.FromSeconds(60)));
        Assert.Equal($"*2\r\n$1\r\nk\r\n$100000\r\n{element}\r\n", later.Receive());
    }

    public void Dispose() => _store.Dispose();
}
