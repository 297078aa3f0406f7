using Cache.Core.Collections.Packed;
using Cache.Testing;
using static Cache.Core.Tests.StoreFixture;

namespace Cache.Core.Tests.Collections;

public sealed class SortedSetKeyTests : IDisposable
{
    private readonly StoreFixture _fixture = new();

    private CacheStore Store => _fixture.Store;

    private SortedSetKey Set => Store.SortedSet("z"u8);

    public void Dispose() => _fixture.Dispose();

    [Fact]
    public void Add_OfMembers_OrdersThemByScoreAndMember()
    {
        Add("z", ("b", 2), ("c", -1.5), ("a", 2), ("d", double.PositiveInfinity), ("e", double.NegativeInfinity));

        Assert.Equal(["e", "c", "a", "b", "d"], Names("z", SortedSetRange.All));
        Assert.Equal(["d", "b", "a", "c", "e"], Names("z", SortedSetRange.All with { IsReversed = true }));
        Assert.True(Set.TryGetRank("a"u8, isReversed: false, out long rank) && rank == 2);
        Assert.True(Set.TryGetRank("a"u8, isReversed: true, out rank) && rank == 2);
        Assert.True(Set.TryGetRank("d"u8, isReversed: true, out rank) && rank == 0);
        Assert.False(Set.TryGetRank("x"u8, isReversed: true, out _));
        Assert.True(Set.TryGetScore("c"u8, out double score) && score == -1.5);
        Assert.Equal(WriteStatus.Done, Set.Add("e"u8, 3, ScoreConditions.None, out bool isNew));
        Assert.Equal((false, 5, EntryKind.SortedSet), (isNew, Set.Count, Store.KindOf("z"u8)));
        Assert.Equal(["c", "a", "b", "e", "d"], Names("z", SortedSetRange.All));
        double?[] scores = new double?[3];
        var members = Keys("e", "x", "c");
        Assert.Equal(ReadStatus.Found, Set.GetScores(ref members, scores));
        Assert.Equal([3, null, -1.5], scores);
    }

    [Fact]
    public void Add_UnderConditions_ChangesWhatTheyAllow()
    {
        Assert.Equal(WriteStatus.ConditionNotMet, Set.Add("a"u8, 1, ScoreConditions.IfPresent, out _));
        Assert.False(Store.Contains("z"u8));
        Set.Add("a"u8, 5);
        Assert.Equal(WriteStatus.ConditionNotMet, Set.Add("a"u8, 9, ScoreConditions.IfAbsent, out _));
        Assert.Equal(WriteStatus.ConditionNotMet, Set.Add("a"u8, 4, ScoreConditions.IfGreater, out _));
        Assert.Equal(WriteStatus.ConditionNotMet, Set.Add("a"u8, 6, ScoreConditions.IfLess, out _));
        Assert.Equal(WriteStatus.Done, Set.Add("a"u8, 6, ScoreConditions.IfGreater, out _));
        Assert.Equal(WriteStatus.Done, Set.Add("b"u8, 6, ScoreConditions.IfGreater, out bool isNew));
        Assert.True(isNew);
        Assert.Equal(WriteStatus.ConditionNotMet, Set.Increment("a"u8, -1, ScoreConditions.IfGreater, out double sum));
        Assert.Equal(0, sum);
        Assert.Equal(WriteStatus.Done, Set.Increment("a"u8, -1, out sum));
        Assert.Equal(5, sum);
        Assert.Equal(WriteStatus.Done, Set.Increment("new"u8, 2.5, out sum));
        Assert.Equal(2.5, sum);
        Set.Add("inf"u8, double.PositiveInfinity);
        Assert.Equal(WriteStatus.Overflow, Set.Increment("inf"u8, double.NegativeInfinity, out _));
        Assert.Throws<ArgumentException>(() => Set.Add("a"u8, double.NaN));
        Assert.Throws<ArgumentException>(() => Set.Increment("a"u8, double.NaN, out _));
    }

