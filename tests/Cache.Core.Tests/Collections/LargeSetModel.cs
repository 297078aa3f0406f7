using Cache.Testing;
using static Cache.Core.Tests.StoreFixture;

namespace Cache.Core.Tests.Collections;

/// <summary>Random operations on a few sets that become large and small keys again, beside sets of .NET.</summary>
internal static class LargeSetModel
{
    private const int Keys = 6;
    private const int Members = 900;

    public static void Run(StoreFixture fixture, Random random, int operations)
    {
        var model = Enumerable.Range(0, Keys).ToDictionary(KeyOf, _ => new HashSet<string>());
        for (int i = 0; i < operations; i++)
        {
            RunOne(fixture.Store, random, model);
            if (i % 2_000 == 0)
                fixture.Store.AssertValid();
        }

        foreach (string key in model.Keys)
            AssertSame(fixture.Store, model, key);
        Assert.Equal(model.Values.Count(static set => set.Count > 0), fixture.Store.Count);
        fixture.Store.AssertValid();
    }

    private static string KeyOf(int number) => $"key:{number}";

    private static string MemberOf(Random random)
    {
        int number = random.Next(Members);
        return (number % 25) switch
        {
            0 => new string('x', 1_000 + number % 200),
            1 => new string('x', 2_000) + number,
            _ => $"member {number}",
        };
    }

    private static void RunOne(CacheStore store, Random random, Dictionary<string, HashSet<string>> model)
    {
        string key = KeyOf(random.Next(Keys)), member = MemberOf(random);
        var set = store.SetOf(Bytes(key));
        var members = model[key];
        switch (random.Next(2_000))
        {
            case < 800:
                bool isNew = members.Add(member);
                Assert.Equal(isNew ? WriteStatus.Done : WriteStatus.ConditionNotMet, set.Add(Bytes(member)));
                break;
            case < 1_200:
                bool wasThere = members.Remove(member);
                Assert.Equal(wasThere ? WriteStatus.Done : WriteStatus.NotFound, set.Remove(Bytes(member)));
                break;
            case < 1_300:
                ChangeMany(set, random, members);
                break;
            case < 1_340:
                Pop(set, random.Next(random.Next(10) == 0 ? 400 : 4), members);
                break;
            case < 1_400:
                Move(store, random, model, key, member);
                break;
            case < 1_410:
                Combine(store, random, model, key);
                break;
            case < 1_415:
                Assert.Equal(members.Count > 0, store.Remove(Bytes(key)));
                members.Clear();
                break;
            case < 1_425:
                CopyOrRename(store, random, model, key);
                break;
            case < 1_440:
                AssertChosen(set, random, members);
                break;
            case < 1_450:
                AssertSame(store, model, key);
                break;
            default:
                Assert.Equal(members.Contains(member), set.Contains(Bytes(member)));
                Assert.Equal(members.Count, set.Count);
                break;
        }
    }

    private static void ChangeMany(SetKey set, Random random, HashSet<string> members)
    {
        string[] names = [.. Enumerable.Range(0, random.Next(1, 300)).Select(_ => MemberOf(random))];
        var source = new KeyArray([.. names.Select(Bytes)]);
        int expected;
        int told;
        if (random.Next(2) == 0)
        {
            expected = names.Count(members.Add);
            Assert.Equal(WriteStatus.Done, set.AddMany(ref source, out told));
        }
        else
        {
            expected = names.Count(members.Remove);
            set.RemoveMany(ref source, out told);
        }

        Assert.Equal(expected, told);
        bool[] found = new bool[names.Length];
        set.FindMany(ref source, found);
        Assert.Equal(names.Select(members.Contains), found);
    }

    private static void Pop(SetKey set, int count, HashSet<string> members)
    {
        var popped = new MemberListSink();
        int expected = Math.Min(count, members.Count);
        var status = set.Pop(count, ref popped);
        Assert.Equal(members.Count > 0 ? WriteStatus.Done : WriteStatus.NotFound, status);
        Assert.Equal(expected, popped.Members.Count);
        Assert.All(popped.Members, one => Assert.True(members.Remove(one)));
    }

