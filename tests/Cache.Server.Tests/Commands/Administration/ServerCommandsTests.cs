using Cache.Core;
using Cache.Server.Statistics;
using Cache.Testing;

namespace Cache.Server.Tests.Commands.Administration;

public sealed class ServerCommandsTests
{
    [Fact]
    public void Time_FakeClock_TellsSecondsAndMicroseconds()
    {
        var time = new FakeTimeProvider();
        using var store = new CacheStore(new CacheOptions { MemoryLimitBytes = 1 << 20 }, time);
        var client = new CommandClient(store);
        time.Advance(TimeSpan.FromMicroseconds(1_000_007));

        long microseconds = (time.GetUtcNow() - DateTimeOffset.UnixEpoch).Ticks / 10;
        string seconds = (microseconds / 1_000_000).ToString(System.Globalization.CultureInfo.InvariantCulture);
        string rest = (microseconds % 1_000_000).ToString(System.Globalization.CultureInfo.InvariantCulture);

        Assert.Equal($"*2\r\n${seconds.Length}\r\n{seconds}\r\n${rest.Length}\r\n{rest}\r\n", client.Run("TIME"));
    }

    [Theory]
    [InlineData("INFO")]
    [InlineData("DOCS")]
    public void Command_OneNameAgainAndAgain_EndsSoonAfterTheLimit(string subcommand)
    {
        using var server = new TestServer();
        server.State.Settings.ClientOutputBufferLimit = 10_000;

        string reply = server.Connect().Call(["COMMAND", subcommand, .. Enumerable.Repeat("get", 10_000)]);

        Assert.InRange(reply.Length, 10_001, 20_000);
    }

    [Fact]
    public void FlushDb_OneOfTwoDatabases_ClearsOnlyThat()
    {
        using var server = new TestServer();
        var client = server.Connect();
        client.Run("SET a 1");
        client.Run("SELECT 1");
        client.Run("SET a 1");

        client.Run("FLUSHDB");

        Assert.Equal(":0\r\n", client.Run("DBSIZE"));
        client.Run("SELECT 0");
        Assert.Equal(":1\r\n", client.Run("DBSIZE"));
        client.Run("FLUSHALL ASYNC");
        Assert.Equal(":0\r\n", client.Run("DBSIZE"));
    }

    [Fact]
    public void Measure_AfterASecond_TellsWhatCameSince()
    {
        var time = new FakeTimeProvider();
        var meter = new ThroughputMeter(time);
        var count = new TrafficCount { Commands = 500, InputBytes = 1000, OutputBytes = 3000 };

        time.Advance(TimeSpan.FromMilliseconds(50));
        Assert.Equal(default, meter.Measure(count));
        time.Advance(TimeSpan.FromMilliseconds(450));
        Assert.Equal(new Throughput(1000, 2000, 6000), meter.Measure(count));
        time.Advance(TimeSpan.FromSeconds(1));
        Assert.Equal(default, meter.Measure(count));
    }
}
