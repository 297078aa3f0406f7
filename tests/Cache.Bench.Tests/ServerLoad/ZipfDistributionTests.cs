using Cache.Bench.ServerLoad;

namespace Cache.Bench.Tests.ServerLoad;

public sealed class ZipfDistributionTests
{
    private const int Keys = 1000;
    private const int Draws = 400_000;

    // 1 is where the quotients in the formulas vanish.
    [Theory]
    [InlineData(0.5)]
    [InlineData(0.99)]
    [InlineData(1.0)]
    [InlineData(1.5)]
    public void Next_ManyDraws_FollowTheLaw(double theta)
    {
        int[] counts = new int[Keys];
        var zipf = new ZipfDistribution(Keys, theta);
        var random = new SplitMix(20_260_101);
        for (int i = 0; i < Draws; i++)
            counts[zipf.Next(ref random)]++;

        double whole = Enumerable.Range(1, Keys).Sum(rank => Math.Pow(rank, -theta));
        foreach (int rank in new[] { 1, 2, 3, 10, 100, Keys })
        {
            double expected = Draws * Math.Pow(rank, -theta) / whole;
            // Five standard deviations, with a fixed seed.
            Assert.Equal(expected, counts[rank - 1], 5 * Math.Sqrt(expected) + 1);
        }
    }

    [Fact]
    public void Next_OneKey_IsThatKey()
    {
        var random = new SplitMix(1);
        Assert.Equal(0, new ZipfDistribution(1, 0.99).Next(ref random));
    }
}
