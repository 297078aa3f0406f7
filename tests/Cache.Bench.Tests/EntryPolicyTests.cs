using Cache.Bench.Traces;
using Cache.Bench.Traces.Policies;

namespace Cache.Bench.Tests;

/// <summary>The textbook policies: what each answers of short traces that can be followed by hand.</summary>
public sealed class EntryPolicyTests
{
    private const int Ids = 1_000;
    private const int Capacity = 10;

    public static TheoryData<string> Names => ["LRU", "ARC", "2Q", "SIEVE", "S3-FIFO", "W-TinyLFU"];

    [Theory]
    [MemberData(nameof(Names))]
    public void Access_WithRoomForAll_MissesEachIdOnce(string name)
    {
        var policy = Create(name, Ids);
        uint[] ids = ZipfTrace.Create(objects: Ids / 10, requests: 10_000, skew: 0.5);

        Assert.Equal(ids.Length - ids.Distinct().Count(), ids.Count(id => policy.Access((int)id)));
    }

    // Whatever was asked for, no more than the capacity is there: the asking itself takes each in at most once.
    [Theory]
    [MemberData(nameof(Names))]
    public void Access_OfALoopOverTwiceTheCapacity_AnswersNoMoreThanFits(string name)
    {
        var policy = Create(name, Capacity);
        int hits = 0;
        for (int i = 0; i < 100 * 2 * Capacity; i++)
            hits += policy.Access(i % (2 * Capacity)) ? 1 : 0;

        Assert.InRange(hits, 0, 100 * Capacity);
    }

    [Theory]
    [MemberData(nameof(Names))]
    public void Access_OfSkewedIds_IsAboveChanceAndBelowTheBest(string name)
    {
        var policy = Create(name, Capacity * 10);
        uint[] ids = ZipfTrace.Create(Ids, requests: 100_000, skew: 0.9);
        double ratio = (double)ids.Count(id => policy.Access((int)id)) / ids.Length;
        double best = (double)ids.GroupBy(id => id).Select(group => group.Count()).OrderDescending()
            .Take(Capacity * 10).Sum() / ids.Length;

        Assert.InRange(ratio, 0.4, best + 0.001);
    }

    [Fact]
    public void Lru_TheOneThatWasUsedLongestAgoGoes()
    {
        var policy = new LruPolicy(Ids, capacity: 3);
        Assert.Equal("MMMHMM", Run(policy, 1, 2, 3, 1, 4, 2));
        Assert.Equal("HM", Run(policy, 1, 3));
    }

    // One that was used is passed over, and loses its mark thereby.
    [Fact]
    public void Sieve_TheHandPassesWhatWasUsed()
    {
        var policy = new SievePolicy(Ids, capacity: 3);
        Assert.Equal("MMMHM", Run(policy, 1, 2, 3, 1, 4)); // 2 went.
        Assert.Equal("HHMM", Run(policy, 1, 4, 2, 3)); // For 2 the hand took 3, for 3 it took 2 behind 4.
    }

    [Fact]
    public void S3Fifo_TwoUsesPromoteAndGhostsComeToMain()
    {
        var policy = new S3FifoPolicy(Ids, capacity: 4, share: 0.5);
        Assert.Equal("MMMMHH", Run(policy, 1, 2, 3, 4, 1, 1));
        Assert.Equal("MH", Run(policy, 5, 1)); // 1 came to main, 2 went.
        Assert.Equal("MH", Run(policy, 2, 1)); // A ghost: to main as well.
        Assert.Equal("MMMHH", Run(policy, 6, 7, 8, 2, 1));
    }

    [Fact]
    public void TinyLfu_ManyNewIds_DoNotDisplaceTheUsedOnes()
    {
        var policy = new TinyLfuPolicy(Ids, Capacity);
        for (int round = 0; round < 5; round++)
            Run(policy, 1, 2, 3, 4, 5);
        for (int id = 100; id < 180; id++)
            policy.Access(id);

        Assert.Equal("HHHHH", Run(policy, 1, 2, 3, 4, 5));
    }

    private static IEntryPolicy Create(string name, int capacity) => name switch
    {
        "LRU" => new LruPolicy(Ids, capacity),
        "ARC" => new ArcPolicy(Ids, capacity),
        "2Q" => new TwoQueuePolicy(Ids, capacity),
        "SIEVE" => new SievePolicy(Ids, capacity),
        "S3-FIFO" => new S3FifoPolicy(Ids, capacity, share: 0.1),
        _ => new TinyLfuPolicy(Ids, capacity),
    };

    private static string Run(IEntryPolicy policy, params int[] ids) =>
        string.Concat(ids.Select(id => policy.Access(id) ? 'H' : 'M'));
}
