using System.Globalization;
using Cache.Core;
using Cache.Server.Commands;
using Cache.Testing;

namespace Cache.Server.Tests.Commands.Keys;

/// <summary>Expiry while time goes on, which Recorded/*.tsv cannot show.</summary>
public sealed class ExpiryCommandsTests : IDisposable
{
    private readonly FakeTimeProvider _time = new();
    private readonly CacheStore _store;
    private readonly CommandClient _client;

    public ExpiryCommandsTests()
    {
        _store = new CacheStore(new CacheOptions { MemoryLimitBytes = 16 << 20, ShardCount = 2 }, _time);
        _client = new CommandClient(TestServerState.Create(_store));
    }

    public void Dispose() => _store.Dispose();

    [Theory]
    [InlineData(0, ":100\r\n", ":100000\r\n")]
    [InlineData(500, ":100\r\n", ":99500\r\n")]
    [InlineData(501, ":99\r\n", ":99499\r\n")]
    [InlineData(99_500, ":1\r\n", ":500\r\n")]
    [InlineData(99_501, ":0\r\n", ":499\r\n")]
    [InlineData(99_999, ":0\r\n", ":1\r\n")]
    [InlineData(100_000, ":-2\r\n", ":-2\r\n")]
    public void Ttl_AfterAWhile_IsRoundedAsRedis(int milliseconds, string ttl, string pttl)
    {
        _client.Run("SET key value EX 100");
        _time.Advance(milliseconds);

        Assert.Equal(ttl, _client.Run("TTL key"));
        Assert.Equal(pttl, _client.Run("PTTL key"));
    }

    [Theory]
    [InlineData("SET key value PXAT", -3_650)]
    [InlineData("SET key value PXAT", 3_650)]
    [InlineData("GETEX key PXAT", 3_650)]
    [InlineData("PEXPIREAT key", -3_650)]
    [InlineData("PEXPIREAT key", 3_650)]
    public void Execute_AMomentOfTheWallClockAfterItWasSet_EndsThen(string command, int days)
    {
        _time.JumpWallClock(TimeSpan.FromDays(days));
        long unixMs = _time.GetUtcNow().ToUnixTimeMilliseconds() + 1_500;
        _client.Run("SET key value");

        _client.Run(string.Create(CultureInfo.InvariantCulture, $"{command} {unixMs}"));

        Assert.Equal(string.Create(CultureInfo.InvariantCulture, $":{unixMs}\r\n"), _client.Run("PEXPIRETIME key"));
        Assert.Equal(":1500\r\n", _client.Run("PTTL key"));
        _time.Advance(1_499);
        Assert.Equal(":1\r\n", _client.Run("EXISTS key"));
        _time.Advance(1);
        Assert.Equal(":0\r\n", _client.Run("EXISTS key"));
    }

    [Theory]
    [InlineData("SET key value PXAT", "PX")]
    [InlineData("GETEX key PXAT", "PX")]
    [InlineData("PEXPIREAT key", "PX")]
    public void Execute_TheWallClockIsSetAfterwards_MomentsFollowItAndIntervalsDoNot(string command, string interval)
    {
        long unixMs = _time.GetUtcNow().ToUnixTimeMilliseconds() + 100_000;
        _client.Run("SET key value");
        _client.Run(string.Create(CultureInfo.InvariantCulture, $"{command} {unixMs}"));
        _client.Run($"SET other value {interval} 100000");

        _time.JumpWallClock(TimeSpan.FromSeconds(99));

        Assert.Equal(string.Create(CultureInfo.InvariantCulture, $":{unixMs}\r\n"), _client.Run("PEXPIRETIME key"));
        Assert.Equal(":1000\r\n", _client.Run("PTTL key"));
        Assert.Equal(":100000\r\n", _client.Run("PTTL other"));
        _time.Advance(1_000);
        Assert.Equal(":0\r\n", _client.Run("EXISTS key"));
        Assert.Equal(":1\r\n", _client.Run("EXISTS other"));
    }

