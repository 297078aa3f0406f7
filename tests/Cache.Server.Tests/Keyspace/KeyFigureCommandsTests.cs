using Cache.Server.Commands.Dispatch;
using Cache.Server.Tests.Commands.Administration;

namespace Cache.Server.Tests.Keyspace;

public sealed class KeyFigureCommandsTests : MeasuringTestBase
{
    [Fact]
    public async Task Prefixes_AfterRequestsAndAPass_HasBoth()
    {
        Client.Run("SET user:eu:1 value EX 100");
        Client.Run("GET user:eu:1");
        Client.Run("GET user:eu:2");
        Client.Run("SET plain v");
        await SweepAsync();
        Assert.True(Server.Store.TryPeekInfo("user:eu:1"u8, out var info));

        string reply = Client.Run("CACHE PREFIXES BY KEYS");

        Assert.StartsWith("*2\r\n*20\r\n$6\r\nprefix\r\n$0\r\n\r\n", reply, StringComparison.Ordinal);
        string user = reply[reply.IndexOf("$8\r\nuser:eu:\r\n", StringComparison.Ordinal)..];
        Assert.StartsWith(
            $"$8\r\nuser:eu:\r\n$4\r\nkeys\r\n:1\r\n$4\r\nsize\r\n:{info.MemoryBytes}\r\n"
            + "$8\r\nexpiring\r\n:1\r\n$3\r\nttl\r\n:",
            user, StringComparison.Ordinal);
        Assert.EndsWith(
            "$5\r\nreads\r\n:2\r\n$4\r\nhits\r\n:1\r\n$6\r\nwrites\r\n:1\r\n$5\r\nbytes\r\n:10\r\n$3\r\nage\r\n:0\r\n",
            user, StringComparison.Ordinal);
    }

    [Theory]
    [InlineData("SIZE", "large:")]
    [InlineData("keys", "many:")]
    [InlineData("READS", "read:")]
    [InlineData("WRITES", "written:")]
    [InlineData("BYTES", "large:")]
    public async Task Prefixes_ByAnOrder_HasItsFirst(string order, string first)
    {
        Client.Call("SET", "large:1", new string('x', 5000));
        for (int i = 0; i < 5; i++)
            Client.Run($"SET many:{i} v");
        for (int i = 0; i < 9; i++)
        {
            Client.Run("SET written:1 v");
            Client.Run("GET read:1");
            Client.Run("GET read:1");
        }

        await SweepAsync();

        Assert.StartsWith(
            $"*1\r\n*20\r\n$6\r\nprefix\r\n${first.Length}\r\n{first}\r\n",
            Client.Run($"CACHE PREFIXES BY {order} COUNT 1"), StringComparison.Ordinal);
    }

    // A group of common requests is executed without the dispatcher.
    [Fact]
    public void Prefixes_GroupOfCommonRequests_HasItsHits()
    {
        TakeGroup(1, "GET", "SET", "GET", "GET");

        Assert.EndsWith(
            "$5\r\nreads\r\n:3\r\n$4\r\nhits\r\n:3\r\n$6\r\nwrites\r\n:1\r\n$5\r\nbytes\r\n:4\r\n$3\r\nage\r\n:-1\r\n",
            Client.Run("CACHE PREFIXES"), StringComparison.Ordinal);
    }

