using Cache.Bench.ServerLoad;

namespace Cache.Bench.Tests.ServerLoad;

public sealed class LatencyHistogramTests
{
    [Fact]
    public void AtQuantile_EachPowerOfTwo_IsWithinTwoPercentAbove()
    {
        for (int power = 0; power < 42; power++)
        {
            foreach (long value in new[] { (1L << power) - 1, 1L << power, (1L << power) + 1 })
            {
                var histogram = new LatencyHistogram();
                histogram.Record(value);
                histogram.Record(long.MaxValue);
                Assert.InRange(histogram.AtQuantile(0.5), value, value + value / 50);
            }
        }
    }

    [Fact]
    public void AtQuantile_ThousandValues_CountsFromTheLeast()
    {
        var histogram = new LatencyHistogram();
        for (int value = 1000; value >= 1; value--)
            histogram.Record(value * 1_000_000L);
        Assert.InRange(histogram.AtQuantile(0.5), 500_000_000, 510_000_000);
        Assert.InRange(histogram.AtQuantile(0.99), 990_000_000, 1_000_000_000);
        Assert.InRange(histogram.AtQuantile(0.999), 999_000_000, 1_000_000_000);
        Assert.Equal(1_000_000_000, histogram.AtQuantile(1));
    }

    [Fact]
    public void Add_AnotherHistogram_CountsBoth()
    {
        var sum = new LatencyHistogram();
        var other = new LatencyHistogram();
        sum.Record(10);
        other.Record(20);
        other.Record(30);
        sum.Add(other);
        Assert.Equal(3, sum.Count);
        Assert.Equal(20, sum.AtQuantile(0.5));
        Assert.Equal(30, sum.MaxNanoseconds);
    }

    [Fact]
    public void AtQuantile_NothingRecorded_IsZero() => Assert.Equal(0, new LatencyHistogram().AtQuantile(0.99));
}
