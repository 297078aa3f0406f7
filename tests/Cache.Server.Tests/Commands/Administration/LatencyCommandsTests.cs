using System.Globalization;
using Cache.Core;
using Cache.Server.Commands;
using Cache.Server.Commands.Dispatch;
using Cache.Server.Commands.Table;
using Cache.Server.Settings;

namespace Cache.Server.Tests.Commands.Administration;

public sealed class LatencyCommandsTests : MeasuringTestBase
{
    [Fact]
    public void Events_OfCalls_AreThoseBeyondTheThreshold()
    {
        Take(500, "SET k v");
        Assert.Equal("*0\r\n", Client.Run("LATENCY LATEST"));

        Client.Run("CONFIG SET latency-monitor-threshold 10");
        Take(9, "INCR n");
        Take(30, "INCR n");
        Take(20, "GETRANGE k 0 1");
        string now = Server.UnixSeconds.ToString(CultureInfo.InvariantCulture);

        Assert.Equal(
            $"*2\r\n*4\r\n$7\r\ncommand\r\n:{now}\r\n:20\r\n:20\r\n"
            + $"*4\r\n$12\r\nfast-command\r\n:{now}\r\n:30\r\n:30\r\n",
            Client.Run("LATENCY LATEST"));
        Assert.Equal($"*1\r\n*2\r\n:{now}\r\n:20\r\n", Client.Run("LATENCY HISTORY command"));
        Assert.Equal("*0\r\n", Client.Run("LATENCY HISTORY other"));
        Assert.Contains("command: 1 samples", Client.Run("LATENCY DOCTOR"), StringComparison.Ordinal);
        Assert.Contains("command - high 20 ms, low 20 ms\n", Client.Run("LATENCY GRAPH command"),
            StringComparison.Ordinal);
        Assert.Equal(":1\r\n", Client.Run("LATENCY RESET command other"));
        Assert.Equal(":1\r\n", Client.Run("LATENCY RESET"));
        Assert.Equal("*0\r\n", Client.Run("LATENCY LATEST"));
        Assert.Contains("Nothing took 10 ms", Client.Run("LATENCY DOCTOR"), StringComparison.Ordinal);
    }

    [Theory]
    [InlineData("eviction", "A write waited while entries were evicted for it;")]
    [InlineData("event-loop", "A thread that serves clients did not look at them for so long:")]
    [InlineData("thread-pool", "What is due each second began late:")]
    [InlineData("gc-pause", "The process collected garbage;")]
    public void Doctor_OfWhatIsNoCommand_SaysWhatItMeans(string cause, string meaning)
    {
        Server.Settings.LatencyThresholdMs = 10;
        Server.LatencyEvents.Add(cause, Server.UnixSeconds, 20);
        Server.Settings.LatencyThresholdMs = 100;

        Assert.Contains(
            $"{cause}: 1 samples, average 20 ms, longest 20 ms. {meaning}", Client.Run("LATENCY DOCTOR"),
            StringComparison.Ordinal);
    }

    [Fact]
    public void Histogram_OfACommand_IsCumulativeByPowersOfTwo()
    {
        for (int i = 0; i < 3; i++)
            Take(1, "INCR n"); // 1,000,000 ns are below 2^20.
        Take(3, "INCR n"); // Below 2^22.

        Assert.Equal(
            "*2\r\n$4\r\nincr\r\n*4\r\n$5\r\ncalls\r\n:4\r\n$14\r\nhistogram_usec\r\n"
            + "*4\r\n:1048\r\n:3\r\n:4194\r\n:4\r\n",
            Client.Run("LATENCY HISTOGRAM incr nosuch"));
        Assert.Equal("*0\r\n", Client.Run("LATENCY HISTOGRAM decr"));
        Assert.Contains("$4\r\nincr\r\n", Client.Run("LATENCY HISTOGRAM"), StringComparison.Ordinal);
    }

    // INFO has each of them for each command.
    [Fact]
    public void Percentiles_OfMoreThanInfoTakes_AreRefused()
    {
        string most = string.Join(' ', Enumerable.Repeat("50", 32));
        Assert.Equal("+OK\r\n", Client.Call("CONFIG", "SET", "latency-tracking-info-percentiles", most));
        Assert.Contains(
            "takes at most 32 percentiles",
            Client.Call("CONFIG", "SET", "latency-tracking-info-percentiles", most + " 1"), StringComparison.Ordinal);
    }

