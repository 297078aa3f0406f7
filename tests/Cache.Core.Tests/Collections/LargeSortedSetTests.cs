using Cache.Core.Collections.Objects;
using Cache.Testing;
using static Cache.Core.Tests.StoreFixture;

namespace Cache.Core.Tests.Collections;

/// <summary>Sorted sets that are too long for a record.</summary>
public sealed class LargeSortedSetTests : IDisposable
{
    private const int Many = 1_000;

    private readonly StoreFixture _fixture = new();

    private CacheStore Store => _fixture.Store;

    private SortedSetKey Set => Store.SortedSet("z"u8);

    public void Dispose() => _fixture.Dispose();

    [Fact]
    public void Add_OfManyMembers_MakesALargeSortedSet()
    {
        Fill(Store, "z", Many);

        Assert.Equal((Many, 1), (Set.Count, Store.State.Objects!.Count));
        Assert.True(Set.TryGetScore("member 7"u8, out double score));
        Assert.True(Set.TryGetRank("member 7"u8, isReversed: true, out long rank));
        Assert.Equal((7, Many - 8), (score, rank));
        Assert.False(Set.Contains("absent"u8));
        Assert.True(Store.TryPeekCollection("z"u8, out var info));
        Assert.Equal((EntryKind.SortedSet, Many, true), (info.Kind, info.Count, info.IsConverted));
        Store.AssertValid();
    }

    [Fact]
    public void Zeros_OfEitherSign_AreOnePlaceAndKeepTheirSigns()
    {
        Fill(Store, "z", Many);
        Set.Add("a"u8, -0.0);
        Set.Add("b"u8, 0);
        Set.Add("c"u8, -0.0);
        Set.Add("b"u8, -0.0); // The same score: it stays.
        var sink = new ScoredListSink();
        Set.GetRange(SortedSetRange.ByScore(0, -0.0), ref sink);
        Assert.Equal(["a", "b", "c", "member 0"], sink.Members.Select(static one => one.Member));
        Assert.Equal([true, false, true, false], sink.Members.Select(static one => double.IsNegative(one.Score)));
        Assert.Equal(WriteStatus.Done, Set.Remove("a"u8));
        Set.GetCount(SortedSetRange.ByScore(new ScoreBound(0, IsExclusive: true), 1), out long count);
        Assert.Equal(1, count);
        Store.AssertValid();
    }

    // As in Redis, whose compact encoding has no sign for them, and at most 128 members.
    [Fact]
    public void Add_OfManyNegativeZeros_KeepsTheSignsOfThoseBehindTheCompactEncoding()
    {
        const int Before = 94, Added = 120;
        Fill(Store, "z", Before);
        var zeros = new ScoreArray(
            [.. Enumerable.Range(0, Added).Select(static i => ($"a long member {i:D12}", -0.0))]);

        Assert.Equal(WriteStatus.Done, Set.AddMany(ref zeros, ScoreConditions.None, out int added, out _));

        Assert.Equal((Added, 1), (added, Store.State.Objects!.Count));
        var sink = new ScoredListSink();
        Set.GetRange(SortedSetRange.ByScore(0, 0), ref sink);
        Assert.Equal(Added + 1, sink.Members.Count); // One was there.
        int signs = sink.Members.Count(static one => double.IsNegative(one.Score));
        Assert.Equal(Added - (Store.State.EncodingLimits.SortedSetMembers - Before), signs);
    }

    [Fact]
    public void GetRange_ByMember_IsThatOfTheBytes()
    {
        for (int i = 0; i < Many; i++)
            Set.Add(Bytes($"{i:D4}"), 5);
        var range = SortedSetRange.ByMember(MemberBound.Without("0100"u8), MemberBound.At("0103x"u8));
        Assert.Equal(["0101", "0102", "0103"], Members(range));
        Assert.Equal(["0103", "0102"], Members(range with { IsReversed = true, Limit = 2 }));
        Assert.Equal(Many, Members(SortedSetRange.ByMember(MemberBound.Lowest, MemberBound.Highest)).Count);
        Assert.Equal([], Members(SortedSetRange.ByMember(MemberBound.At("1000"u8), MemberBound.Highest)));
        Assert.Equal([], Members(SortedSetRange.ByMember(MemberBound.Lowest, MemberBound.Without("0000"u8))));
        Assert.Equal(
            WriteStatus.Done,
            Set.RemoveRange(SortedSetRange.ByMember(MemberBound.At("0100"u8), MemberBound.Highest), out int removed));
        Assert.Equal((900, 100), (removed, Set.Count));
        Store.AssertValid();
    }

