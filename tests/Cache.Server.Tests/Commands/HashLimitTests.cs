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
    public void HSet_OfALongName_IsReadByEachCommand()
    {
        string name = new('g', 5_000);
        Client.Run("HSET h f v");

        Assert.Equal(":2\r\n", Client.Run($"HSET h {name} 7 i w"));

        Assert.Equal("$1\r\n7\r\n", Client.Run($"HGET h {name}"));
        Assert.Equal(":8\r\n", Client.Run($"HINCRBY h {name} 1"));
        Assert.Equal("$3\r\n8.5\r\n", Client.Run($"HINCRBYFLOAT h {name} 0.5"));
        Assert.Equal(":0\r\n", Client.Run($"HSETNX h {name} 1"));
        Assert.Contains(name, Client.Run("HKEYS h"), StringComparison.Ordinal);
        Assert.Contains(name, Client.Run("HSCAN h 0"), StringComparison.Ordinal);
        Assert.Equal(":1\r\n", Client.Run($"HDEL h {name}"));
        Assert.Equal("$-1\r\n", Client.Run($"HGET h {name}"));
    }

    [Fact]
    public void LargeSets_OfLongMembers_AreReadByEachCommand()
    {
        string member = new('m', 5_000), other = member + "b";

        Assert.Equal(":2\r\n", Client.Run($"SADD s {member} {other}"));
        Assert.Equal(":1\r\n", Client.Run($"SISMEMBER s {other}"));
        Assert.Equal(":1\r\n", Client.Run($"SREM s {member}"));
        Assert.Equal($"$5001\r\n{other}\r\n", Client.Run("SRANDMEMBER s"));
        Assert.Equal($"$5001\r\n{other}\r\n", Client.Run("SPOP s"));

        Assert.Equal(":3\r\n", Client.Run($"ZADD z 1 {other} 1 {member} 2 zz"));
        Assert.Equal($"*2\r\n$5000\r\n{member}\r\n$5001\r\n{other}\r\n", Client.Run("ZRANGE z 0 1"));
        Assert.Equal(":1\r\n", Client.Run($"ZRANK z {other}"));
        Assert.Equal($"*1\r\n$5001\r\n{other}\r\n", Client.Run($"ZRANGEBYLEX z ({member} [{other}"));
        Assert.Equal($"*2\r\n$5000\r\n{member}\r\n$1\r\n1\r\n", Client.Run("ZPOPMIN z"));
    }

    [Theory]
    [InlineData(5_000)]
    [InlineData(100_000)]
    [InlineData(1 << 20)]
    public void HSet_OfALongValue_IsReadByEachCommand(int length)
    {
        string value = new('v', length);
        string reply = $"${length}\r\n{value}\r\n";

        Assert.Equal(":2\r\n", Client.Run($"HSET h a 1 data {value}"));

        Assert.Equal(reply, Client.Run("HGET h data"));
        Assert.Equal($"*2\r\n$1\r\n1\r\n{reply}", Client.Run("HMGET h a data"));
        Assert.Equal($":{length}\r\n", Client.Run("HSTRLEN h data"));
        Assert.Contains(reply, Client.Run("HGETALL h"), StringComparison.Ordinal);
        Assert.Contains(reply, Client.Run("HVALS h"), StringComparison.Ordinal);
        Assert.Contains(reply, Client.Run("HSCAN h 0"), StringComparison.Ordinal);
        Assert.Equal("-ERR hash value is not an integer\r\n", Client.Run("HINCRBY h data 1"));
        Assert.Equal("-ERR hash value is not a float\r\n", Client.Run("HINCRBYFLOAT h data 1"));
        Assert.Equal(":1\r\n", Client.Run("COPY h other"));
        Assert.Equal(":1\r\n", Client.Run("HDEL h data"));
        Assert.Equal(reply, Client.Run("HGET other data"));
    }
}
