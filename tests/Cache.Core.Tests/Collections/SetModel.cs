using Cache.Core.Collections.Packed;
using Cache.Testing;
using static Cache.Core.Tests.StoreFixture;

namespace Cache.Core.Tests.Collections;

/// <summary>Random operations on some sets, beside sets of .NET.</summary>
internal static class SetModel
{
    private const int Keys = 12;

    public static void Run(CacheStore store, Random random, int operations)
    {
        var model = new Dictionary<string, HashSet<string>>();
        for (int i = 0; i < Keys; i++)
            model[$"key:{i}"] = [];
        for (int i = 0; i < operations; i++)
        {
            RunOne(store, random, model);
            AssertSame(store, model, $"key:{random.Next(Keys)}");
        }

        Assert.Equal(model.Values.Count(static set => set.Count > 0), store.Count);
    }

    private static void RunOne(CacheStore store, Random random, Dictionary<string, HashSet<string>> model)
    {
        string key = $"key:{random.Next(Keys)}";
        string member = random.Next(3) == 0 ? $"member {random.Next(20)}" : $"{random.Next(-20, 60)}";
        var set = store.SetOf(Bytes(key));
        switch (random.Next(12))
        {
            case < 5:
                bool isNew = model[key].Add(member);
                Assert.Equal(isNew ? WriteStatus.Done : WriteStatus.ConditionNotMet, set.Add(Bytes(member)));
                break;
            case < 7:
                bool isThere = model[key].Remove(member);
                Assert.Equal(isThere ? WriteStatus.Done : WriteStatus.NotFound, set.Remove(Bytes(member)));
                break;
            case 7:
                string other = $"key:{random.Next(Keys)}";
                bool isMoved = model[key].Contains(member);
                Assert.Equal(
                    isMoved ? WriteStatus.Done : WriteStatus.NotFound,
                    store.MoveMember(Bytes(key), Bytes(other), Bytes(member)));
                if (isMoved && model[key].Remove(member))
                    model[other].Add(member);
                break;
            case 8:
                var popped = new MemberListSink();
                set.Pop(random.Next(4), ref popped);
                Assert.All(popped.Members, one => Assert.True(model[key].Remove(one)));
                break;
            default:
                Combine(store, random, model, key);
                break;
        }
    }

    private static void Combine(
        CacheStore store, Random random, Dictionary<string, HashSet<string>> model, string destination)
    {
        var combination = (SetCombination)random.Next(3);
        string[] keys = [.. Enumerable.Range(0, random.Next(1, 4)).Select(_ => $"key:{random.Next(Keys)}")];
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
        Assert.Equal(
            WriteStatus.Done, store.StoreSets(combination, ref source, Bytes(destination), out long count));
        Assert.Equal(expected.Count, count);
        model[destination] = expected;
    }

    private static void AssertSame(CacheStore store, Dictionary<string, HashSet<string>> model, string key)
    {
        var sink = new MemberListSink();
        store.SetOf(Bytes(key)).GetAll(ref sink);
        Assert.Equal(model[key].Order(), sink.Members.Order());
        Assert.Equal(model[key].Count, store.SetOf(Bytes(key)).Count);
        var stored = default(ArraySink);
        if (store.TryPeekStored(Bytes(key), ref stored, out _))
            Assert.True(PackedCheck.IsWhole(EntryKind.Set, stored.Array));
        if (store.TryPeekCollection(Bytes(key), out var info) && !info.IsConverted)
            Assert.Equal(sink.Members.OrderBy(long.Parse), sink.Members);
    }
}
