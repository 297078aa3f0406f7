namespace Cache.Server.Tests.Commands;

/// <summary>What bounds hashes and the replies of their commands.</summary>
public sealed class HashLimitTests : CommandTestBase
{
    [Fact]
    public void HMGet_OfOneLongFieldManyTimes_IsRefusedLikeMGet()
    {
        Server.Settings.ClientOutputBufferLimit = 1 << 20;
        Client.Run($"HSET h f {new string('v', 3_900)}");

        string reply = Client.Run("HMGET h" + string.Concat(Enumerable.Repeat(" f", 20_000)));

        Assert.Equal("-ERR the reply is longer than client-output-buffer-limit\r\n", reply);
        Assert.Equal("+PONG\r\n", Client.Run("PING"));
    }

    // Beyond those that are written at once.
    [Fact]
    public void HMGet_OfManyFields_RepliesInTheirOrder()
    {
        Client.Run("HSET h f v g w");
        string expected = "*40\r\n" + string.Concat(Enumerable.Repeat("$1\r\nv\r\n$-1\r\n", 20));

        Assert.Equal(expected, Client.Run("HMGET h" + string.Concat(Enumerable.Repeat(" f absent", 20))));
        Client.Run("SET s v");
        Assert.StartsWith("-WRONGTYPE ", Client.Run("HMGET s" + string.Concat(Enumerable.Repeat(" f", 40))));
    }

    [Fact]
    public void HSet_OfAFieldThatIsTooLongForALargeHash_SaysSoAndChangesNothing()
    {
        Client.Run("HSET h f v");

        string reply = Client.Run($"HSET h g {new string('v', 5_000)} i w");

        Assert.Equal("-OOM a collection of more than 4096 bytes in all is not supported by this server\r\n", reply);
        Assert.Equal(":1\r\n", Client.Run("HLEN h"));
    }
}