    // Truncated to 3, each call would seem to be longer by a fifth.
    [Fact]
    public void Ticks_OfAClockWithAnOddFrequency_AreNotTruncated()
    {
        using var store = new CacheStore(new CacheOptions { MemoryLimitBytes = 4 << 20 }, new OddClock());
        var server = new ServerState(store, new ServerSettings(), CommandTable.Default, CommandFamilies.Handlers);
        Assert.Equal(3.579545, server.TicksPerMicrosecond, precision: 9);
    }

    [Fact]
    public void Histogram_OfAContainer_HasItsSubcommands()
    {
        Client.Run("OBJECT ENCODING k");

        Assert.Contains("$15\r\nobject|encoding\r\n", Client.Run("LATENCY HISTOGRAM object"), StringComparison.Ordinal);
    }

    [Fact]
    public void Groups_OfCommonRequests_ShareTheirTime()
    {
        TakeGroup(4, "GET", "GET", "SET", "GET");

        Assert.Contains("calls=3,usec=3000,usec_per_call=1000.00,", Client.Run("INFO commandstats"),
            StringComparison.Ordinal);
        Assert.Contains(":1048\r\n:3\r\n", Client.Run("LATENCY HISTOGRAM get"), StringComparison.Ordinal);
        Assert.Contains(":1048\r\n:1\r\n", Client.Run("LATENCY HISTOGRAM set"), StringComparison.Ordinal);
        Assert.Contains("latency_max_usec_1s:4000\r\n", Client.Run("INFO stats"), StringComparison.Ordinal);
    }

    // A long value is copied elsewhere: the call counts where it is executed.
    [Fact]
    public void Groups_WhoseRequestGivesWay_DoNotCountIt()
    {
        Client.Call("SET", "k", new string('x', 600_000));
        Client.Context.SharesThread = true;
        Assert.Equal(0, TryTakeGroup(20, "GET"));
        Client.Context.SharesThread = false;

        Assert.Equal("*0\r\n", Client.Run("LATENCY HISTOGRAM get"));
        Assert.Equal(":0\r\n", Client.Run("SLOWLOG LEN"));
        Take(20, "GET k");
        Assert.Contains("$5\r\ncalls\r\n:1\r\n", Client.Run("LATENCY HISTOGRAM get"), StringComparison.Ordinal);
        Assert.Equal(":1\r\n", Client.Run("SLOWLOG LEN"));
    }

    [Fact]
    public void Percentiles_InInfo_AreThoseThatWereAskedFor()
    {
        for (int i = 0; i < 99; i++)
            Take(1, "INCR n");
        Take(100, "INCR n");

        Assert.Contains("latency_percentiles_usec_incr:p50=1048.575,p99=1048.575,p99.9=100663.295\r\n",
            Client.Run("INFO latencystats"), StringComparison.Ordinal);
        Client.Call("CONFIG", "SET", "latency-tracking-info-percentiles", "100");
        Assert.Contains("latency_percentiles_usec_incr:p100=100663.295\r\n", Client.Run("INFO latencystats"),
            StringComparison.Ordinal);
        Client.Run("CONFIG RESETSTAT");
        Assert.DoesNotContain("usec_incr", Client.Run("INFO latencystats"), StringComparison.Ordinal);
    }

    [Fact]
    public void Tracking_SwitchedOff_CountsNoDurationForPercentiles()
    {
        Client.Run("CONFIG SET latency-tracking no");
        Take(1, "INCR n");

        Assert.Equal("*0\r\n", Client.Run("LATENCY HISTOGRAM incr"));
        Assert.Contains("cmdstat_incr:calls=1,usec=1000,", Client.Run("INFO commandstats"), StringComparison.Ordinal);
        Assert.DoesNotContain("percentiles", Client.Run("INFO latencystats"), StringComparison.Ordinal);
    }

    private sealed class OddClock : TimeProvider
    {
        public override long TimestampFrequency => 3_579_545;
    }
}