    private static void Move(
        CacheStore store, Random random, Dictionary<string, HashSet<string>> model, string key, string member)
    {
        string other = KeyOf(random.Next(Keys));
        bool isMoved = model[key].Contains(member);
        var status = store.MoveMember(Bytes(key), Bytes(other), Bytes(member));
        Assert.Equal(isMoved ? WriteStatus.Done : WriteStatus.NotFound, status);
        if (isMoved && model[key].Remove(member))
            model[other].Add(member);
    }

    private static void Combine(
        CacheStore store, Random random, Dictionary<string, HashSet<string>> model, string destination)
    {
        var combination = (SetCombination)random.Next(3);
        string[] keys = [.. Enumerable.Range(0, random.Next(1, 4)).Select(_ => KeyOf(random.Next(Keys)))];
        var expected = new HashSet<string>(model[keys[0]]);
        foreach (string key in keys[1..])
        {
            if (combination == SetCombination.Union)
                expected.UnionWith(model[key]);
            else if (combination == SetCombination.Intersection)
                expected.IntersectWith(model[key]);
            else
                expected.ExceptWith(model[key]);
        }

        var source = new KeyArray([.. keys.Select(Bytes)]);
        var sink = new MemberListSink();
        Assert.Equal(WriteStatus.Done, store.CombineSets(combination, ref source, ref sink));
        Assert.Equal(expected.Order(), sink.Members.Order());
        var status = store.StoreSets(combination, ref source, Bytes(destination), out long count);
        Assert.Equal((WriteStatus.Done, expected.Count), (status, count));
        model[destination] = expected;
    }

    private static void CopyOrRename(
        CacheStore store, Random random, Dictionary<string, HashSet<string>> model, string key)
    {
        string other = KeyOf(random.Next(Keys));
        bool isCopied = random.Next(2) == 0;
        var status = isCopied
            ? store.Copy(Bytes(key), store, Bytes(other), SetCondition.Always)
            : store.Rename(Bytes(key), Bytes(other), SetCondition.Always);
        Assert.Equal(model[key].Count > 0 ? WriteStatus.Done : WriteStatus.NotFound, status);
        if (model[key].Count == 0 || key == other)
            return;
        model[other] = [.. model[key]];
        if (!isCopied)
            model[key] = [];
    }

    private static void AssertChosen(SetKey set, Random random, HashSet<string> members)
    {
        int count = random.Next(Members);
        var some = new MemberListSink();
        set.GetRandom(count, mayRepeat: false, ref some);
        Assert.Equal(Math.Min(count, members.Count), some.Members.Distinct().Count());
        Assert.All(some.Members, one => Assert.Contains(one, members));
        var any = new MemberListSink();
        set.GetRandom(count, mayRepeat: true, ref any);
        Assert.Equal(members.Count == 0 ? 0 : count, any.Members.Count);
        Assert.All(any.Members, one => Assert.Contains(one, members));
        var one = default(ArraySink);
        bool isFound = set.GetRandom(ref one) == ReadStatus.Found;
        Assert.Equal(members.Count > 0, isFound);
    }

    private static void AssertSame(CacheStore store, Dictionary<string, HashSet<string>> model, string key)
    {
        var all = new MemberListSink();
        store.SetOf(Bytes(key)).GetAll(ref all);
        Assert.Equal(model[key].Order(), all.Members.Order());
        Assert.Equal(model[key].Count, Math.Max(0, all.Count));
        var scanned = new List<string>();
        ulong cursor = 0;
        do
        {
            var sink = new MemberListSink();
            store.SetOf(Bytes(key)).Scan(ref cursor, 50, ref sink);
            scanned.AddRange(sink.Members);
        }
        while (cursor != 0);
        Assert.Equal(model[key].Order(), scanned.Order());
    }
}