    [Fact]
    public void Members_OfAKeyOfAnotherKind_SayItAndChangeNothing()
    {
        Store.Set("z"u8, "string"u8);
        var sink = new ScoredListSink();
        var array = default(ArraySink);
        var members = Keys("m");
        var scores = new ScoreArray(("m", 1));
        var keys = Keys("z");
        ulong cursor = 0;

        Assert.Equal(ReadStatus.WrongType, Set.GetCount(out _));
        Assert.Equal(ReadStatus.WrongType, Set.GetCount(SortedSetRange.All, out _));
        Assert.Equal(ReadStatus.WrongType, Set.GetScore("m"u8, out _));
        Assert.Equal(ReadStatus.WrongType, Set.GetScores(ref members, new double?[1]));
        Assert.Equal(ReadStatus.WrongType, Set.GetRank("m"u8, true, out _));
        Assert.Equal(ReadStatus.WrongType, Set.GetRange(SortedSetRange.All, ref sink));
        Assert.Equal(ReadStatus.WrongType, Set.Scan(ref cursor, 10, ref sink));
        Assert.Equal(ReadStatus.WrongType, Set.GetRandom(ref array));
        Assert.Equal(ReadStatus.WrongType, Set.GetRandom(1, true, ref sink));
        Assert.Equal(WriteStatus.WrongType, Set.Add("m"u8, 1));
        Assert.Equal(WriteStatus.WrongType, Set.AddMany(ref scores, ScoreConditions.None, out _, out _));
        Assert.Equal(WriteStatus.WrongType, Set.Increment("m"u8, 1, out _));
        Assert.Equal(WriteStatus.WrongType, Set.Remove("m"u8));
        Assert.Equal(WriteStatus.WrongType, Set.RemoveMany(ref members, out _));
        Assert.Equal(WriteStatus.WrongType, Set.RemoveRange(SortedSetRange.All, out _));
        Assert.Equal(WriteStatus.WrongType, Set.Pop(0, true, ref sink));
        Assert.Equal(WriteStatus.WrongType, Store.StoreRange("z"u8, SortedSetRange.All, "d"u8, out _));
        Assert.Equal(
            WriteStatus.WrongType,
            Store.StoreSortedSets(SetCombination.Union, ref keys, default, ScoreAggregate.Sum, "d"u8, out _));

        Assert.Equal((-1, false), (sink.Count, Store.Contains("d"u8)));
        Assert.Equal("string"u8, Store.GetArray("z"u8)!);
        Assert.Equal(WriteStatus.Done, Set.Replace(ref scores));
        Assert.Equal(1, Set.Count);
    }

    [Fact]
    public void Ranges_OfEachKind_AreThoseOfTheOrder()
    {
        Add("z", ("a", 1), ("b", 2), ("c", 2), ("d", 3), ("e", 5));

        Assert.Equal(["b", "c"], Names("z", SortedSetRange.ByRank(1, 2)));
        Assert.Equal(["d", "e"], Names("z", SortedSetRange.ByRank(-2, long.MaxValue)));
        Assert.Equal(["e", "d"], Names("z", SortedSetRange.ByRank(0, 1) with { IsReversed = true }));
        Assert.Equal([], Names("z", SortedSetRange.ByRank(3, 1)));
        Assert.Equal(["b", "c", "d"], Names("z", SortedSetRange.ByScore(2, 3)));
        Assert.Equal(["d"], Names("z", SortedSetRange.ByScore(new ScoreBound(2, true), new ScoreBound(5, true))));
        Assert.Equal(
            ["c", "b"], Names("z", SortedSetRange.ByScore(2, 3) with { IsReversed = true, Offset = 1, Limit = 5 }));
        Assert.Equal([], Names("z", SortedSetRange.ByScore(2, 3) with { Offset = 3 }));
        Assert.Equal([], Names("z", SortedSetRange.ByScore(2, 3) with { Limit = 0 }));
        Assert.Equal([], Names("z", SortedSetRange.ByScore(3, 2)));
        Assert.Equal(ReadStatus.Found, Set.GetCount(SortedSetRange.ByScore(2, ScoreBound.Highest), out long count));
        Assert.Equal(4, count);
        Assert.Equal(WriteStatus.Done, Set.RemoveRange(SortedSetRange.ByRank(1, 3), out int removed));
        Assert.Equal((3, 2), (removed, Set.Count));
        Assert.Equal(WriteStatus.NotFound, Set.RemoveRange(SortedSetRange.ByScore(2, 3), out _));
        Add("l", ("a", 0), ("bb", 0), ("c", 0), ("", 0));
        var some = SortedSetRange.ByMember(MemberBound.At("a"u8), MemberBound.Without("c"u8));
        Assert.Equal(["a", "bb"], Names("l", some));
        some = SortedSetRange.ByMember(MemberBound.Without("a"u8), MemberBound.Highest) with { IsReversed = true };
        Assert.Equal(["c", "bb"], Names("l", some));
        Assert.Equal([], Names("l", SortedSetRange.ByMember(MemberBound.Highest, MemberBound.Lowest)));
    }

