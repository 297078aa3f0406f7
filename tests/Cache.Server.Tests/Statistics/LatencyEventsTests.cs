using Cache.Server.Statistics;

namespace Cache.Server.Tests.Statistics;

public sealed class LatencyEventsTests
{
    private readonly LatencyEvents _events = new();

    [Fact]
    public void Add_SeveralInASecond_KeepsTheLongest()
    {
        _events.Add("command", 10, 5);
        _events.Add("command", 10, 9);
        _events.Add("command", 10, 7);
        _events.Add("command", 11, 1);

        Assert.Equal([new LatencySample(10, 9), new LatencySample(11, 1)], _events.GetSamples("command"));
        Assert.Equal([("command", new LatencySample(11, 1), 9L)], _events.GetLatest());
    }

    [Fact]
    public void Add_MoreThanAreKept_DropsTheOldest()
    {
        for (int i = 0; i < 2 * LatencyEvents.SamplesMax; i++)
            _events.Add("command", i, 1000 - i);

        var samples = _events.GetSamples("command");

        Assert.Equal(LatencyEvents.SamplesMax, samples.Length);
        Assert.Equal(LatencyEvents.SamplesMax, samples[0].AtUnixSeconds);
        Assert.Equal(1000, _events.GetLatest()[0].LongestMs); // Of all, also of those that were dropped.
    }

    [Fact]
    public void Reset_OneOrAll_CountsThoseItForgot()
    {
        _events.Add("a", 1, 1);
        _events.Add("b", 1, 1);
        _events.Add("c", 1, 1);

        Assert.True(_events.Reset("a"));
        Assert.False(_events.Reset("a"));
        Assert.Empty(_events.GetSamples("a"));
        Assert.Equal(2, _events.ResetAll());
        Assert.Empty(_events.GetLatest());
    }
}