    [Theory]
    [InlineData("SET key value PX 1500")]
    [InlineData("PSETEX key 1500 value")]
    [InlineData("GETEX key PX 1500")]
    [InlineData("PEXPIRE key 1500")]
    [InlineData("PEXPIREAT key 1767225601500")]
    [InlineData("SET key value PXAT 1767225601500")]
    public void Execute_Expiry_EndsAtItsMillisecond(string command)
    {
        _client.Run("SET key value");
        _client.Run(command);
        Assert.Equal(":1767225601500\r\n", _client.Run("PEXPIRETIME key"));

        _time.Advance(1499);
        Assert.Equal("$5\r\nvalue\r\n", _client.Run("GET key"));
        _time.Advance(1);
        Assert.Equal("$-1\r\n", _client.Run("GET key"));
        Assert.Equal(":0\r\n", _client.Run("EXISTS key"));
    }

    [Theory]
    [InlineData("APPEND key more")]
    [InlineData("SETRANGE key 1 x")]
    [InlineData("SET key other KEEPTTL")]
    [InlineData("RENAME key other")]
    [InlineData("COPY key other")]
    [InlineData("GETEX key")]
    public void Execute_WriteThatKeepsTheExpiry_DoesNotProlongIt(string command)
    {
        _client.Run("SET key value EX 10");
        _time.Advance(4000);
        _client.Run(command);
        _time.Advance(6000);

        Assert.Equal("*2\r\n$-1\r\n$-1\r\n", _client.Run("MGET key other"));
    }

    [Theory]
    [InlineData("SETNX key value", ":1\r\n")]
    [InlineData("SET key value NX", "+OK\r\n")]
    [InlineData("SET key value XX", "$-1\r\n")]
    [InlineData("SET key value GET", "$-1\r\n")]
    [InlineData("INCR key", ":1\r\n")]
    [InlineData("APPEND key more", ":4\r\n")]
    [InlineData("GETDEL key", "$-1\r\n")]
    [InlineData("PERSIST key", ":0\r\n")]
    [InlineData("EXPIRE key 10", ":0\r\n")]
    [InlineData("RENAME key other", "-ERR no such key\r\n")]
    [InlineData("KEYS *", "*0\r\n")]
    [InlineData("SCAN 0", "*2\r\n$1\r\n0\r\n*0\r\n")]
    [InlineData("RANDOMKEY", "$-1\r\n")]
    [InlineData("DEL key", ":0\r\n")]
    public void Execute_ExpiredKey_IsNoMore(string command, string reply)
    {
        _client.Run("SET key 5 PX 1");
        _time.Advance(1);

        Assert.Equal(reply, _client.Run(command));
    }

    // Recorded from redis-server 7.0.15.
    [Theory]
    [InlineData("EXPIRETIME key", ":9223372036854776\r\n")]
    [InlineData("PEXPIRETIME key", ":9223372036854775807\r\n")]
    [InlineData("PEXPIREAT key 9223372036854775807 LT", ":0\r\n")]
    [InlineData("PEXPIREAT key 9223372036854775806 LT", ":1\r\n")]
    public void Execute_LastMomentThereIs_IsLikeAnyOther(string command, string reply)
    {
        _client.Run("SET key value");
        Assert.Equal(":1\r\n", _client.Run("PEXPIREAT key 9223372036854775807 LT"));

        Assert.Equal(reply, _client.Run(command));
    }

    [Fact]
    public void Ttl_SlidingEntryOfAnotherDoor_IsToldButNotRenewed()
    {
        _store.Set("key"u8, "value"u8, new EntryOptions { SlidingMs = 10_000 });
        _time.Advance(4000);
        foreach (string command in new[] { "TTL key", "EXISTS key", "TYPE key", "KEYS *", "EXPIRETIME key" })
            _client.Run(command);
        Assert.Equal(":6\r\n", _client.Run("TTL key"));

        _client.Run("GET key");
        Assert.Equal(":10\r\n", _client.Run("TTL key"));
        _client.Run("PERSIST key");
        Assert.Equal(":-1\r\n", _client.Run("TTL key"));
    }
}
