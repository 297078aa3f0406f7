using Cache.Server.Statistics;

namespace Cache.Server.Tests.Statistics;

public sealed class MetricHistoryTests
{
    private readonly MetricHistory _history =
        new([new MetricSeries("mean"), new MetricSeries("maximum", IsMaximum: true)]);

    [Fact]
    public void Read_BySeconds_HasTheLastTenMinutes()
    {
        for (int i = 0; i < 1000; i++)
            _history.Add(1000 + i, [i, -i]);

        var points = _history.Read(0, 0, isCoarse: false);

        Assert.Equal(MetricHistory.FineCount, points.Count);
        Assert.Equal((1400, 400), points[0]);
        Assert.Equal((1999, 999), points[^1]);
        Assert.Equal([(1998, -998), (1999, -999)], _history.Read(1, 1998, isCoarse: false));
        Assert.Equal(999, _history.ReadLast(0));
    }

    // A point is the mean of its seconds, or their maximum; the one that is under way is not shown.
    [Fact]
    public void Read_ByTensOfSeconds_CombinesThem()
    {
        for (int i = 0; i < 25; i++)
            _history.Add(1000 + i, [i, i]);

        Assert.Equal([(1000, 4.5), (1010, 14.5)], _history.Read(0, 0, isCoarse: true));
        Assert.Equal([(1000, 9), (1010, 19)], _history.Read(1, 0, isCoarse: true));
    }

    [Fact]
    public void Read_ByTensOfSeconds_HasTheLastDay()
    {
        for (int i = 0; i < 90_020; i++)
            _history.Add(i, [i, i]);

        var points = _history.Read(1, 0, isCoarse: true);

        Assert.Equal(MetricHistory.CoarseCount, points.Count);
        Assert.Equal((90_000, 90_009), points[^1]);
        Assert.Equal(90_000 - 86_390, points[0].AtUnixSeconds);
    }

    // The minute before is asked for by the new clock.
    [Theory]
    [InlineData(-3600)]
    [InlineData(3600)]
    public void Shift_ClockThatWasSet_LeavesPointsInOrderAndAsOldAsTheyAre(int seconds)
    {
        for (int i = 0; i < 100; i++)
            _history.Add(10_000 + i, [i, i]);
        _history.Shift(seconds);
        for (int i = 100; i < 120; i++)
            _history.Add(10_000 + seconds + i, [i, i]);

        var points = _history.Read(0, 10_000 + seconds + 60, isCoarse: false);

        Assert.Equal(Enumerable.Range(60, 60).Select(static i => (double)i), points.Select(static one => one.Value));
        Assert.Equal(points.OrderBy(static one => one.AtUnixSeconds), points);
        var tens = _history.Read(0, 0, isCoarse: true);
        Assert.Equal(tens.OrderBy(static one => one.AtUnixSeconds), tens);
        Assert.Equal(11, tens.Count);
    }

    [Fact]
    public void Add_SecondBeforeTheLast_CountsAsThat()
    {
        _history.Add(1000, [1, 1]);
        _history.Add(999, [2, 2]);

        Assert.Equal([(1000, 1), (1000, 2)], _history.Read(0, 0, isCoarse: false));
    }

    // A second that the sweep missed has no point.
    [Fact]
    public void Read_AfterAPause_HasNoPointsOfIt()
    {
        _history.Add(1000, [1, 1]);
        _history.Add(1035, [3, 3]);
        _history.Add(1040, [5, 5]);

        Assert.Equal([1000L, 1035, 1040], _history.Read(0, 0, isCoarse: false).Select(static one => one.AtUnixSeconds));
        Assert.Equal([(1000, 1), (1030, 3)], _history.Read(0, 0, isCoarse: true));
    }
}