    [Fact]
    public void PopAndRemoveRange_OfAllMembers_RemoveTheKeyAndItsPages()
    {
        Fill(Store, "z", Many);
        var popped = new ScoredListSink();
        Assert.Equal(WriteStatus.Done, Set.Pop(2 * Many, takesHighest: true, ref popped));
        Assert.Equal(Enumerable.Range(0, Many).Reverse().Select(i => ($"member {i}", (double)i)), popped.Members);
        AssertNoPages();
        Fill(Store, "z", Many);
        Assert.Equal(WriteStatus.Done, Set.RemoveRange(SortedSetRange.All, out int removed));
        Assert.Equal(Many, removed);
        AssertNoPages();
    }

    // Each of them keeps the highest hundred, however their steps come.
    [Fact]
    public void RemoveRange_ByRankFromTheEndByManyThreads_LeavesWhatEachLeaves()
    {
        for (int round = 0; round < 5; round++)
        {
            Fill(Store, "z", 4 * Many);
            var threads = new Thread[4];
            for (int i = 0; i < threads.Length; i++)
            {
                threads[i] = new Thread(() => Set.RemoveRange(SortedSetRange.ByRank(0, -101), out _));
                threads[i].Start();
            }

            foreach (var thread in threads)
                thread.Join();
            Assert.Equal(100, Set.Count);
            Assert.True(Set.TryGetRank(Bytes($"member {4 * Many - 1}"), isReversed: true, out long rank));
            Assert.Equal(0, rank);
            Store.Remove("z"u8);
        }
    }

    // What is added meanwhile may stay: the call ends.
    [Fact]
    public void Pop_OfAllBesideAProducer_EndsAndTellsNoMoreThanThereWere()
    {
        Fill(Store, "z", Many);
        bool isOver = false;
        var producer = new Thread(() =>
        {
            for (int i = 0; !Volatile.Read(ref isOver); i++)
                Set.Add(Bytes($"new {i}"), -1);
        });
        producer.Start();
        long before = Set.Count;
        var popped = new ScoredListSink();
        Set.Pop(long.MaxValue, takesHighest: true, ref popped);
        Volatile.Write(ref isOver, true);
        producer.Join();
        Assert.True(popped.Members.Count >= before);
        Assert.Equal(Many, popped.Members.Count(static one => one.Member.StartsWith("member")));
        Store.AssertValid();
    }

    [Fact]
    public void Increment_ToNoNumber_IsRefusedAndChangesNothing()
    {
        Fill(Store, "z", Many);
        Set.Add("m"u8, double.PositiveInfinity);
        Assert.Equal(WriteStatus.Overflow, Set.Increment("m"u8, double.NegativeInfinity, out _));
        Assert.True(Set.TryGetScore("m"u8, out double score));
        Assert.Equal(double.PositiveInfinity, score);
        Assert.Equal(WriteStatus.ConditionNotMet, Set.Increment("n"u8, 1, ScoreConditions.IfPresent, out _));
    }

    [Fact]
    public void Replace_WithManyMembers_MakesALargeSortedSet()
    {
        Store.Set("z"u8, "string"u8);
        var scores = new ScoreArray([.. Enumerable.Range(0, Many).Select(static i => ($"m{i % 900}", (double)i))]);
        Assert.Equal(WriteStatus.Done, Set.Replace(ref scores));
        Assert.True(Set.TryGetScore("m5"u8, out double score));
        Assert.Equal((900, 905), (Set.Count, score));
        Assert.Equal(WriteStatus.Done, Store.StoreRange("z"u8, SortedSetRange.All, "z"u8, out long count));
        Assert.Equal(900, count);
        Store.AssertValid();
    }

    [Fact]
    public void Operations_InATransaction_SeeItsWrites()
    {
        Fill(Store, "z", Many);
        KeyedTransaction.Run(Store, [Bytes("z"), Bytes("t")], 4, 400, static store =>
        {
            store.SortedSet("z"u8).Add("new"u8, -1);
            Assert.True(store.SortedSet("z"u8).TryGetRank("new"u8, isReversed: false, out long rank));
            Assert.Equal(0, rank);
            Assert.Equal(WriteStatus.Done, store.StoreRange("z"u8, SortedSetRange.All, "t"u8, out long count));
            Assert.Equal(Many + 1, count);
            store.SortedSet("z"u8).RemoveRange(SortedSetRange.All, out int removed);
            Assert.Equal((Many + 1, 0), (removed, store.SortedSet("z"u8).Count));
        });

        Assert.Equal((0, Many + 1), (Set.Count, Store.SortedSet("t"u8).Count));
        Store.AssertValid();
    }

