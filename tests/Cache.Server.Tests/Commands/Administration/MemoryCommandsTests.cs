using System.Globalization;
using Cache.Core;

namespace Cache.Server.Tests.Commands.Administration;

public sealed class MemoryCommandsTests : CommandTestBase
{
    [Fact]
    public void Usage_OfAKey_IsItsRecordAndSlot()
    {
        Client.Run("SET k 12345");
        Client.Call("SET", "long", new string('x', 1 << 20));

        Assert.Equal(":24\r\n", Client.Run("MEMORY USAGE k")); // A header of 8 bytes, 6 of key and value, the slot.
        Assert.Equal(":24\r\n", Client.Run("MEMORY USAGE k SAMPLES 5"));
        long ofLong = long.Parse(Client.Run("MEMORY USAGE long")[1..^2], CultureInfo.InvariantCulture);
        Assert.InRange(ofLong, 1 << 20, (1 << 20) * 9 / 8);
        Assert.Equal("$-1\r\n", Client.Run("MEMORY USAGE absent"));
    }

    [Theory]
    [InlineData("MEMORY USAGE k SAMPLES", "-ERR syntax error\r\n")]
    [InlineData("MEMORY USAGE k SAMPLES -1", "-ERR syntax error\r\n")]
    [InlineData("MEMORY USAGE k SAMPLES x", "-ERR value is not an integer or out of range\r\n")]
    [InlineData("MEMORY USAGE k OTHER 1", "-ERR syntax error\r\n")]
    [InlineData("MEMORY PURGE", "+OK\r\n")]
    public void Memory_Line_RepliesAsRedis(string line, string reply) => Assert.Equal(reply, Client.Run(line));

    [Fact]
    public void Stats_Names_AreThoseOfRedis()
    {
        string reply = Client.Run("MEMORY STATS");

        Assert.StartsWith("*54\r\n$14\r\npeak.allocated\r\n:", reply, StringComparison.Ordinal);
        Assert.Contains("$10\r\nkeys.count\r\n:0\r\n", reply, StringComparison.Ordinal);
        Client.Run("HELLO 3");
        Client.Run("SET k v");
        reply = Client.Run("MEMORY STATS");
        Assert.StartsWith("%27\r\n", reply, StringComparison.Ordinal);
        Assert.Contains("$10\r\nkeys.count\r\n:1\r\n", reply, StringComparison.Ordinal);
        Assert.Contains("$18\r\ndataset.percentage\r\n,", reply, StringComparison.Ordinal);
    }

    [Fact]
    public void Doctor_ByWhatIsUsed_SaysWhatIsUnusual()
    {
        Assert.Contains("too little to judge", Client.Run("MEMORY DOCTOR"), StringComparison.Ordinal);
        for (int i = 0; i < 12; i++)
            Client.Call("SET", "k" + i, new string('x', 1_000_000));
        for (int i = 0; i < 6; i++)
            Client.Run("DEL k" + i);

        Assert.Contains("The peak was", Client.Run("MEMORY DOCTOR"), StringComparison.Ordinal);
    }

    [Fact]
    public void MallocStats_HasStoreAndRuntime()
    {
        Client.Run("SET k v");

        string reply = Client.Run("MEMORY MALLOC-STATS");

        Assert.Contains(", 1 entries\n", reply, StringComparison.Ordinal);
        Assert.Contains("runtime: heap ", reply, StringComparison.Ordinal);
    }

    [Fact]
    public void MemoryBytes_OfAnEntry_IsWhatALongValueTakes()
    {
        var store = Server.Store;
        Assert.False(store.TryPeekInfo("k"u8, out var info));
        Assert.Equal(0, info.MemoryBytes);
        store.Set("k"u8, new byte[100_000]);
        store.TryGetInfo("k"u8, out info);

        Assert.InRange(info.MemoryBytes, 100_000, 100_000 * 9 / 8);
        store.Copy("k"u8, store, "other"u8, SetCondition.Always);
        store.TryPeekInfo("other"u8, out var copied);
        Assert.Equal(info.MemoryBytes, copied.MemoryBytes, tolerance: 16);
    }
}
