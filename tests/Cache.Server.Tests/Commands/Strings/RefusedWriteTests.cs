using Cache.Core;
using Cache.Server.Commands;
using Cache.Testing;

namespace Cache.Server.Tests.Commands.Strings;

/// <summary>Writes that the store refuses: each is one error, and changes nothing.</summary>
public sealed class RefusedWriteTests : IDisposable
{
    private const string OutOfMemory = "-OOM command not allowed when used memory > 'maxmemory'.\r\n";
    private const string TooLong = "-ERR string exceeds maximum allowed size (proto-max-bulk-len)\r\n";
    private const string KeyTooLong = "-ERR key exceeds maximum allowed size (65535 bytes)\r\n";

    // Room for one large value, but not for two.
    private const int LargeLength = 10 << 20;

    private readonly CacheStore _store = new(new CacheOptions
    {
        MemoryLimitBytes = 16 << 20,
        Eviction = EvictionPolicy.None,
        ValueLengthMax = LargeLength,
    });

    private readonly CommandClient _client;

    public RefusedWriteTests() => _client = new CommandClient(TestServerState.Create(_store));

    public void Dispose() => _store.Dispose();

    [Theory]
    [InlineData("SET")]
    [InlineData("SET GET")]
    [InlineData("GETSET")]
    [InlineData("SETNX")]
    [InlineData("MSET")]
    [InlineData("MSETNX")]
    public void Execute_NoMemoryLeft_IsRefusedAndReadsGoOn(string command)
    {
        string large = new('x', LargeLength);
        Assert.Equal("+OK\r\n", _client.Call("SET", "large", large));
        Assert.Equal("+OK\r\n", _client.Run("SET key value"));
        string[] words = command.Split(' ');
        string key = words[0] is "SETNX" or "MSETNX" ? "new" : "key";

        Assert.Equal(OutOfMemory, _client.Call([words[0], key, large, .. words[1..]]));
        Assert.Equal("$5\r\nvalue\r\n", _client.Run("GET key"));
        Assert.Equal($":{LargeLength}\r\n", _client.Run("STRLEN large"));
        Assert.Equal(":0\r\n", _client.Run("EXISTS new"));
    }

    // As Redis: better nothing than a part, and reads are refused there too.
    [Fact]
    public void Multi_WithoutMemory_RefusesWhatItWouldQueue()
    {
        Assert.Equal("+OK\r\n", _client.Call("SET", "large", new string('x', LargeLength)));
        _client.Run("MULTI");
        Assert.Equal("+QUEUED\r\n", _client.Run("SET small 1"));

        Assert.Equal(OutOfMemory, _client.Call("SET", "key", new string('x', LargeLength)));

        Assert.Equal("-EXECABORT Transaction discarded because of previous errors.\r\n", _client.Run("EXEC"));
        Assert.Equal(":0\r\n", _client.Run("EXISTS small key"));
        _client.Run("MULTI");
        Assert.Equal("+QUEUED\r\n", _client.Run("SET small 1"));
        Assert.Equal("*1\r\n+OK\r\n", _client.Run("EXEC"));
    }

    [Fact]
    public void Exec_WhenMemoryWasUsedUpMeanwhile_ExecutesNothing()
    {
        const string Aborted = "-EXECABORT Transaction discarded because of: OOM command not allowed when used "
            + "memory > 'maxmemory'.\r\n";
        _client.Run("MULTI");
        Assert.Equal("+QUEUED\r\n", _client.Run("SET small 1"));
        var other = new CommandClient(_client.Server);
        foreach (int length in (int[])[50_000, 100])
        {
            for (int i = 0; other.Call("SET", $"{(length > 100 ? "" : "s")}{i}", new string('x', length)) == "+OK\r\n";)
                i++;
        }

        Assert.Equal(OutOfMemory, _client.Run("GET 1"));
        Assert.Equal(Aborted, _client.Run("EXEC"));
        Assert.Equal(":0\r\n", _client.Run("EXISTS small"));
        _client.Run("MULTI");
        Assert.Equal(OutOfMemory, _client.Run("DEL 1"));
        Assert.Equal("+OK\r\n", _client.Run("DISCARD"));
        for (int i = 0; i < 100; i++)
            Assert.Equal(":1\r\n", _client.Run($"DEL {i}"));
        _client.Run("MULTI");
        Assert.Equal("+QUEUED\r\n", _client.Run("SET small 1"));
        Assert.Equal("*1\r\n+OK\r\n", _client.Run("EXEC"));
    }

