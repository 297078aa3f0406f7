using Cache.Testing;
using static Cache.Core.Tests.StoreFixture;

namespace Cache.Core.Tests.Collections;

/// <summary>
/// Random operations on a few sorted sets that become large and small keys again, beside dictionaries that are sorted.
/// </summary>
internal static class LargeSortedSetModel
{
    private const int Keys = 5;
    private const int Members = 700;

    public static void Run(StoreFixture fixture, Random random, int operations)
    {
        var model = Enumerable.Range(0, Keys).ToDictionary(KeyOf, _ => new Dictionary<string, double>());
        for (int i = 0; i < operations; i++)
        {
            RunOne(fixture.Store, random, model);
            if (i % 2_000 == 0)
                fixture.Store.AssertValid();
        }

        foreach (string key in model.Keys)
            AssertSame(fixture.Store.SortedSet(Bytes(key)), model[key]);
        Assert.Equal(model.Values.Count(static set => set.Count > 0), fixture.Store.Count);
        fixture.Store.AssertValid();
    }

    private static string KeyOf(int number) => $"key:{number}";

    private static string MemberOf(Random random)
    {
        int number = random.Next(Members);
        return (number % 35) switch
        {
            0 => new string('x', 1_000 + number % 200),
            1 => new string('x', 2_000) + number, // All begin alike.
            _ => $"member {number}",
        };
    }

    // Many are equal, and some need all bits.
    private static double ScoreOf(Random random) => random.Next(12) switch
    {
        0 => double.NegativeInfinity,
        1 => double.PositiveInfinity,
        2 => BitConverter.Int64BitsToDouble(random.NextInt64(0x7FF0_0000_0000_0000)) * (random.Next(2) == 0 ? 1 : -1),
        < 6 => random.Next(-3, 4),
        _ => random.Next(-100_000, 100_000) / 8.0,
    };

    private static void RunOne(CacheStore store, Random random, Dictionary<string, Dictionary<string, double>> model)
    {
        string key = KeyOf(random.Next(Keys)), member = MemberOf(random);
        var set = store.SortedSet(Bytes(key));
        var members = model[key];
        switch (random.Next(2_000))
        {
            case < 700:
                Add(set, random, members, member);
                break;
            case < 800:
                Increment(set, random, members, member);
                break;
            case < 1_100:
                var removed = set.Remove(Bytes(member));
                Assert.Equal(members.Remove(member) ? WriteStatus.Done : WriteStatus.NotFound, removed);
                break;
            case < 1_160:
                ChangeMany(set, random, members);
                break;
            case < 1_190:
                Pop(set, random, members);
                break;
            case < 1_200:
                RemoveRange(set, random, members);
                break;
            case < 1_215:
                Combine(store, random, model, key);
                break;
            case < 1_220:
                Assert.Equal(members.Count > 0, store.Remove(Bytes(key)));
                members.Clear();
                break;
            case < 1_230:
                CopyOrRename(store, random, model, key);
                break;
            case < 1_330:
                AssertRange(store, random, model, key);
                break;
            case < 1_340:
                AssertSame(set, members);
                break;
            default:
                AssertMember(set, random, members, member);
                break;
        }
    }

    private static List<(string Member, double Score)> Sorted(Dictionary<string, double> members)
    {
        var sorted = members.Select(static pair => (pair.Key, pair.Value)).ToList();
        sorted.Sort(static (x, y) => x.Value != y.Value
            ? x.Value.CompareTo(y.Value)
            : string.CompareOrdinal(x.Key, y.Key));
        return sorted;
    }

    private static ScoreConditions ConditionsOf(Random random) => random.Next(8) switch
    {
        0 => ScoreConditions.IfAbsent,
        1 => ScoreConditions.IfPresent,
        2 => ScoreConditions.IfGreater,
        3 => ScoreConditions.IfPresent | ScoreConditions.IfLess,
        _ => ScoreConditions.None,
    };

    // Whether a score is written.
    private static bool Put(
        Dictionary<string, double> members, string member, double score, ScoreConditions conditions)
    {
        bool exists = members.TryGetValue(member, out double present);
        if ((conditions & (exists ? ScoreConditions.IfAbsent : ScoreConditions.IfPresent)) != 0)
            return false;
        if (exists && (((conditions & ScoreConditions.IfGreater) != 0 && score <= present)
            || ((conditions & ScoreConditions.IfLess) != 0 && score >= present)))
        {
            return false;
        }

        members[member] = score;
        return true;
    }

    private static void Add(SortedSetKey set, Random random, Dictionary<string, double> members, string member)
    {
        var conditions = ConditionsOf(random);
        double score = ScoreOf(random);
        bool isNew = !members.ContainsKey(member);
        bool isPut = Put(members, member, score, conditions);
        Assert.Equal(
            isPut ? WriteStatus.Done : WriteStatus.ConditionNotMet,
            set.Add(Bytes(member), score, conditions, out bool toldNew));
        Assert.Equal(isPut && isNew, toldNew);
    }

