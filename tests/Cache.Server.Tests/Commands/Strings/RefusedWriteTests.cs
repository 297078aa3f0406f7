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
