using System.Buffers.Binary;
using Cache.Core.Hashing;
using Cache.Testing;

namespace Cache.Core.Tests.Curve;

/// <summary>A store whose small list has the share that the trials choose, beside one without trials.</summary>
public class ChosenShareTests
{
    private const int OperationsPerLook = 1_000; // Fewer than are noted between two looks.
    private const int Operations = 150_000;

    private const int ValueLength = 200;

    private static readonly byte[] _value = new byte[1_000];

    // What comes back does so while it is new. By its ghosts alone the small list grows too late.
    [Fact]
    public void TryGet_OfKeysThatAreUsedWhileTheyAreNew_AnswersMore()
    {
        double chosen = Run(estimates: true, Recent);
        double learnt = Run(estimates: false, Recent);

        TestContext.Current.TestOutputHelper?.WriteLine($"{chosen:F4}, {learnt:F4}");
        Assert.True(chosen > learnt + 0.005, $"{chosen:F4} and {learnt:F4}");
    }

    // The ghosts of a loop come back to a small list that cannot hold them, however large it grows.
    [Fact]
    public void TryGet_OfALoopBesideHotKeys_AnswersMore()
    {
        double chosen = Run(estimates: true, LoopAndHot);
        double learnt = Run(estimates: false, LoopAndHot);

        TestContext.Current.TestOutputHelper?.WriteLine($"{chosen:F4}, {learnt:F4}");
        Assert.True(chosen > learnt + 0.005, $"{chosen:F4} and {learnt:F4}");
    }

    // Small ones come back once: a use must not be enough for them.
    [Fact]
    public void TryGet_OfSmallEntriesThatAreReadOnceMore_AnswersMoreOnceSizesDoNotCount()
    {
        bool countsSizes = true;
        Run(
            estimates: true, static random => ReadOnceMore.Requests(random, 2 * Operations, longKeys: 6_000),
            static number => number < ReadOnceMore.SmallFirst ? 1_000 : 16,
            store => countsSizes = store.State.Reclaimer.CountsSizes);

        Assert.False(countsSizes);
    }

    private static IEnumerable<int> Recent(Random random)
    {
        int newest = 0;
        for (int i = 0; i < Operations; i++)
        {
            bool isNew = newest == 0 || random.Next(100) < 45;
            int age = (int)(-Math.Log(1 - random.NextDouble()) * 5_000);
            yield return isNew ? ++newest : Math.Max(1, newest - age);
        }
    }

    private static IEnumerable<int> LoopAndHot(Random random)
    {
        for (int i = 0; i < Operations; i++)
        {
            double place = random.NextDouble();
            yield return i % 2 == 0 ? i / 2 % 20_000 : 1_000_000 + (int)(place * place * place * 20_000);
        }
    }

    private static double Run(
        bool estimates, Func<Random, IEnumerable<int>> keys, Func<int, int>? lengthOf = null,
        Action<CacheStore>? atEnd = null)
    {
        byte[] secret = new byte[AesHash.SecretLength];
        new Random(1).NextBytes(secret); // The same keys are sampled in each run.
        using var fixture = new StoreFixture(KeyedHash.Create(secret), options =>
        {
            options.MemoryLimitBytes = CacheOptions.MemoryLimitMin;
            options.EstimatesHitRatios = estimates;
        });
        byte[] key = new byte[8];
        int count = 0;
        foreach (int number in keys(new Random(1)))
        {
            BinaryPrimitives.WriteInt64LittleEndian(key, number);
            var sink = default(DiscardSink);
            if (!fixture.Store.TryGet(key, ref sink))
                fixture.Store.Set(key, _value.AsSpan(0, lengthOf?.Invoke(number) ?? ValueLength));
            if (++count % OperationsPerLook == 0)
                fixture.Clock.Advance(100);
        }

        atEnd?.Invoke(fixture.Store);
        var statistics = fixture.Store.GetStatistics();
        return (double)statistics.Hits / (statistics.Hits + statistics.Misses);
    }

    private readonly struct DiscardSink : IValueSink
    {
        private static readonly byte[] _bytes = new byte[_value.Length];

        public Span<byte> GetSpan(int length) => _bytes.AsSpan(0, length);

        public void Advance(int length)
        {
        }
    }
}