    [Fact]
    public void Pop_OfSome_TellsThemFromTheEnd()
    {
        Add("z", ("a", 1), ("b", 2), ("c", 3), ("d", 4));
        var sink = new ScoredListSink();
        Assert.Equal(WriteStatus.Done, Set.Pop(2, takesHighest: true, ref sink));
        Assert.Equal([("d", 4), ("c", 3)], sink.Members);
        Assert.Equal(WriteStatus.Done, Set.Pop(long.MaxValue, takesHighest: false, ref sink));
        Assert.Equal([("d", 4), ("c", 3), ("a", 1), ("b", 2)], sink.Members);
        Assert.Equal((WriteStatus.NotFound, false), (Set.Pop(1, false, ref sink), Store.Contains("z"u8)));
    }

    [Fact]
    public void Combinations_OfSortedSetsAndSets_HaveTheirScores()
    {
        Add("a", ("x", 1), ("y", 2));
        Add("b", ("y", 10), ("z", 20));
        Store.SetOf("s"u8).Add("x"u8);
        Assert.Equal([("x", 1), ("y", 12), ("z", 20)], Combine(SetCombination.Union, ScoreAggregate.Sum, [], "a", "b"));
        Assert.Equal([("x", 1), ("y", 2), ("z", 20)], Combine(SetCombination.Union, ScoreAggregate.Min, [], "b", "a"));
        Assert.Equal(
            [("y", 14)], Combine(SetCombination.Intersection, ScoreAggregate.Sum, [2, 1], "a", "b"));
        Assert.Equal([("x", 2)], Combine(SetCombination.Intersection, ScoreAggregate.Sum, [], "a", "s"));
        Assert.Equal([("x", 1)], Combine(SetCombination.Difference, ScoreAggregate.Sum, [], "a", "b"));
        Assert.Equal(
            [("y", 0)],
            Combine(
                SetCombination.Intersection, ScoreAggregate.Sum, [double.PositiveInfinity, double.NegativeInfinity],
                "a", "b"));
        var keys = Keys("a", "b");
        Assert.Throws<ArgumentException>(() => Store.StoreSortedSets(
            SetCombination.Union, ref keys, [1], ScoreAggregate.Sum, "d"u8, out _));
        Assert.Equal(
            WriteStatus.Done,
            Store.StoreSortedSets(SetCombination.Union, ref keys, default, ScoreAggregate.Max, "a"u8, out long count));
        Assert.Equal((3, 3), (count, Store.SortedSet("a"u8).Count));
        Assert.Equal(WriteStatus.Done, Store.StoreRange("a"u8, SortedSetRange.ByRank(0, 0), "a"u8, out count));
        Assert.Equal(1, count);
        Assert.Equal(["x"], Names("a", SortedSetRange.All));
    }

