using Cache.Bench.Traces;
using Cache.Bench.Traces.Sizes;

namespace Cache.Bench.Tests.Sizes;

/// <summary>The policies by bytes: short traces that can be followed by hand, and what must hold of any.</summary>
public sealed class SizedPolicyTests
{
    private const int Ids = 500;
    private const long Capacity = 40_000;

    public static TheoryData<string> Names => ["LRU", "GDSF", "W-TinyLFU AV", "S3-FIFO", "S3-FIFO by size"];

    [Theory]
    [MemberData(nameof(Names))]
    public void Access_WithRoomForAll_MissesEachIdOnce(string name)
    {
        int[] sizes = SizeLaw.Independent(Ids, 1.1);
        var policy = Create(name, sizes, 200 * sizes.Sum(size => (long)size)); // The window has room for all, too.
        uint[] ids = ZipfTrace.Create(Ids, requests: 10_000, skew: 0.5);

        Assert.Equal(ids.Length - ids.Distinct().Count(), ids.Count(id => policy.Access((int)id)));
    }

    [Theory]
    [MemberData(nameof(Names))]
    public void Access_WhateverIsAskedFor_KeepsTheLimit(string name)
    {
        int seed = Random.Shared.Next();
        TestContext.Current.SendDiagnosticMessage($"Seed {seed}");
        var random = new Random(seed);
        int[] sizes = SizeLaw.Independent(Ids, 0.3 + random.NextDouble());
        var policy = Create(name, sizes, Capacity);
        long bytesMax = 0;
        for (int i = 0; i < 20_000; i++)
        {
            policy.Access((int)(Ids * Math.Pow(random.NextDouble(), 3)));
            Assert.InRange(policy.Bytes, 0, Capacity);
            bytesMax = Math.Max(bytesMax, policy.Bytes);
        }

        Assert.True(bytesMax > Capacity / 2, $"Seed {seed}: {bytesMax} bytes at most, of {Capacity}.");
    }

    // A new one, one that was there, and a ghost.
    [Theory]
    [MemberData(nameof(Names))]
    public void Access_OfOneThatIsLargerThanAll_LeavesTheOthers(string name)
    {
        var policy = Create(name, [1_001, 100, 100, 100], capacity: 1_000);
        Assert.Equal("MMM", Run(policy, 1, 2, 3));
        Assert.Equal("MHHHM", Run(policy, 0, 1, 2, 3, 0));
    }

    [Theory]
    [MemberData(nameof(Names))]
    public void Access_OfSkewedIds_IsAboveChanceAndBelowTheBest(string name)
    {
        int[] sizes = SizeLaw.Independent(Ids, 1.1);
        var policy = Create(name, sizes, Capacity);
        uint[] ids = ZipfTrace.Create(Ids, requests: 50_000, skew: 0.9);
        double ratio = (double)ids.Count(id => policy.Access((int)id)) / ids.Length;

        Assert.InRange(ratio, 0.4, BestOf(ids, sizes) + 0.001);
    }

    [Fact]
    public void Lru_TheOldestGoUntilTheNewOneFits()
    {
        var policy = new SizedLruPolicy([3, 1, 2, 4, 5], capacity: 6);
        Assert.Equal("MMMH", Run(policy, 0, 1, 2, 0)); // 3 + 1 + 2; the oldest is 1.
        Assert.Equal("MH", Run(policy, 3, 3)); // 4: 1, 2 and 0 go.
        Assert.Equal(4, policy.Bytes);
        Assert.Equal("MMHM", Run(policy, 2, 4, 4, 2)); // 5: 3 goes, and 2 too.
    }

    [Fact]
    public void Gdsf_TheFewestUsesForItsBytesGo()
    {
        var policy = new GdsfPolicy([10, 2, 4, 4, 4], capacity: 16);
        Assert.Equal("MMMHH", Run(policy, 0, 1, 2, 0, 0)); // 3/10, 1/2, 1/4.
        // 3 comes in place of 2; then 2 in place of 0, which has 4/10, less than 1/4 + 2/4.
        Assert.Equal("MHHHM", Run(policy, 3, 3, 0, 1, 2));
        Assert.Equal("HHMHH", Run(policy, 3, 1, 4, 2, 3));
    }

    // What went last says from where new ones count; else what was used often once would stay for ever.
    [Fact]
    public void Gdsf_WhatWasUsedOftenAgesInTheEnd()
    {
        var policy = new GdsfPolicy([1, 1, 1, 1], capacity: 2);
        Assert.Equal("MHH", Run(policy, 0, 0, 0));
        Assert.Equal("MMM", Run(policy, 1, 2, 3)); // 1, 2 and 3.
        Assert.Equal("MM", Run(policy, 1, 2)); // Of equal ones the older goes, that is 0.
        Assert.Equal("M", Run(policy, 0));
    }

    [Fact]
    public void Gdsf_DoesWhatALookAtAllEntriesDoes()
    {
        int seed = Random.Shared.Next();
        TestContext.Current.SendDiagnosticMessage($"Seed {seed}");
        var random = new Random(seed);
        int[] sizes = [.. Enumerable.Range(0, 60).Select(_ => random.Next(1, 50))];
        var policy = new GdsfPolicy(sizes, capacity: 300);
        var simple = new SimpleGdsf(sizes, capacity: 300);
        for (int i = 0; i < 20_000; i++)
        {
            int id = random.Next(60) * random.Next(60) / 60;
            Assert.True(policy.Access(id) == simple.Access(id), $"Seed {seed}, request {i}.");
        }
    }

