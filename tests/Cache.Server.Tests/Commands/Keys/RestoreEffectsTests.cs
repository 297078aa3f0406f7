namespace Cache.Server.Tests.Commands.Keys;

/// <summary>What other clients see of a RESTORE.</summary>
public sealed class RestoreEffectsTests : CommandTestBase
{
    [Theory]
    [InlineData("RPUSH s a b", "BLPOP k 0", "*2\r\n$1\r\nk\r\n$1\r\na\r\n")]
    [InlineData("ZADD s 1 a 2 b", "BZPOPMAX k 0", "*3\r\n$1\r\nk\r\n$1\r\nb\r\n$1\r\n2\r\n")]
    [InlineData(
        "XADD s 1-1 f v", "XREAD BLOCK 0 STREAMS k 0-0",
        "*1\r\n*2\r\n$1\r\nk\r\n*1\r\n*2\r\n$3\r\n1-1\r\n*2\r\n$1\r\nf\r\n$1\r\nv\r\n")]
    public void Restore_OfWhatAClientWaitsFor_ServesIt(string source, string command, string reply)
    {
        Client.Run(source);
        string payload = TestPayload.Of(Client.Call("DUMP", "s"));
        var waiting = Connect();
        Assert.Empty(waiting.Begin(command.Split(' ')));

        Assert.Equal("+OK\r\n", Client.Call("RESTORE", "k", "0", payload));

        Assert.Equal(reply, waiting.Receive());
    }

    [Fact]
    public void Restore_OfAWatchedKey_LetsExecDoNothing()
    {
        Client.Run("HSET s f v");
        string payload = TestPayload.Of(Client.Call("DUMP", "s"));
        var other = Connect();
        other.Run("WATCH k");
        Client.Call("RESTORE", "k", "0", payload);
        other.Run("MULTI");
        other.Run("PING");
        Assert.Equal("*-1\r\n", other.Run("EXEC"));

        other.Run("WATCH k");
        Client.Call("RESTORE", "k", "0", payload, "REPLACE");
        other.Run("MULTI");
        other.Run("PING");
        Assert.Equal("*-1\r\n", other.Run("EXEC"));
    }

    [Fact]
    public void Restore_OfAKeyThatATrackingClientRead_InvalidatesIt()
    {
        Client.Run("SET s v");
        string payload = TestPayload.Of(Client.Call("DUMP", "s"));
        var tracking = Connect();
        tracking.Run("HELLO 3");
        tracking.Run("CLIENT TRACKING ON");
        tracking.Run("GET k");

        Client.Call("RESTORE", "k", "0", payload);

        Assert.Equal(">2\r\n$10\r\ninvalidate\r\n*1\r\n$1\r\nk\r\n", tracking.Receive());
    }

    [Fact]
    public void Restore_InAnotherDatabase_IsOnlyThere()
    {
        Client.Run("SADD s a b 3");
        string payload = TestPayload.Of(Client.Call("DUMP", "s"));
        Client.Run("SELECT 3");
        Assert.Equal("$-1\r\n", Client.Call("DUMP", "s"));

        Assert.Equal("+OK\r\n", Client.Call("RESTORE", "k", "0", payload));

        Assert.Equal(":3\r\n", Client.Run("SCARD k"));
        Client.Run("SELECT 0");
        Assert.Equal(":0\r\n", Client.Run("EXISTS k"));
    }
}