    // Both trees are as before, whichever of them was refused a page.
    [Fact]
    public void Add_InAFullStoreThatEvictsNothing_IsRefusedAndChangesNothing()
    {
        using var fixture = new StoreFixture(static options => options.Eviction = EvictionPolicy.None);
        var store = fixture.Store;
        var set = store.SortedSet("z"u8);
        int count = 0;
        string filling = new('x', 100);
        while (set.Add(Bytes($"{count}{filling}"), count % 1_000) == WriteStatus.Done)
            count++;
        Assert.InRange(count, 20_000, 100_000);
        Assert.Equal(count, set.Count);
        store.AssertValid();
        int refused = 0;
        for (int i = 0; i < 2_000; i++)
        {
            double score = -0.1 - i;
            (string, double)[] some = [.. Enumerable.Range(i * 5, 5).Select(j => ($"{j}{filling}", score))];
            var scores = new ScoreArray(some);
            bool isDone = set.AddMany(ref scores, ScoreConditions.None, out _, out int updated) == WriteStatus.Done;
            refused += isDone ? 0 : 1;
            foreach (var (member, _) in some)
            {
                Assert.True(set.TryGetScore(Bytes(member), out double present));
                Assert.Equal(isDone, present == score);
            }
        }

        Assert.InRange(refused, 1, 2_000);
        Assert.Equal(count, set.Count);
        store.AssertValid();
        Assert.Equal(WriteStatus.Done, set.RemoveRange(SortedSetRange.All, out int removed));
        Assert.Equal((count, false), (removed, store.Contains("z"u8)));
    }

    [Fact]
    public void ReadsAndWrites_OfALargeSortedSet_AllocateNothing()
    {
        Fill(Store, "z", Many);
        var range = new NoSink();
        Set.GetRange(SortedSetRange.ByRank(0, 9), ref range);
        Set.Pop(1, takesHighest: false, ref range);
        long bytes = AllocatedBytes.LeastOf(() =>
        {
            var sink = new NoSink();
            for (int i = 0; i < 50; i++)
            {
                Set.TryGetScore("member 7"u8, out _);
                Set.TryGetRank("member 700"u8, isReversed: false, out _);
                Set.GetRange(SortedSetRange.ByRank(0, 9), ref sink);
                Set.Add("member 7"u8, i);
                Set.Increment("member 8"u8, 1, out _);
                Set.Pop(1, takesHighest: true, ref sink);
            }
        });
        Assert.Equal(0, bytes);
    }

    [Fact]
    public void Keys_OfScores_AreOrderedAsNumbers()
    {
        double[] scores =
        [
            double.NegativeInfinity, double.MinValue, -1.5, -1, -double.Epsilon, 0, double.Epsilon, 0.1, 1, 1e300,
            double.PositiveInfinity,
        ];
        for (int i = 0; i + 1 < scores.Length; i++)
            Assert.True(ScoreKey.Of(scores[i]) < ScoreKey.Of(scores[i + 1]));
        Assert.All(scores, static score => Assert.Equal(score, ScoreKey.ScoreOf(ScoreKey.Of(score))));
        Assert.Equal(ScoreKey.Zero, ScoreKey.Of(-0.0));
    }

    [Fact]
    public void AnyOperations_OnSomeLargeSortedSets_AreThoseOfDictionaries() => RandomSeed.Run(this, static seed =>
    {
        using var fixture = new StoreFixture();
        LargeSortedSetModel.Run(fixture, new Random(seed), 12_000);
    });

    internal static void Fill(CacheStore store, string key, int count)
    {
        for (int i = 0; i < count; i++)
            Assert.Equal(WriteStatus.Done, store.SortedSet(Bytes(key)).Add(Bytes($"member {i}"), i));
    }

    private List<string> Members(in SortedSetRange range)
    {
        var sink = new ScoredListSink();
        Set.GetRange(range, ref sink);
        Assert.Equal(sink.Count, sink.Members.Count);
        return [.. sink.Members.Select(static one => one.Member)];
    }

    private void AssertNoPages()
    {
        Store.AssertValid();
        Assert.Equal((0, 0), (Store.State.Objects!.Count, Store.State.Objects!.UsedBytes));
        Assert.False(Store.Contains("z"u8));
    }

    private struct NoSink : IScoredMemberSink
    {
        public readonly bool IsFull => false;

        public readonly void Begin(long count)
        {
        }

        public readonly void Take(scoped ReadOnlySpan<byte> member, double score)
        {
        }
    }
}