    private static void Increment(SortedSetKey set, Random random, Dictionary<string, double> members, string member)
    {
        double delta = random.Next(-50, 50) / 4.0;
        double sum = members.GetValueOrDefault(member) + delta;
        Assert.Equal(WriteStatus.Done, set.Increment(Bytes(member), delta, out double told));
        Assert.Equal(sum, told);
        members[member] = sum;
    }

    private static void ChangeMany(SortedSetKey set, Random random, Dictionary<string, double> members)
    {
        (string Member, double Score)[] some =
            [.. Enumerable.Range(0, random.Next(1, 300)).Select(_ => (MemberOf(random), ScoreOf(random)))];
        if (random.Next(2) == 0)
        {
            var names = new KeyArray([.. some.Select(one => Bytes(one.Member))]);
            int removed = some.Count(one => members.Remove(one.Member));
            set.RemoveMany(ref names, out int toldRemoved);
            Assert.Equal(removed, toldRemoved);
            return;
        }

        var conditions = ConditionsOf(random);
        int added = 0, updated = 0;
        foreach (var (member, score) in some)
        {
            bool exists = members.TryGetValue(member, out double present);
            bool isPut = Put(members, member, score, conditions);
            added += isPut && !exists ? 1 : 0;
            updated += isPut && exists && present != score ? 1 : 0;
        }

        var source = new ScoreArray(some);
        var status = set.AddMany(ref source, conditions, out int toldAdded, out int toldUpdated);
        Assert.Equal((WriteStatus.Done, added, updated), (status, toldAdded, toldUpdated));
        double?[] scores = new double?[some.Length];
        var asked = new KeyArray([.. some.Select(one => Bytes(one.Member))]);
        set.GetScores(ref asked, scores);
        Assert.Equal(
            some.Select(one => members.TryGetValue(one.Member, out double score) ? score : (double?)null), scores);
    }

    private static void Pop(SortedSetKey set, Random random, Dictionary<string, double> members)
    {
        bool takesHighest = random.Next(2) == 0;
        int count = random.Next(random.Next(8) == 0 ? 400 : 4);
        var sorted = Sorted(members);
        if (takesHighest)
            sorted.Reverse();
        var popped = new ScoredListSink();
        var status = set.Pop(count, takesHighest, ref popped);
        Assert.Equal(members.Count > 0 ? WriteStatus.Done : WriteStatus.NotFound, status);
        Assert.Equal(sorted.Take(count), popped.Members);
        foreach (var (member, _) in popped.Members)
            members.Remove(member);
    }

    private static void RemoveRange(SortedSetKey set, Random random, Dictionary<string, double> members)
    {
        var range = RangeOf(random, members.Count, out var choose);
        var expected = choose(Sorted(members));
        var status = set.RemoveRange(range, out int removed);
        Assert.Equal(expected.Count > 0 ? WriteStatus.Done : WriteStatus.NotFound, status);
        Assert.Equal(expected.Count, removed);
        foreach (var (member, _) in expected)
            members.Remove(member);
    }

    private static SortedSetRange RangeOf(
        Random random, int count, out Func<List<(string Member, double Score)>, List<(string, double)>> choose)
    {
        bool isReversed = random.Next(2) == 0;
        int offset = random.Next(3) == 0 ? random.Next(20) : 0;
        int limit = random.Next(3) == 0 ? random.Next(300) : -1;
        if (random.Next(2) == 0)
        {
            int first = random.Next(-count - 2, count + 2), last = random.Next(-count - 2, count + 2);
            choose = sorted => Narrow(ByRank(sorted, first, last, isReversed), offset, limit);
            return SortedSetRange.ByRank(first, last) with { IsReversed = isReversed, Offset = offset, Limit = limit };
        }

        var min = new ScoreBound(ScoreOf(random), random.Next(2) == 0);
        var max = new ScoreBound(ScoreOf(random), random.Next(2) == 0);
        choose = sorted =>
        {
            var inside = sorted.FindAll(one =>
                (min.IsExclusive ? one.Score > min.Score : one.Score >= min.Score)
                && (max.IsExclusive ? one.Score < max.Score : one.Score <= max.Score));
            if (isReversed)
                inside.Reverse();
            return Narrow(inside, offset, limit);
        };
        return SortedSetRange.ByScore(min, max) with { IsReversed = isReversed, Offset = offset, Limit = limit };
    }

    private static List<(string, double)> ByRank(List<(string, double)> sorted, int first, int last, bool isReversed)
    {
        var all = new List<(string, double)>(sorted);
        if (isReversed)
            all.Reverse();
        first = Math.Max(0, first < 0 ? first + all.Count : first);
        last = Math.Min(all.Count - 1, last < 0 ? last + all.Count : last);
        return first > last ? [] : all.GetRange(first, last - first + 1);
    }