    [Fact]
    public void Add_BeyondTheLimits_IsNotedForGood()
    {
        Store.EncodingLimits = new EncodingLimits { SortedSetMembers = 2, SortedSetMemberLength = 5 };
        Add("z", ("a", 1), ("b", 2));
        Add("l", ("longer", 1));
        Assert.True(Store.TryPeekCollection("z"u8, out var info) && !info.IsConverted && info.Count == 2);
        Assert.True(Store.TryPeekCollection("l"u8, out info) && info.IsConverted);
        Add("z", ("c", 3));
        Set.Remove("c"u8);
        Assert.True(Store.TryPeekCollection("z"u8, out info) && info.IsConverted);
        Store.StoreRange("z"u8, SortedSetRange.All, "z"u8, out _);
        Assert.True(Store.TryPeekCollection("z"u8, out info) && !info.IsConverted);
    }

    [Fact]
    public void Add_BeyondTheLongestRecord_MakesALargeSortedSet()
    {
        Set.Add("a"u8, 1);
        Assert.Equal(WriteStatus.Done, Set.Add(new byte[PackedTable.LengthMax], 1));
        var many = new ScoreArray(
        [
            .. Enumerable.Range(0, 100).Select(static i => ($"member {i:D20}", (double)i)),
            (new string('x', 4_000), 1),
        ]);
        Assert.Equal(WriteStatus.Done, Set.AddMany(ref many, ScoreConditions.None, out int added, out _));
        Assert.Equal(WriteStatus.Done, Store.SortedSet("new"u8).Replace(ref many));
        Assert.Equal((101, 103, 101), (added, Set.Count, Store.SortedSet("new"u8).Count));
        Store.AssertValid();
    }

    // More than are searched one by one.
    [Fact]
    public void ManyMembers_OfOneRequest_AreAsIfOneByOne() => RandomSeed.Run(this, static seed =>
    {
        var random = new Random(seed);
        using var fixture = new StoreFixture();
        for (int i = 0; i < 300; i++)
        {
            (string, double)[] members =
            [
                .. Enumerable.Range(0, random.Next(17, 60))
                    .Select(_ => ($"m{random.Next(40)}", (double)random.Next(9))),
            ];
            ScoreConditions[] all =
            [
                ScoreConditions.None, ScoreConditions.IfAbsent, ScoreConditions.IfPresent, ScoreConditions.IfGreater,
                ScoreConditions.IfLess, ScoreConditions.IfPresent | ScoreConditions.IfLess,
            ];
            var conditions = all[random.Next(all.Length)];
            var source = new ScoreArray(members);
            var one = fixture.Store.SortedSet("one by one"u8);
            int newOnes = 0;
            foreach (var (member, score) in members)
            {
                one.Add(Bytes(member), score, conditions, out bool isNew);
                newOnes += isNew ? 1 : 0;
            }

            fixture.Store.SortedSet("at once"u8).AddMany(ref source, conditions, out int added, out _);
            Assert.Equal(newOnes, added);
            if (random.Next(3) == 0)
            {
                var names = new KeyArray([.. Enumerable.Range(0, 30).Select(_ => Bytes($"m{random.Next(80)}"))]);
                fixture.Store.SortedSet("at once"u8).RemoveMany(ref names, out int removed);
                for (int name = 0; name < names.Count; name++)
                    removed -= one.Remove(names.GetKey(name)) == WriteStatus.Done ? 1 : 0;
                Assert.Equal(0, removed);
            }

            var expected = new ScoredListSink();
            var actual = new ScoredListSink();
            one.GetRange(SortedSetRange.All, ref expected);
            fixture.Store.SortedSet("at once"u8).GetRange(SortedSetRange.All, ref actual);
            Assert.Equal(expected.Members, actual.Members);
        }
    });