    [Fact]
    public void Execute_GrowWithoutMemory_IsRefused()
    {
        _client.Call("SET", "large", new string('x', LargeLength));

        // A copy shares a large value's bytes until one of the two is written.
        Assert.Equal(":1\r\n", _client.Run("COPY large copy"));
        Assert.Equal(OutOfMemory, _client.Run("SETRANGE copy 0 y"));
        Assert.Equal("$1\r\nx\r\n", _client.Run("GETRANGE copy 0 0"));
        Assert.Equal(OutOfMemory, _client.Run($"SETRANGE other {LargeLength - 1} x"));
        Assert.Equal(":0\r\n", _client.Run("EXISTS other"));
    }

    [Fact]
    public void Execute_ValueLongerThanTheStoreTakes_IsRefused()
    {
        string large = new('x', LargeLength + 1);
        _client.Run("SET key value");

        Assert.Equal(TooLong, _client.Call("SET", "key", large));
        Assert.Equal(TooLong, _client.Call("SET", "key", large, "GET"));
        Assert.Equal(TooLong, _client.Call("MSET", "other", "1", "key", large));
        Assert.Equal(TooLong, _client.Call("APPEND", "key", large));
        Assert.Equal(TooLong, _client.Run($"SETRANGE key {LargeLength} x"));
        Assert.Equal("*2\r\n$5\r\nvalue\r\n$-1\r\n", _client.Run("MGET key other"));
    }

    [Fact]
    public void Execute_ValueLongerThanProtoMaxBulkLen_IsRefused()
    {
        const int LengthMax = 1 << 20;
        _client.Run("CONFIG SET proto-max-bulk-len 1mb");
        _client.Run("SET key value");

        Assert.Equal(TooLong, _client.Run($"SETRANGE key {LengthMax} x"));
        Assert.Equal(TooLong, _client.Run($"SETRANGE none {LengthMax - 1} xx"));
        Assert.Equal(TooLong, _client.Call("APPEND", "key", new string('x', LengthMax - 4)));
        Assert.Equal("*2\r\n$5\r\nvalue\r\n$-1\r\n", _client.Run("MGET key none"));
        Assert.Equal($":{LengthMax}\r\n", _client.Call("APPEND", "key", new string('x', LengthMax - 5)));
        Assert.Equal($":{LengthMax}\r\n", _client.Run($"SETRANGE other {LengthMax - 1} x"));
        Assert.Equal(TooLong, _client.Run("APPEND key x"));
    }

    [Fact]
    public void Execute_KeyLongerThanTheStoreTakes_IsRefusedOrMissing()
    {
        string key = new('k', CacheStore.KeyLengthMax + 1);
        _client.Run("SET short 1");

        Assert.Equal(KeyTooLong, _client.Call("SET", key, "value"));
        Assert.Equal(KeyTooLong, _client.Call("SET", key, "value", "GET", "EX", "10"));
        Assert.Equal(KeyTooLong, _client.Call("MSET", "other", "1", key, "2"));
        Assert.Equal(KeyTooLong, _client.Call("INCR", key));
        Assert.Equal(KeyTooLong, _client.Call("INCRBYFLOAT", key, "1"));
        Assert.Equal(KeyTooLong, _client.Call("APPEND", key, "x"));
        Assert.Equal(KeyTooLong, _client.Call("SETRANGE", key, "0", "x"));
        Assert.Equal(KeyTooLong, _client.Call("RENAME", "short", key));
        Assert.Equal(KeyTooLong, _client.Call("COPY", "short", key));
        Assert.Equal("$-1\r\n", _client.Call("GET", key));
        Assert.Equal(":-2\r\n", _client.Call("TTL", key));
        Assert.Equal("*1\r\n$5\r\nshort\r\n", _client.Run("KEYS *"));
    }
}
