using Cache.Bench.Traces;
using Cache.Bench.Traces.Sizes;
using Cache.Core;

namespace Cache.Bench.Tests.Sizes;

/// <summary>The lengths of values: their law, and whose they are.</summary>
public sealed class SizeLawTests
{
    private const int Ids = 100_000;

    [Theory]
    [InlineData(1.1)]
    [InlineData(0.8)]
    public void Lengths_AreOfTheLawBetweenItsBounds(double exponent)
    {
        int[] lengths = SizeLaw.Independent(Ids, exponent);

        Assert.InRange(lengths.Min(), SizeLaw.LengthMin, SizeLaw.LengthMin);
        Assert.InRange(lengths.Max(), SizeLaw.LengthMax / 4, SizeLaw.LengthMax);
        foreach (int bound in new[] { 128, 512, 2_048, 8_192 })
        {
            double cut = Math.Pow((double)SizeLaw.LengthMin / SizeLaw.LengthMax, exponent);
            double longer = (Math.Pow((double)SizeLaw.LengthMin / bound, exponent) - cut) / (1 - cut);
            Assert.Equal(longer, (double)lengths.Count(length => length >= bound) / Ids, tolerance: 0.005);
        }
    }

    [Fact]
    public void LongAreCold_TheSameLengths_LongerForThoseThatAreSeldomAskedFor()
    {
        uint[] trace = ZipfTrace.Create(10_000, requests: 100_000, skew: 0.9); // By the order of popularity.
        int[] any = SizeLaw.Independent(10_000, 1.1);
        int[] cold = SizeLaw.LongAreCold(trace, 10_000, 1.1);

        Assert.InRange(cold.Sum() / (double)any.Sum(), 0.8, 1.25);
        Assert.InRange(Mean(any, trace) / any.Average(), 0.7, 1.4);
        Assert.InRange(Mean(cold, trace) / cold.Average(), 0, 0.6);
        Assert.True(cold.Take(1_000).Max() > cold.Skip(9_000).Min(), "Not all of the hot are shorter than all cold.");
    }

    [Fact]
    public void Replay_OfAStore_CountsHitsAndTheirBytes()
    {
        uint[] ids = ZipfTrace.Create(5_000, requests: 50_000, skew: 0.9);
        var trace = new SizedTrace(ids, SizeLaw.Independent(5_000, 1.1));
        using var large = new CacheStore(new CacheOptions { MemoryLimitBytes = 64 << 20, KeyspaceCount = 1 });
        var hits = trace.Replay(large, readsPerLook: 2_000);
        Assert.Equal(ids.Length - ids.Distinct().Count(), hits.Requests);
        Assert.Equal(trace.AskedBytes - ids.Distinct().Sum(id => (long)trace.Lengths[id]), hits.Bytes);
        Assert.Equal(hits, trace.Replay(new SizedLruPolicy(trace.EntryBytes, trace.Footprint)));

        using var small = new CacheStore(new CacheOptions { MemoryLimitBytes = 1 << 20, KeyspaceCount = 1 });
        var fewer = trace.Replay(small, readsPerLook: 2_000);
        Assert.InRange(fewer.Requests, ids.Length / 2, hits.Requests - 1);
    }

    private static double Mean(int[] lengths, uint[] trace) => trace.Average(id => lengths[id]);
}