    [Fact]
    public async Task Prefixes_AnotherSeparator_AreThoseOfIt()
    {
        Client.Run("SET a-b-c:d:e v");
        await SweepAsync();
        Assert.Equal("+OK\r\n", Client.Run("CONFIG SET prefix-separator -"));
        Assert.Equal("*0\r\n", Client.Run("CACHE PREFIXES"));
        Client.Run("GET a-b-c:d:e");
        await SweepAsync();

        Assert.StartsWith(
            "*1\r\n*20\r\n$6\r\nprefix\r\n$4\r\na-b-\r\n$4\r\nkeys\r\n:1\r\n", Client.Run("CACHE PREFIXES"),
            StringComparison.Ordinal);
        Assert.Equal(
            "*2\r\n$16\r\nprefix-separator\r\n$1\r\n-\r\n", Client.Run("CONFIG GET prefix-separator"));
        Assert.StartsWith("-ERR", Client.Run("CONFIG SET prefix-separator --"), StringComparison.Ordinal);
        Assert.StartsWith("-ERR", Client.Call("CONFIG", "SET", "prefix-separator", " "), StringComparison.Ordinal);
        Assert.StartsWith("-ERR", Client.Call("CONFIG", "SET", "prefix-separator", ""), StringComparison.Ordinal);
    }

    [Fact]
    public void Prefixes_MoreThanAreToldApart_EndWithTheOthers()
    {
        for (int i = 0; i < 1000; i++)
            Client.Run($"GET part{i}:x");

        string reply = Client.Run("CACHE PREFIXES COUNT 3");

        Assert.StartsWith("*4\r\n", reply, StringComparison.Ordinal);
        Assert.Contains("$6\r\nprefix\r\n$8\r\n(others)\r\n", reply, StringComparison.Ordinal);
    }

    [Fact]
    public async Task TopKeys_BySize_HasTheLargest()
    {
        Assert.Equal("*0\r\n", Client.Run("CACHE TOPKEYS BY SIZE"));
        Client.Call("SET", "large", new string('x', 5000));
        Client.Run("SET small v");
        await SweepAsync();
        Assert.True(Server.Store.TryPeekInfo("large"u8, out var info));

        Assert.Equal(
            "*1\r\n*10\r\n$3\r\nkey\r\n$5\r\nlarge\r\n$2\r\ndb\r\n:0\r\n"
            + $"$4\r\nsize\r\n:{info.MemoryBytes}\r\n$6\r\nlength\r\n:5000\r\n$3\r\nage\r\n:0\r\n",
            Client.Run("CACHE TOPKEYS BY SIZE COUNT 1"));
    }

    [Theory]
    [InlineData("FLUSHALL")]
    [InlineData("FLUSHDB")]
    public async Task Flush_Keys_AreForgotten(string flush)
    {
        Client.Run("SET user:1 v");
        await SweepAsync();
        Assert.NotEqual("*0\r\n", Client.Run("CACHE TOPKEYS BY SIZE"));
        Client.Run(flush);

        Assert.Equal("*0\r\n", Client.Run("CACHE TOPKEYS BY SIZE"));
        await SweepAsync();
        Assert.Contains("$4\r\nkeys\r\n:0\r\n", Client.Run("CACHE PREFIXES"), StringComparison.Ordinal);
    }

    [Theory]
    [InlineData("CACHE PREFIXES COUNT", "-ERR syntax error\r\n")]
    [InlineData("CACHE PREFIXES BY name", "-ERR syntax error\r\n")]
    [InlineData("CACHE PREFIXES TOP 3", "-ERR syntax error\r\n")]
    [InlineData("CACHE PREFIXES COUNT 0", "-ERR COUNT must be between 1 and 256\r\n")]
    [InlineData("CACHE PREFIXES COUNT 257", "-ERR COUNT must be between 1 and 256\r\n")]
    [InlineData("CACHE TOPKEYS SIZE BY", "-ERR syntax error\r\n")]
    [InlineData("CACHE TOPKEYS BY SIZE COUNT 0", "-ERR COUNT must be between 1 and 1024\r\n")]
    [InlineData("CACHE TOPKEYS BY SIZE COUNT", "-ERR syntax error\r\n")]
    public void WrongArguments_AreAnError(string line, string error) => Assert.Equal(error, Client.Run(line));

    private async Task SweepAsync()
    {
        await using var sweep = new KeyspaceSweep(Server);
        while (sweep.Step() != KeyspaceSweep.Pause)
        {
        }
    }
}