    private static List<(string, double)> Narrow(List<(string, double)> members, int offset, int limit) =>
        [.. members.Skip(offset).Take(limit < 0 ? int.MaxValue : limit)];

    private static void AssertRange(
        CacheStore store, Random random, Dictionary<string, Dictionary<string, double>> model, string key)
    {
        var range = RangeOf(random, model[key].Count, out var choose);
        var expected = choose(Sorted(model[key]));
        var told = new ScoredListSink();
        store.SortedSet(Bytes(key)).GetRange(range, ref told);
        Assert.Equal(expected, told.Members);
        Assert.Equal(expected.Count, Math.Max(0, told.Count));
        store.SortedSet(Bytes(key)).GetCount(range, out long count);
        Assert.Equal(expected.Count, count);
        if (random.Next(8) != 0)
            return;
        string destination = KeyOf(random.Next(Keys));
        var status = store.StoreRange(Bytes(key), range, Bytes(destination), out count);
        Assert.Equal((WriteStatus.Done, expected.Count), (status, count));
        model[destination] = expected.ToDictionary(static one => one.Item1, static one => one.Item2);
    }

    private static void Combine(
        CacheStore store, Random random, Dictionary<string, Dictionary<string, double>> model, string destination)
    {
        var combination = (SetCombination)random.Next(3);
        string[] keys = [KeyOf(random.Next(Keys)), KeyOf(random.Next(Keys))];
        var (one, other) = (model[keys[0]], model[keys[1]]);
        var expected = new Dictionary<string, double>();
        foreach (string member in one.Keys.Union(combination == SetCombination.Union ? other.Keys : []))
        {
            bool isInOther = other.TryGetValue(member, out double second);
            if ((combination == SetCombination.Intersection && !isInOther)
                || (combination == SetCombination.Difference && isInOther))
            {
                continue;
            }

            bool isInOne = one.TryGetValue(member, out double first);
            expected[member] = isInOne && isInOther ? Math.Max(first, second) : isInOne ? first : second;
        }

        var source = new KeyArray([.. keys.Select(Bytes)]);
        var sink = new ScoredListSink();
        var status = store.CombineSortedSets(combination, ref source, default, ScoreAggregate.Max, ref sink);
        Assert.Equal(WriteStatus.Done, status);
        Assert.Equal(Sorted(expected), sink.Members);
        status = store.StoreSortedSets(
            combination, ref source, default, ScoreAggregate.Max, Bytes(destination), out long count);
        Assert.Equal((WriteStatus.Done, expected.Count), (status, count));
        model[destination] = expected;
    }

    private static void CopyOrRename(
        CacheStore store, Random random, Dictionary<string, Dictionary<string, double>> model, string key)
    {
        string other = KeyOf(random.Next(Keys));
        bool isCopied = random.Next(2) == 0;
        var status = isCopied
            ? store.Copy(Bytes(key), store, Bytes(other), SetCondition.Always)
            : store.Rename(Bytes(key), Bytes(other), SetCondition.Always);
        Assert.Equal(model[key].Count > 0 ? WriteStatus.Done : WriteStatus.NotFound, status);
        if (model[key].Count == 0 || key == other)
            return;
        model[other] = new Dictionary<string, double>(model[key]);
        if (!isCopied)
            model[key] = [];
    }

    private static void AssertMember(
        SortedSetKey set, Random random, Dictionary<string, double> members, string member)
    {
        bool exists = members.TryGetValue(member, out double score);
        Assert.Equal(exists, set.TryGetScore(Bytes(member), out double told));
        Assert.Equal(score, told);
        Assert.Equal(members.Count, set.Count);
        if (random.Next(10) != 0)
            return;
        int rank = Sorted(members).FindIndex(one => one.Member == member);
        bool isReversed = random.Next(2) == 0;
        Assert.Equal(exists, set.TryGetRank(Bytes(member), isReversed, out long toldRank));
        Assert.Equal(!exists ? 0 : isReversed ? members.Count - 1 - rank : rank, toldRank);
    }

    private static void AssertSame(SortedSetKey set, Dictionary<string, double> members)
    {
        var all = new ScoredListSink();
        set.GetRange(SortedSetRange.All, ref all);
        Assert.Equal(Sorted(members), all.Members);
        var scanned = new List<(string, double)>();
        ulong cursor = 0;
        do
        {
            var sink = new ScoredListSink();
            set.Scan(ref cursor, 50, ref sink);
            scanned.AddRange(sink.Members);
        }
        while (cursor != 0);
        Assert.Equal(members.Select(static pair => (pair.Key, pair.Value)).Order(), scanned.Order());
    }
}
