using System.Buffers.Binary;
using Cache.Core.Hashing;
using Cache.Testing;

namespace Cache.Core.Tests.Curve;

/// <summary>The curve under what applications do besides reading and filling, against stores of the sizes.</summary>
public class HitRatioWorkloadTests
{
    private const long LimitBytes = 4 << 20;
    private const int OperationsPerLook = 500; // Fewer than are noted between two looks.
    private const int SweepMs = 100;
    private const int Samples = 3;

    private static readonly byte[] _bytes = Text(1 << 20);

    private enum Kind
    {
        Read, // And filled after a miss.
        Write,
        Remove,
        Take,
    }

    [Fact]
    public void Curve_KeysAreRemovedWhereverTheyAre_IsThatOfStoresOfTheseSizes() =>
        AssertCurve(0.03, random => Enumerable.Range(0, 240_000).Select(_ => new Operation(
            random.Next(2) == 0 ? Kind.Remove : Kind.Read, random.Next(60_000), 200)));

    [Fact]
    public void Curve_KeysThatAreTakenOnce_IsThatOfStoresOfTheseSizes() =>
        AssertCurve(0.03, random => Enumerable.Range(0, 200_000).Select(i => (i % 4) switch
        {
            0 => new Operation(Kind.Write, 1_000_000 + i, 200),
            1 => new Operation(Kind.Take, 1_000_000 + i - 401, 0),
            _ => new Operation(Kind.Read, Skewed(random, 60_000), 200),
        }));

    [Fact]
    public void Curve_HalfOfTheKeysExpireSoon_IsThatOfStoresOfTheseSizes() =>
        AssertCurve(0.04, random => Enumerable.Range(0, 200_000).Select(_ => random.Next(2) == 0
            ? new Operation(Kind.Read, Skewed(random, 60_000), 200)
            : new Operation(Kind.Write, 1_000_000 + random.Next(1_000_000), 200, TtlMs: 1_000)));

    [Fact]
    public void Curve_OnlyLargeValues_IsThatOfStoresOfTheseSizes() =>
        AssertCurve(0.05, random => Enumerable.Range(0, 30_000).Select(_ => new Operation(
            Kind.Read, Skewed(random, 700), random.Next(10_000, 60_000))));

    [Theory]
    [InlineData(ValueCompression.All)]
    [InlineData(ValueCompression.Cold)]
    public void Curve_CompressedValues_IsThatOfStoresOfTheseSizes(ValueCompression compression) =>
        AssertCurve(
            0.08,
            random => Enumerable.Range(0, 150_000).Select(
                _ => new Operation(Kind.Read, Skewed(random, 60_000), 400)),
            options => options.Compression = compression);

    // A sample of a thousand keys is off by some points, this way or that: what the mean of several samples is off by,
    // is the estimator's.
    private static void AssertCurve(
        double tolerance, Func<Random, IEnumerable<Operation>> operations, Action<CacheOptions>? configure = null)
    {
        var curves = Enumerable.Range(0, Samples).Select(i => CurveOf(i, operations, configure)).ToList();
        var errors = new List<string>();
        for (int i = 0; i < curves[0].Points.Count; i++)
        {
            using var other = FixtureOf(0, curves[0].Points[i].MemoryLimitBytes, configure);
            double measured = Run(other, operations(new Random(1)));
            var estimates = curves.Select(curve => curve.Points[i].HitRatio).ToList();
            string text = $"{curves[0].Points[i].Scale}: measured {measured:F3}, estimated {estimates.Average():F3}: "
                + string.Join(' ', estimates.Select(estimate => $"{estimate:F3}"));
            TestContext.Current.TestOutputHelper?.WriteLine(text);
            if (Math.Abs(estimates.Average() - measured) > tolerance
                || estimates.Exists(estimate => Math.Abs(estimate - measured) > 3 * tolerance))
            {
                errors.Add(text);
            }
        }

        Assert.Empty(errors);
    }

    private static HitRatioCurve CurveOf(
        int sample, Func<Random, IEnumerable<Operation>> operations, Action<CacheOptions>? configure)
    {
        using var fixture = FixtureOf(sample, LimitBytes, configure);
        Run(fixture, operations(new Random(1)));
        var curve = fixture.Store.GetHitRatioCurve()!;
        Assert.True(curve.IsKnown);
        return curve;
    }

    // The same keys are sampled in each run of a test, so that it cannot fail by chance.
    private static StoreFixture FixtureOf(int sample, long limitBytes, Action<CacheOptions>? configure)
    {
        byte[] secret = new byte[AesHash.SecretLength];
        new Random(sample).NextBytes(secret);
        return new StoreFixture(KeyedHash.Create(secret), options =>
        {
            options.MemoryLimitBytes = limitBytes;
            configure?.Invoke(options);
        });
    }

    private static double Run(StoreFixture fixture, IEnumerable<Operation> operations)
    {
        var store = fixture.Store;
        var before = store.GetStatistics();
        int count = 0;
        byte[] key = new byte[8];
        foreach (var (kind, number, length, ttlMs) in operations)
        {
            BinaryPrimitives.WriteInt64LittleEndian(key, number);
            var sink = default(NoBytesSink);
            if (kind == Kind.Take)
                store.TryRemove(key, ref sink);
            else if (kind == Kind.Remove)
                store.Remove(key);
            else if (kind == Kind.Write || !store.TryGet(key, ref sink))
                store.Set(key, ValueOf(number, length), OptionsOf(store, ttlMs));
            if (++count % OperationsPerLook == 0)
                fixture.Clock.Advance(SweepMs);
        }

        fixture.Clock.Advance(SweepMs);
        var after = store.GetStatistics();
        long hits = after.Hits - before.Hits;
        return (double)hits / Math.Max(1, hits + after.Misses - before.Misses);
    }

    private static EntryOptions OptionsOf(CacheStore store, int ttlMs) =>
        ttlMs == 0 ? default : StoreFixture.ExpiringAt(store.NowMs + ttlMs);

    // Few keys for many of the reads.
    private static int Skewed(Random random, int count)
    {
        double place = random.NextDouble();
        return (int)(place * place * place * count);
    }

    private static ReadOnlySpan<byte> ValueOf(long number, int length) =>
        _bytes.AsSpan((int)((ulong)number * 17 % (ulong)(_bytes.Length - length)), length);

    // Text that a compressor finds something in.
    private static byte[] Text(int length)
    {
        var random = new Random(7);
        byte[][] words = [.. Enumerable.Range(0, 400).Select(i =>
        {
            byte[] word = new byte[4 + i % 9];
            random.NextBytes(word);
            return word;
        })];
        byte[] bytes = new byte[length];
        for (int at = 0; at < length;)
        {
            byte[] word = words[random.Next(words.Length)];
            int copied = Math.Min(word.Length, length - at);
            word.AsSpan(0, copied).CopyTo(bytes.AsSpan(at));
            at += copied;
        }

        return bytes;
    }

    private readonly record struct Operation(Kind Kind, long Number, int Length, int TtlMs = 0);

    private struct NoBytesSink : IValueSink
    {
        private byte[]? _bytes;

        public Span<byte> GetSpan(int length) => (_bytes ??= new byte[length]).AsSpan(0, length);

        public readonly void Advance(int length)
        {
        }
    }
}
