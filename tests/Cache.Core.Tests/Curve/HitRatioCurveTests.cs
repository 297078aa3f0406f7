using System.Buffers.Binary;
using Cache.Core.Hashing;

namespace Cache.Core.Tests.Curve;

/// <summary>The curve of a store against stores that really have the other limits.</summary>
public class HitRatioCurveTests
{
    private const long LimitBytes = 8 << 20;
    private const int ReadsPerLook = 1_000; // Fewer than are noted between two looks.

    private const int Samples = 3; // One of a thousand keys may be off by some points; see HitRatioWorkloadTests.

    private static readonly byte[] _value = new byte[200];

    [Fact]
    public void GetHitRatioCurve_SkewedReads_IsThatOfStoresOfTheseSizes()
    {
        var curves = Enumerable.Range(0, Samples).Select(CurveOfSkewedReads).ToList();

        Assert.All(curves, curve => Assert.InRange(curve.SampledKeys, 500, 2_000));
        for (int i = 0; i < curves[0].Points.Count; i++)
        {
            using var other = FixtureOf(0, curves[0].Points[i].MemoryLimitBytes);
            double measured = Replay(other.Store, HotAndCold(seed: 1));
            double estimated = curves.Average(curve => curve.Points[i].HitRatio);
            TestContext.Current.TestOutputHelper?.WriteLine(
                $"{curves[0].Points[i].Scale}: {estimated:F3}, {measured:F3}");
            Assert.InRange(estimated, measured - 0.03, measured + 0.03);
        }

        Assert.All(curves, static curve => Assert.True(
            curve.Points[4].HitRatio > curve.Points[0].HitRatio + 0.1, "A workload that shows a difference."));
    }

    [Fact]
    public void GetHitRatioCurve_AllFits_IsFlat()
    {
        using var fixture = new StoreFixture();
        Replay(fixture.Store, Enumerable.Range(0, 50_000).Select(i => i % 100));

        var curve = fixture.Store.GetHitRatioCurve()!;

        Assert.True(curve.IsKnown);
        Assert.All(curve.Points, point => Assert.InRange(point.HitRatio, 0.997, 0.999));
    }

    [Fact]
    public void GetHitRatioCurve_FewReads_IsNotKnown()
    {
        using var fixture = new StoreFixture();
        Replay(fixture.Store, Enumerable.Range(0, 100));

        Assert.False(fixture.Store.GetHitRatioCurve()!.IsKnown);
    }

    [Fact]
    public void GetHitRatioCurve_SwitchedOff_IsNull()
    {
        using var fixture = new StoreFixture(options => options.EstimatesHitRatios = false);
        Replay(fixture.Store, Enumerable.Range(0, 100));

        Assert.Null(fixture.Store.GetHitRatioCurve());
    }

    [Theory]
    [InlineData("remove")]
    [InlineData("clear")]
    [InlineData("expire")]
    public void GetHitRatioCurve_KeysThatGo_AreMissesOfAllSizes(string how)
    {
        using var fixture = new StoreFixture();
        for (int round = 0; round < 30; round++)
        {
            Replay(fixture.Store, Enumerable.Range(0, 500));
            for (int key = 0; key < 500; key++)
                End(fixture, key, how);
            fixture.Clock.Advance(1_000);
        }

        Assert.All(fixture.Store.GetHitRatioCurve()!.Points, point => Assert.Equal(0, point.HitRatio));
    }

    [Fact]
    public void GetHitRatioCurve_KeysReadButNeverWritten_AreMissesOfAllSizes()
    {
        using var fixture = new StoreFixture();
        for (int i = 0; i < 20_000; i++)
            Assert.Null(fixture.Get($"{i % 50}"));

        Assert.All(fixture.Store.GetHitRatioCurve()!.Points, point => Assert.Equal(0, point.HitRatio));
    }

    [Fact]
    public void GetHitRatioCurve_ManyKeysWrittenAtOnce_AreKnown()
    {
        using var fixture = new StoreFixture();
        var pairs = Enumerable.Range(0, 300).ToDictionary(i => KeyOf(i), _ => _value);
        for (int round = 0; round < 20; round++)
        {
            foreach (var part in pairs.Chunk(round % 2 == 0 ? 20 : 300))
                SetMany(fixture.Store, part);
            Replay(fixture.Store, Enumerable.Range(0, 300));
        }

        Assert.All(fixture.Store.GetHitRatioCurve()!.Points, point => Assert.Equal(1, point.HitRatio, precision: 3));
    }

