using Cache.Server.Commands.Dispatch;
using Cache.Server.Connections;

namespace Cache.Server.Tests.Connections;

public sealed class LatencyWatchTests : ConnectionTestBase
{
    // Far beyond what a busy machine delays the server of the test, which looks too.
    private const int ThresholdMs = 3_600_000;

    private static readonly TimeSpan _second = TimeSpan.FromSeconds(1);
    private static readonly TimeSpan _short = TimeSpan.FromMinutes(59);
    private static readonly TimeSpan _long = TimeSpan.FromMinutes(61);

    private bool _isMeasured;
    private TimeSpan _round;

    [Fact]
    public async Task Look_LateAndAfterALongRound_NotesBoth_OnceEach()
    {
        await using var server = await StartAsync();
        var state = server.Server.State;
        state.Settings.LatencyThresholdMs = ThresholdMs;
        var watch = new LatencyWatch(state, TakeRound);
        _round = _long;
        Clock.Skip(_second + 2 * _long);

        watch.Look(_second);

        Assert.True(_isMeasured);
        Assert.Equal((long)_long.TotalMilliseconds, LongestMs(state, "event-loop"));
        Assert.Equal((long)(2 * _long).TotalMilliseconds, LongestMs(state, "thread-pool"));

        state.LatencyEvents.ResetAll();
        Clock.Advance(_second);
        watch.Look(_second);

        Assert.Null(LongestMs(state, "event-loop"));
        Assert.Null(LongestMs(state, "thread-pool"));
    }

    [Fact]
    public async Task Look_BelowTheThreshold_NotesNothing()
    {
        await using var server = await StartAsync();
        var state = server.Server.State;
        state.Settings.LatencyThresholdMs = ThresholdMs;
        var watch = new LatencyWatch(state, TakeRound);
        _round = _short;
        Clock.Skip(_second + _short);

        watch.Look(_second);

        Assert.Null(LongestMs(state, "event-loop"));
        Assert.Null(LongestMs(state, "thread-pool"));
    }

    [Fact]
    public async Task Look_WithTheLargestThreshold_NotesNothing()
    {
        await using var server = await StartAsync();
        var state = server.Server.State;
        state.Settings.LatencyThresholdMs = long.MaxValue;
        var watch = new LatencyWatch(state, TakeRound);
        _round = TimeSpan.MaxValue;

        watch.Look(_second);

        Assert.Empty(state.LatencyEvents.GetLatest());
    }

    [Fact]
    public async Task Look_WhileEventsAreOff_MeasuresNoRounds()
    {
        await using var server = await StartAsync();
        var state = server.Server.State;
        state.Settings.LatencyThresholdMs = 0;
        var watch = new LatencyWatch(state, TakeRound);
        _isMeasured = true;
        _round = _second;
        Clock.Skip(2 * _long);

        watch.Look(_second);

        Assert.False(_isMeasured);
        Assert.Empty(state.LatencyEvents.GetLatest());
    }

    // A second ago nobody had asked for events.
    [Fact]
    public async Task Look_AfterEventsWereSwitchedOn_NotesWhatCameAfterThat()
    {
        await using var server = await StartAsync();
        var state = server.Server.State;
        state.Settings.LatencyThresholdMs = 0;
        var watch = new LatencyWatch(state, TakeRound);
        Clock.Skip(_second + _long);
        state.Settings.LatencyThresholdMs = ThresholdMs;

        watch.Look(_second);

        Assert.True(_isMeasured);
        Assert.Null(LongestMs(state, "thread-pool"));

        Clock.Skip(_second + _long);
        watch.Look(_second);

        Assert.NotNull(LongestMs(state, "thread-pool"));
    }

    // Who uses the store in process asks for it too.
    [Fact]
    public async Task Look_WhileEventsAreOff_LeavesTheStoreItsLongestWait()
    {
        await using var server = await StartAsync();
        var state = server.Server.State;
        state.Settings.LatencyThresholdMs = 0;
        var watch = new LatencyWatch(state, TakeRound);
        for (int i = 0; Store.GetStatistics().Evictions == 0; i++)
            Store.Set(BitConverter.GetBytes(i), new byte[100_000]);

        watch.Look(_second);

        Assert.True(Store.TakeLongestWaitForMemory() > TimeSpan.Zero);
    }

    private static long? LongestMs(ServerState state, string cause)
    {
        foreach (var (name, _, longestMs) in state.LatencyEvents.GetLatest())
        {
            if (name == cause)
                return longestMs;
        }

        return null;
    }

    private TimeSpan TakeRound(bool goesOn)
    {
        _isMeasured = goesOn;
        var round = _round;
        _round = TimeSpan.Zero;
        return round;
    }
}
