using System.Globalization;
using System.Text;
using Cache.Core;
using Cache.Server.Commands.Keys;

namespace Cache.Server.Tests.Commands.Keys;

/// <summary>Walks over many keys, whose order Recorded/keys.tsv cannot show.</summary>
public sealed class ScanCommandsTests : CommandTestBase
{
    private const int KeyCount = 2500;

    [Theory]
    [InlineData(1)]
    [InlineData(10)]
    [InlineData(1000)]
    public void Scan_ManyKeys_GivesEachOfThisDatabase(int count)
    {
        Fill();
        Client.Run("SELECT 1");
        Client.Run("SET elsewhere x");
        Client.Run("SELECT 0");
        var keys = new HashSet<string>();
        string cursor = "0";
        int calls = 0;
        do
        {
            string[] reply = Client.Run($"SCAN {cursor} COUNT {count}").Split("\r\n");
            cursor = reply[2];
            int length = int.Parse(reply[3][1..], CultureInfo.InvariantCulture);
            for (int i = 0; i < length; i++)
                keys.Add(reply[5 + (i * 2)]);
            calls++;
        }
        while (cursor != "0");

        Assert.Equal(KeyCount, keys.Count);
        Assert.DoesNotContain("elsewhere", keys);
        Assert.InRange(calls, 2, KeyCount * 4);
    }

    [Theory]
    [InlineData("-1")]
    [InlineData("-2")]
    [InlineData("18446744073709551615")]
    [InlineData("17592186044416")]
    public void Scan_CursorBehindAll_IsAtTheEnd(string cursor)
    {
        Fill();

        Assert.Equal("*2\r\n$1\r\n0\r\n*0\r\n", Client.Run($"SCAN {cursor} COUNT 100000"));
    }

    [Fact]
    public void Keys_ManyKeys_GivesThoseThatMatch()
    {
        Fill();

        Assert.StartsWith("*2500\r\n", Client.Run("KEYS *"), StringComparison.Ordinal);
        Assert.StartsWith("*100\r\n", Client.Run("KEYS key:12??"), StringComparison.Ordinal);
        Assert.Equal("*0\r\n", Client.Run("KEYS key"));
    }

    [Fact]
    public void RandomKey_ManyKeys_GivesDifferentOnes()
    {
        Fill();
        var keys = new HashSet<string>();
        for (int i = 0; i < 100; i++)
            keys.Add(Client.Run("RANDOMKEY"));

        Assert.InRange(keys.Count, 10, 100);
        Assert.All(keys, key => Assert.Contains("\r\nkey:", key, StringComparison.Ordinal));
    }

    [Fact]
    public void MGet_LargeAndSmallValues_GivesAllInOrder()
    {
        int[] lengths = [0, 1, 4090, 4096, 300_000, 7, 262_144, 100];
        for (int i = 0; i < lengths.Length; i++)
            Client.Call("SET", $"key:{i}", new string((char)('a' + i), lengths[i]));
        string expected = $"*{lengths.Length + 1}\r\n";
        for (int i = 0; i < lengths.Length; i++)
            expected += $"${lengths[i]}\r\n{new string((char)('a' + i), lengths[i])}\r\n";

        string[] keys = [.. Enumerable.Range(0, lengths.Length).Select(i => $"key:{i}")];
        Assert.Equal(expected + "$-1\r\n", Client.Call(["MGET", .. keys, "absent"]));
        Assert.Equal(expected + "$-1\r\n", Client.Call(["MGET", .. keys, "absent"]));
    }

    // What is over the limit already is not to be copied another million times.
    [Fact]
    public void MGet_RepliesOverTheLimit_ReadsNoMoreValues()
    {
        Server.Settings.ClientOutputBufferLimit = 1 << 20;
        Client.Call("SET", "key", new string('x', 100_000));
        long hits = Server.Store.GetStatistics().Hits;

        Assert.Equal(
            "-ERR the reply is longer than client-output-buffer-limit\r\n",
            Client.Call(["MGET", .. Enumerable.Repeat("key", 10_000)]));

        Assert.InRange(Server.Store.GetStatistics().Hits - hits, 10, 12);
    }

    // One key may take 2 ms, so that a hundred thousand would take minutes.
    [Theory]
    [InlineData("*", 'a', 1500)]
    [InlineData("[", 'a', 1_100_000)]
    [InlineData("*", '*', 1_100_000)]
    public void Scan_PatternMadeToBeSlow_EndsEarlyAndGoesOn(string start, char filling, int length)
    {
        for (int i = 0; i < 24; i++)
            Client.Call("SET", new string('a', 3000) + i.ToString(CultureInfo.InvariantCulture), "x");
        string pattern = start + new string(filling, length) + "b";
        string cursor = "0";
        int calls = 0;
        do
        {
            cursor = Client.Call("SCAN", cursor, "MATCH", pattern, "COUNT", "100000").Split("\r\n")[2];
            calls++;
        }
        while (cursor != "0");

        Assert.InRange(calls, 2, 20);
    }

    // Hundreds of megabytes would otherwise be copied for a byte, into an array that the pool keeps.
    [Fact]
    public void GetRange_EndBeforeTheFirstByte_CopiesThatByteAlone()
    {
        Client.Call("SET", "key", new string('x', 3_000_000));
        long before = GC.GetAllocatedBytesForCurrentThread();

        Assert.Equal("$1\r\nx\r\n", Client.Run("GETRANGE key 0 -4000000"));

        Assert.InRange(GC.GetAllocatedBytesForCurrentThread() - before, 0, 1_000_000);
    }

    private void Fill()
    {
        for (int i = 0; i < KeyCount; i++)
            Client.Run($"SET key:{i} value");
    }

    // Another reply would leave the memory of those that were gathered to the collector.
    [Fact]
    public void Keys_ClearedBetweenTwoSteps_RepliesWithThoseThatWereGatheredAndGivesThemBack()
    {
        const int Keys = 10_000;
        using var store = new CacheStore(new CacheOptions { MemoryLimitBytes = 16 << 20 }, new PassingTime());
        for (int i = 0; i < Keys; i++)
            store.Set(Encoding.ASCII.GetBytes($"key:{i}"), "v"u8);
        var client = new CommandClient(store);
        client.Context.SharesThread = false;
        client.Context.IsElsewhere = true;
        Assert.Empty(client.Call("KEYS", "*"));
        var gathered = Assert.IsType<KeysProgress>(client.Context.Progress);
        int count = gathered.Keys.Count;
        Assert.InRange(count, 1, Keys - 1);

        store.Clear();
        client.Context.Stay();
        string reply = client.Call("KEYS", "*");

        Assert.StartsWith($"*{count}\r\n", reply, StringComparison.Ordinal);
        Assert.Equal(0, gathered.MemoryBytes);
    }

    // Each look at it is longer than a step of KEYS.
    private sealed class PassingTime : TimeProvider
    {
        private long _ticks;

        public override long TimestampFrequency => TimeSpan.TicksPerSecond;

        public override long GetTimestamp() => Interlocked.Add(ref _ticks, 11 * TimeSpan.TicksPerMillisecond);
    }
}