    [Fact]
    public void HitRatioAt_BetweenPoints_IsBetweenTheirRatios()
    {
        var curve = new HitRatioCurve
        {
            Points = [new(0.5, 50, 0.2), new(1, 100, 0.4), new(2, 200, 0.5)],
            IsKnown = true,
            SampledKeys = 1,
            KeysPerSample = 1,
        };

        Assert.Equal(0.2, curve.HitRatioAt(10), precision: 6);
        Assert.Equal(0.3, curve.HitRatioAt(75), precision: 6);
        Assert.Equal(0.4, curve.HitRatioAt(100), precision: 6);
        Assert.Equal(0.45, curve.HitRatioAt(150), precision: 6);
        Assert.Equal(0.5, curve.HitRatioAt(900), precision: 6);
    }

    private static HitRatioCurve CurveOfSkewedReads(int sample)
    {
        using var fixture = FixtureOf(sample, LimitBytes);
        Replay(fixture.Store, HotAndCold(seed: 1));
        var curve = fixture.Store.GetHitRatioCurve()!;
        Assert.True(curve.IsKnown);
        return curve;
    }

    // The same keys are sampled in each run, so that the test cannot fail by chance.
    private static StoreFixture FixtureOf(int sample, long limitBytes)
    {
        byte[] secret = new byte[AesHash.SecretLength];
        new Random(sample).NextBytes(secret);
        return new StoreFixture(KeyedHash.Create(secret), options => options.MemoryLimitBytes = limitBytes);
    }

    // A quarter of the reads for a few keys, the rest for many: what fits makes the difference.
    private static IEnumerable<int> HotAndCold(int seed)
    {
        var random = new Random(seed);
        for (int i = 0; i < 400_000; i++)
        {
            double place = random.NextDouble();
            yield return (int)(place * place * place * 120_000);
        }
    }

    private static double Replay(CacheStore store, IEnumerable<int> keys)
    {
        var before = store.GetStatistics();
        int reads = 0;
        byte[] key = new byte[8];
        foreach (int number in keys)
        {
            BinaryPrimitives.WriteInt64LittleEndian(key, number);
            var sink = default(LengthSink);
            if (!store.TryGet(key, ref sink))
                store.Set(key, _value);
            if (++reads % ReadsPerLook == 0)
                store.GetHitRatioCurve();
        }

        store.GetHitRatioCurve();
        var after = store.GetStatistics();
        return (double)(after.Hits - before.Hits) / reads;
    }

    private static void End(StoreFixture fixture, int key, string how)
    {
        if (how == "remove")
            fixture.Store.Remove(KeyOf(key));
        else if (how == "expire")
            fixture.Store.Expire(KeyOf(key), fixture.NowMs + 500, ExpireConditions.None);
        else if (key == 0)
            fixture.Store.Clear();
        if (key % 100 == 0)
            fixture.Store.GetHitRatioCurve();
    }

    private static byte[] KeyOf(int number)
    {
        byte[] key = new byte[8];
        BinaryPrimitives.WriteInt64LittleEndian(key, number);
        return key;
    }

    private static void SetMany(CacheStore store, KeyValuePair<byte[], byte[]>[] pairs)
    {
        var source = new PairSource(pairs);
        Assert.Equal(WriteStatus.Done, store.SetMany(ref source, SetCondition.Always));
    }

    private readonly struct PairSource(KeyValuePair<byte[], byte[]>[] pairs) : IEntrySource
    {
        public int Count => pairs.Length;

        public ReadOnlySpan<byte> GetKey(int index) => pairs[index].Key;

        public ReadOnlySpan<byte> GetValue(int index) => pairs[index].Value;
    }

    private struct LengthSink : IValueSink
    {
        private readonly byte[] _bytes = new byte[256];

        public LengthSink()
        {
        }

        public readonly Span<byte> GetSpan(int length) => (_bytes ?? new byte[length]).AsSpan(0, length);

        public readonly void Advance(int length)
        {
        }
    }
}
