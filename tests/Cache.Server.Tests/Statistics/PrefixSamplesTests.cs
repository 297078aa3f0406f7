using Cache.Server.Statistics;

namespace Cache.Server.Tests.Statistics;

public sealed class PrefixSamplesTests
{
    private const long Second = 10_000_000;
    private const byte Colon = (byte)':';

    private readonly PrefixSamples _samples = new(Second);

    [Fact]
    public void AddTo_SamplesOfTwoWindows_HasTheirRate()
    {
        for (int i = 0; i < 90; i++)
            Sample(i * Second, reads: 64);

        Assert.InRange(ReadsAt(90 * Second), 63, 65);
    }

    [Fact]
    public void AddTo_RateThatFell_FollowsWithinTwoWindows()
    {
        for (int i = 0; i < 60; i++)
            Sample(i * Second, reads: 100);
        for (int i = 60; i < 200; i++)
            Sample(i * Second, reads: 10);

        Assert.InRange(ReadsAt(200 * Second), 9, 11);
    }

    [Fact]
    public void AddTo_SamplesBeforeALongPause_DoNotCount()
    {
        Sample(0, reads: 1000);
        Assert.True(ReadsAt(100 * Second) > 0);
        Assert.Equal(0, ReadsAt(200 * Second));
        Sample(400 * Second, reads: 2);

        Assert.Equal(2, ReadsAt(401 * Second));
    }

    [Fact]
    public void Add_AnotherSeparator_BeginsAnew()
    {
        Sample(0, reads: 5);
        _samples.Add("a-b-c:d:e"u8, (byte)'-', new PrefixFigures { Reads = 3 }, Second);
        var sums = new PrefixTable();
        _samples.AddTo(sums, (byte)'-', 2 * Second);

        Assert.Equal(0, ReadsAt(2 * Second));
        Assert.Equal(1, sums.Count);
        Assert.Equal("a-b-"u8, sums.PrefixAt(0));
        Assert.Equal(3, sums.FiguresAt(0).Reads);
    }

    [Fact]
    public void Reset_Samples_AreForgotten()
    {
        Sample(0, reads: 5);
        _samples.Reset();

        Assert.Equal(0, ReadsAt(Second));
    }

    private void Sample(long at, double reads) =>
        _samples.Add("user:eu:1"u8, Colon, new PrefixFigures { Reads = reads }, at);

    private double ReadsAt(long now)
    {
        var sums = new PrefixTable();
        _samples.AddTo(sums, Colon, now);
        return sums.Count == 0 ? 0 : sums.FiguresAt(0).Reads;
    }
}