    [Fact]
    public void AnyOperations_OnASortedSet_AreThoseOfASortedList() => RandomSeed.Run(this, static seed =>
    {
        var random = new Random(seed);
        using var fixture = new StoreFixture();
        var set = fixture.Store.SortedSet("z"u8);
        var model = new Dictionary<string, double>();
        for (int i = 0; i < 3_000; i++)
        {
            string member = $"member {random.Next(60)}";
            double score = random.Next(3) == 0 ? random.NextDouble() * 1e9 : random.Next(-3, 4);
            if (random.Next(3) > 0 && set.Add(Bytes(member), score) == WriteStatus.Done)
                model[member] = score;
            else if (random.Next(2) == 0)
                Assert.Equal(model.Remove(member), set.Remove(Bytes(member)) == WriteStatus.Done);
            if (i % 10 != 0)
                continue;
            var ordered = model.OrderBy(static pair => pair.Value)
                .ThenBy(static pair => pair.Key, StringComparer.Ordinal)
                .Select(static pair => (pair.Key, pair.Value)).ToList();
            double min = random.Next(-3, 4);
            bool isReversed = random.Next(2) == 0;
            var inRange = ordered.Where(pair => pair.Value >= min);
            var all = new ScoredListSink();
            var some = new ScoredListSink();
            set.GetRange(SortedSetRange.All, ref all);
            set.GetRange(
                SortedSetRange.ByScore(min, ScoreBound.Highest) with { IsReversed = isReversed, Offset = 2, Limit = 7 },
                ref some);
            Assert.Equal(ordered, all.Members);
            Assert.Equal((isReversed ? inRange.Reverse() : inRange).Skip(2).Take(7), some.Members);
            for (int rank = 0; rank < ordered.Count; rank += 7)
                Assert.True(set.TryGetRank(Bytes(ordered[rank].Key), false, out long found) && found == rank);
            var stored = default(ArraySink);
            Assert.True(!fixture.Store.TryPeekStored("z"u8, ref stored, out _)
                || PackedCheck.IsWhole(EntryKind.SortedSet, stored.Array));
        }
    });

    [Fact]
    public void Operations_OnASortedSetThatIsThere_AllocateNothing()
    {
        Add("z", ("a", 1), ("b", 2.5));

        long bytes = AllocatedBytes.LeastOf(() =>
        {
            for (int i = 0; i < 100; i++)
            {
                var count = default(CountingSink);
                Set.Add("other"u8, i);
                Set.Increment("other"u8, 1, out _);
                Set.TryGetScore("other"u8, out _);
                Set.TryGetRank("other"u8, isReversed: true, out _);
                Set.GetRange(SortedSetRange.All with { IsReversed = true }, ref count);
                Set.GetCount(SortedSetRange.ByScore(0, 5), out _);
                Set.Pop(1, takesHighest: true, ref count);
                Set.Add("b"u8, 2.5);
                Set.RemoveRange(SortedSetRange.ByScore(3, ScoreBound.Highest), out _);
            }
        });

        Assert.Equal(0, bytes);
    }

    private static KeyArray Keys(params string[] keys) => new([.. keys.Select(Bytes)]);

    private void Add(string key, params (string Member, double Score)[] members)
    {
        var scores = new ScoreArray(members);
        Assert.Equal(
            WriteStatus.Done, Store.SortedSet(Bytes(key)).AddMany(ref scores, ScoreConditions.None, out _, out _));
    }

    private List<string> Names(string key, SortedSetRange range)
    {
        var sink = new ScoredListSink();
        Store.SortedSet(Bytes(key)).GetRange(range, ref sink);
        Assert.Equal(sink.Count, sink.Members.Count);
        return [.. sink.Members.Select(static pair => pair.Member)];
    }

    private List<(string Member, double Score)> Combine(
        SetCombination combination, ScoreAggregate aggregate, double[] weights, params string[] keys)
    {
        var source = Keys(keys);
        var sink = new ScoredListSink();
        Assert.Equal(
            WriteStatus.Done, Store.CombineSortedSets(combination, ref source, weights, aggregate, ref sink));
        return sink.Members;
    }

    private struct CountingSink : IScoredMemberSink
    {
        public int Count { get; private set; }

        public readonly bool IsFull => false;

        public readonly void Begin(long count)
        {
        }

        public void Take(scoped ReadOnlySpan<byte> member, double score) => Count++;
    }
}