    [Fact]
    public void S3Fifo_TwoUsesPromoteAndGhostsComeToMain()
    {
        var policy = new SizedS3FifoPolicy([9, 1, 1, 1, 1, 2], capacity: 4, share: 0.5, hasClasses: false);
        Assert.Equal("MMMMHH", Run(policy, 1, 2, 3, 4, 1, 1));
        Assert.Equal("MHHMM", Run(policy, 5, 1, 4, 2, 3)); // 1 came to main, 2 and 3 went for two bytes.
    }

    [Theory]
    [InlineData(false, "MMM")] // One use is not enough for any.
    [InlineData(true, "HMM")] // It is for a small one.
    public void S3Fifo_OneUse_PromotesSmallOnesIfSizesCount(bool hasClasses, string expected)
    {
        const int small = 0;
        int[] sizes = [10, .. Enumerable.Repeat(100, 200)];
        var policy = new SizedS3FifoPolicy(sizes, capacity: 1_000, share: 0.5, hasClasses);
        for (int i = 1; i < 100; i++)
            policy.Access(i);
        Run(policy, small, small, 100, 100);
        for (int i = 101; i < 120; i++)
            policy.Access(i);

        Assert.Equal(expected, Run(policy, small, 100, 101));
    }

    [Theory]
    [InlineData(false, "H")]
    [InlineData(true, "M")]
    public void S3Fifo_TwoUses_PromoteNoLongOnesIfSizesCount(bool hasClasses, string expected)
    {
        const int large = 0;
        int[] sizes = [500, .. Enumerable.Repeat(100, 200)];
        var policy = new SizedS3FifoPolicy(sizes, capacity: 2_000, share: 0.5, hasClasses);
        for (int i = 1; i < 100; i++)
            policy.Access(i);
        Run(policy, large, large, large);
        for (int i = 101; i < 130; i++)
            policy.Access(i);

        Assert.Equal(expected, Run(policy, large));
    }

    // Two uses each; for the long one two of them would have to go, who have four together.
    [Fact]
    public void TinyLfu_IsAdmittedIfUsedLikeAllItsVictims()
    {
        int[] sizes = [10, 10, 20, 10, 10];
        var policy = new SizedTinyLfuPolicy(sizes, capacity: 40, windowShare: 0);
        Assert.Equal("MMHHMM", Run(policy, 0, 1, 0, 1, 3, 4)); // 40 bytes: 0 and 1 with two uses, 3 and 4 with one.
        Assert.Equal("HHMMM", Run(policy, 3, 4, 2, 2, 2)); // All have two; it needs four.
        Assert.Equal("MH", Run(policy, 2, 2));
        Assert.Equal(40, policy.Bytes);
    }

    // Main has 0 and 1, of which 1 is protected; 0 has been used twice, 1 three times.
    [Fact]
    public void TinyLfu_TheVictimOfARefusedOneCountsAsUsed()
    {
        var policy = new SizedTinyLfuPolicy([10, 10, 10], capacity: 20, windowShare: 0);
        Assert.Equal("MHMHH", Run(policy, 0, 0, 1, 1, 1));
        Assert.Equal("MMM", Run(policy, 2, 2, 2)); // Refused for 0, then for 1, then in place of 0.
        Assert.Equal("HHM", Run(policy, 2, 1, 0));
    }

    private static ISizedPolicy Create(string name, int[] sizes, long capacity) => name switch
    {
        "LRU" => new SizedLruPolicy(sizes, capacity),
        "GDSF" => new GdsfPolicy(sizes, capacity),
        "S3-FIFO" => new SizedS3FifoPolicy(sizes, capacity, share: 0.1, hasClasses: false),
        "S3-FIFO by size" => new SizedS3FifoPolicy(sizes, capacity, share: 0.1, hasClasses: true),
        _ => new SizedTinyLfuPolicy(sizes, capacity, windowShare: 0.01),
    };

    private static string Run(ISizedPolicy policy, params int[] ids) =>
        string.Concat(ids.Select(id => policy.Access(id) ? 'H' : 'M'));

    // The fixed choice of the most requests for their bytes, and a part of the next one: no fixed choice is better.
    private static double BestOf(uint[] ids, int[] sizes)
    {
        double left = Capacity;
        double hits = 0;
        foreach (var group in ids.GroupBy(id => id).OrderByDescending(one => (double)one.Count() / sizes[one.Key]))
        {
            double part = Math.Min(1, left / sizes[group.Key]);
            hits += part * group.Count();
            left -= part * sizes[group.Key];
        }

        return hits / ids.Length;
    }

    /// <summary>GDSF as its definition reads: at each eviction all scores are compared.</summary>
    private sealed class SimpleGdsf(int[] sizes, long capacity)
    {
        private readonly Dictionary<int, (double Score, int Turn, int Uses)> _entries = [];
        private double _age;
        private int _turn;

        public bool Access(int id)
        {
            bool isHit = _entries.TryGetValue(id, out var entry);
            while (!isHit && _entries.Keys.Sum(key => sizes[key]) + sizes[id] > capacity)
            {
                var (victim, found) = _entries.OrderBy(one => one.Value.Score).ThenBy(one => one.Value.Turn).First();
                _age = found.Score;
                _entries.Remove(victim);
            }

            _entries[id] = (_age + (entry.Uses + 1.0) / sizes[id], _turn++, entry.Uses + 1);
            return isHit;
        }
    }
}
