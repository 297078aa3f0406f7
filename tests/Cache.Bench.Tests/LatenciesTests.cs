using System.Diagnostics;
using Cache.Bench.Subjects;

namespace Cache.Bench.Tests;

public sealed class LatenciesTests
{
    [Fact]
    public void QuantileUs_KnownDurations_AreWithinABar()
    {
        var latencies = new Latencies();
        for (int ms = 1; ms <= 100; ms++)
            latencies.Add(Stopwatch.GetTimestamp() - ms * Stopwatch.Frequency / 1_000);

        Assert.Equal(100, latencies.Count);
        Assert.InRange(latencies.QuantileUs(0.5), 49_000, 55_000);
        Assert.InRange(latencies.QuantileUs(0.99), 98_000, 108_000);
        Assert.InRange(latencies.MaxMs, 100, 200);
        Assert.InRange(latencies.CountAbove(50), 44, 51);
        Assert.Equal(0, latencies.CountAbove(1_000));
    }

    [Fact]
    public void CollidingKeys_AllOfALength_DifferAndHaveOneUnkeyedHash()
    {
        byte[][] keys = [.. Enumerable.Range(0, 1_024).Select(static i =>
        {
            byte[] key = new byte[CollidingKeys.LengthFor(1_024)];
            CollidingKeys.Write(i, key.Length, key);
            return key;
        })];

        Assert.Equal(20, keys[0].Length);
        Assert.Equal(1_024, keys.Select(Convert.ToHexString).Distinct().Count());
        Assert.Single(keys.Select(static key => CollidingKeys.UnkeyedHashOf(key)).Distinct());
    }
}
