using Cache.Server.Statistics;

namespace Cache.Server.Tests.Statistics;

public sealed class LatencyMaximaTests
{
    private const long Second = 10_000_000;
    private const long Millisecond = Second / 1000;

    private readonly LatencyMaxima _maxima = new(Second);

    [Fact]
    public void LongestOf_Window_HasTheLongestCallOfItsSeconds()
    {
        _maxima.Note(100 * Second, 5 * Millisecond);
        _maxima.Note(100 * Second + 1, 7 * Millisecond);
        _maxima.Note(100 * Second + 2, 6 * Millisecond);
        _maxima.Note(105 * Second, 2 * Millisecond);
        _maxima.Note(105 * Second + 1, Millisecond);

        Assert.Equal(2000, _maxima.LongestOf(105 * Second, seconds: 1));
        Assert.Equal(2000, _maxima.LongestOf(106 * Second, seconds: 1));
        Assert.Equal(0, _maxima.LongestOf(107 * Second, seconds: 1));
        Assert.Equal(7000, _maxima.LongestOf(105 * Second, seconds: 10));
        Assert.Equal(7000, _maxima.LongestOf(110 * Second, seconds: 10));
        Assert.Equal(2000, _maxima.LongestOf(111 * Second, seconds: 10));
        Assert.Equal(7000, _maxima.LongestOf(160 * Second, LatencyMaxima.SecondsMax));
        Assert.Equal(0, _maxima.LongestOf(166 * Second, LatencyMaxima.SecondsMax));
    }

    // Each second has one of sixty cells, which the next minute takes over.
    [Fact]
    public void Note_AMinuteLater_ReplacesTheCell()
    {
        _maxima.Note(100 * Second, 9 * Millisecond);
        _maxima.Note(160 * Second, Millisecond);

        Assert.Equal(1000, _maxima.LongestOf(160 * Second, LatencyMaxima.SecondsMax));
    }

    [Fact]
    public void Note_LongerThanTheCellHolds_IsItsGreatest()
    {
        _maxima.Note(100 * Second, 100_000 * Second);

        Assert.Equal(uint.MaxValue, _maxima.LongestOf(100 * Second, seconds: 1));
    }
}
