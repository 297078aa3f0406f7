using Cache.Server.Statistics;

namespace Cache.Server.Tests.Statistics;

public sealed class LatencyHistogramTests
{
    private const long LongestNanoseconds = (1L << 40) - 1;

    [Fact]
    public void ClassOf_EachBound_IsTheLastOfItsClass()
    {
        for (int i = 0; i < LatencyHistogram.ClassCount; i++)
        {
            long longest = LatencyHistogram.LongestOf(i);
            Assert.Equal(i, LatencyHistogram.ClassOf(longest));
            if (i + 1 < LatencyHistogram.ClassCount)
                Assert.Equal(i + 1, LatencyHistogram.ClassOf(longest + 1));
        }

        Assert.Equal(LongestNanoseconds, LatencyHistogram.LongestOf(LatencyHistogram.ClassCount - 1));
    }

    [Theory]
    [InlineData(100)]
    [InlineData(1_234)]
    [InlineData(987_654)]
    [InlineData(123_456_789)]
    public void LongestOf_ClassOfADuration_ExceedsItByAnEighthAtMost(long nanoseconds)
    {
        long longest = LatencyHistogram.LongestOf(LatencyHistogram.ClassOf(nanoseconds));

        Assert.InRange(longest, nanoseconds, nanoseconds + nanoseconds / 8);
    }

    [Fact]
    public void Add_LongerThanTheLongest_CountsAsThat()
    {
        var histogram = new LatencyHistogram();
        histogram.Add(long.MaxValue, 1);
        long[] sums = new long[LatencyHistogram.ClassCount];

        histogram.AddTo(sums);

        Assert.Equal(1, sums[^1]);
    }

    [Fact]
    public void PercentileOf_HundredDurations_IsTheOneOfThatRank()
    {
        var histogram = new LatencyHistogram();
        for (int i = 1; i <= 100; i++)
            histogram.Add(i * 1000, 1);
        long[] sums = new long[LatencyHistogram.ClassCount];
        histogram.AddTo(sums);
        var counts = new LatencyCounts(sums);

        Assert.Equal(100, counts.Total);
        foreach (int percentage in (int[])[1, 50, 99, 100])
        {
            long expected = LatencyHistogram.LongestOf(LatencyHistogram.ClassOf(percentage * 1000));
            Assert.Equal(expected, counts.PercentileOf(percentage));
        }

        Assert.Equal(counts.PercentileOf(1), counts.PercentileOf(0));
        Assert.Equal(0, new LatencyCounts(new long[LatencyHistogram.ClassCount]).PercentileOf(50));
    }
}
