using Cache.Server.Tests.Commands;
using Cache.Server.Tests.Commands.Administration;
namespace Cache.Server.Tests.Keyspace;

public sealed class HotKeyCommandsTests : MeasuringTestBase
{
    // One request in a second at least, since the server has just started.
    [Fact]
    public void Get_AfterRequests_HasTheirKeysByFrequency()
    {
        for (int i = 0; i < 5; i++)
            Client.Run("INCR often");
        Client.Run("SELECT 2");
        Client.Run("MGET some some other");

        Assert.Equal(
            "*3\r\n*6\r\n$3\r\nkey\r\n$5\r\noften\r\n$2\r\ndb\r\n:0\r\n$3\r\nqps\r\n:5\r\n"
            + "*6\r\n$3\r\nkey\r\n$4\r\nsome\r\n$2\r\ndb\r\n:2\r\n$3\r\nqps\r\n:2\r\n"
            + "*6\r\n$3\r\nkey\r\n$5\r\nother\r\n$2\r\ndb\r\n:2\r\n$3\r\nqps\r\n:1\r\n",
            Client.Run("HOTKEYS GET"));
        Assert.StartsWith(
            "*1\r\n*6\r\n$3\r\nkey\r\n$5\r\noften\r\n", Client.Run("HOTKEYS GET COUNT 1"), StringComparison.Ordinal);
    }

    [Fact]
    public void Get_InResp3_HasMaps()
    {
        Client.Run("HELLO 3");
        Client.Run("GET k");

        Assert.StartsWith("*1\r\n%3\r\n$3\r\nkey\r\n", Client.Run("HOTKEYS GET"), StringComparison.Ordinal);
    }

    [Fact]
    public void Get_GroupOfCommonRequests_HasEachOfThem()
    {
        TakeGroup(1, "GET", "SET", "GET", "GET");

        Assert.EndsWith(
            "$3\r\nkey\r\n$1\r\nk\r\n$2\r\ndb\r\n:0\r\n$3\r\nqps\r\n:4\r\n", Client.Run("HOTKEYS GET"),
            StringComparison.Ordinal);
        Assert.Equal(1, Server.Statistics.GetHotKeys(Clock.GetTimestamp()).Single().WritesPerSecond);
    }

    // Once requests are many, single ones of the groups are sampled.
    [Fact]
    public void Get_ManyGroups_HasTheirRate()
    {
        const int Groups = 8000;
        string[] group = [.. Enumerable.Repeat("GET", 30)];
        var start = Clock.Now;
        for (int i = 0; i < Groups; i++)
            TakeGroup(1, group);
        double seconds = (Clock.Now - start).TotalSeconds;

        var key = Assert.Single(Server.Statistics.GetHotKeys(Clock.GetTimestamp()));

        Assert.InRange(key.ReadsPerSecond, 0.85 * 30 * Groups / seconds, 1.15 * 30 * Groups / seconds);
    }

    [Fact]
    public void Get_KeysOfSeveralContexts_AreAddedUp()
    {
        var other = new CommandClient(Server);
        Client.Run("GET k");
        other.Run("GET k");

        Assert.Contains(
            "$1\r\nk\r\n$2\r\ndb\r\n:0\r\n$3\r\nqps\r\n:2\r\n", Client.Run("HOTKEYS GET"),
            StringComparison.Ordinal);
    }

    [Fact]
    public void Reset_AfterRequests_ForgetsTheirKeys()
    {
        Client.Run("GET k");

        Assert.Equal("+OK\r\n", Client.Run("HOTKEYS RESET"));
        Assert.Equal("*0\r\n", Client.Run("HOTKEYS GET"));
    }

    [Theory]
    [InlineData("HOTKEYS GET COUNT", "-ERR syntax error\r\n")]
    [InlineData("HOTKEYS GET TOP 3", "-ERR syntax error\r\n")]
    [InlineData("HOTKEYS GET COUNT 0", "-ERR COUNT must be between 1 and 1024\r\n")]
    [InlineData("HOTKEYS GET COUNT x", "-ERR COUNT must be between 1 and 1024\r\n")]
    [InlineData("HOTKEYS GET COUNT 1025", "-ERR COUNT must be between 1 and 1024\r\n")]
    public void Get_WrongArguments_IsAnError(string line, string error) => Assert.Equal(error, Client.Run(line));
}
