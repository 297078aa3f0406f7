using System.Text;
using Cache.Server.Statistics;

namespace Cache.Server.Tests.Statistics;

public sealed class KeySamplesTests
{
    private const long Second = 10_000_000;

    private readonly ulong _seed = (ulong)Random.Shared.NextInt64(1, long.MaxValue);
    private readonly KeySamples _samples;

    public KeySamplesTests()
    {
        _samples = new KeySamples(Second, _seed);
        TestContext.Current.TestOutputHelper?.WriteLine($"Seed: {_seed}");
    }

    // A million keys by Zipf's law with exponent 0.9, 400,000 requests a second for twenty seconds.
    [Fact]
    public void AddTo_MillionKeysByZipf_HasTheTopTenAndTheirRates()
    {
        const int Keys = 1_000_000;
        const long RequestsPerSecond = 400_000;
        double[] sums = new double[Keys];
        double sum = 0;
        for (int i = 0; i < Keys; i++)
            sums[i] = sum += Math.Pow(i + 1, -0.9);
        var random = new Random((int)_seed);
        long request = 0;
        while (request < 20 * RequestsPerSecond)
        {
            request += _samples.NextGap();
            int found = Array.BinarySearch(sums, random.NextDouble() * sum);
            Sample(Key(found < 0 ? ~found : found), request * Second / RequestsPerSecond);
        }

        var top = Top(20 * Second);

        Assert.InRange(Enumerable.Range(0, 10).Count(i => top.Take(10).Any(one => one.Key == Key(i))), 9, 10);
        foreach (var (key, rate) in top.Take(10))
        {
            double expected = RequestsPerSecond * Math.Pow(int.Parse(key) + 1, -0.9) / sum;
            Assert.InRange(rate, 0.85 * expected, 1.15 * expected);
        }
    }

    // Each 64th request would see one of the keys.
    [Fact]
    public void NextGap_ClientThatSendsKeysInTurn_SeesAllEqually()
    {
        const int Keys = 64;
        Fill();
        int[] seen = new int[Keys];
        int gaps = 0;
        for (long at = 0; at < 64 * 64_000; gaps++)
        {
            int gap = _samples.NextGap();
            Assert.InRange(gap, 1, 2 * KeySamples.GapMeanMax - 1);
            at += gap;
            seen[at % Keys]++;
        }

        Assert.InRange(gaps, 63_000, 65_000);
        Assert.All(seen, static count => Assert.InRange(count, 800, 1200));
    }

    [Fact]
    public void NextGap_FewRequests_SamplesEachOfThem()
    {
        for (int i = 0; i < 100; i++)
        {
            Assert.Equal(1, _samples.NextGap());
            Sample("k", i * Second / 10);
        }

        Assert.InRange(Top(10 * Second).Single().Rate, 9.5, 10.5);
    }

    [Fact]
    public void NextGap_ManyRequests_SamplesEach64thOnAverage()
    {
        Fill();

        Assert.InRange(Enumerable.Range(0, 10_000).Average(_ => _samples.NextGap()), 61, 67);
    }

    // The gap follows the requests of the window before.
    [Fact]
    public void NextGap_RequestsBecomeFewer_BecomesSmaller()
    {
        Fill();
        for (long at = Second; at < 30 * Second; at += _samples.NextGap() * Second / 1000)
            Sample("k", at); // A thousand requests a second.

        // A mean of 4 or 5, since it is rounded down.
        Assert.InRange(Enumerable.Range(0, 10_000).Average(_ => _samples.NextGap()), 3.5, 6.5);
        Assert.InRange(Top(30 * Second).Single(static one => one.Key == "k").Rate, 850, 1150);
    }

    [Fact]
    public void AddTo_LongAfterTheLastSample_HasNothing()
    {
        Sample("k", Second);

        Assert.Single(Top(60 * Second));
        Assert.Empty(Top(62 * Second));
    }

    // After an hour of silence, the rate is that of the last seconds.
    [Fact]
    public void AddTo_RequestsAfterALongPause_HasTheirRate()
    {
        Sample("old", Second);
        for (int i = 0; i < 100; i++)
            Sample("new", 3600 * Second + i * Second / 50);

        var top = Top(3602 * Second);

        Assert.Equal("new", Assert.Single(top).Key);
        Assert.InRange(top[0].Rate, 45, 55);
    }

    [Fact]
    public void Reset_AfterSamples_ForgetsThem()
    {
        Sample("k", Second);
        _samples.Reset();
        Assert.Empty(Top(Second));

        Sample("other", 2 * Second);
        Assert.Equal("other", Assert.Single(Top(2 * Second)).Key);
    }

    [Fact]
    public void Add_KeyThatIsTooLong_IsNotFollowed()
    {
        Sample(new string('k', KeyCandidates.KeyLengthMax), Second);
        Sample(new string('l', KeyCandidates.KeyLengthMax + 1), Second);

        Assert.Equal(new string('k', KeyCandidates.KeyLengthMax), Assert.Single(Top(Second)).Key);
    }

    [Fact]
    public void AddTo_SameKeyOfTwoDatabases_AreTwo()
    {
        Sample("k", Second, database: 0);
        Sample("k", Second, database: 3, isWrite: true);

        var sums = Sums(Second);

        Assert.Equal((1, 0), sums[(0, "k")]);
        Assert.Equal((0, 1), sums[(3, "k")]);
    }

    // So many samples that the gap is the greatest from then on.
    private void Fill()
    {
        for (int i = 0; i <= 2 * KeySamples.SamplesMin; i++)
            Sample("fill", i);
    }

    private void Sample(string key, long at, int database = 0, bool isWrite = false)
    {
        Assert.True(_samples.TryBegin(at));
        _samples.Add(Encoding.ASCII.GetBytes(key), database, isWrite);
        _samples.End();
    }

    private Dictionary<(int Database, string Key), (double Reads, double Writes)> Sums(long now)
    {
        var sums = new Dictionary<(int Database, string Key), (double Reads, double Writes)>();
        _samples.AddTo(sums, now);
        return sums;
    }

    private List<(string Key, double Rate)> Top(long now) =>
    [
        .. Sums(now).Select(static one => (one.Key.Key, one.Value.Reads + one.Value.Writes))
            .OrderByDescending(static one => one.Item2),
    ];

    private static string Key(int rank) => rank.ToString(System.Globalization.CultureInfo.InvariantCulture);
}
