using Cache.Core.Collections.Packed;
using Cache.Testing;
using static Cache.Core.Tests.StoreFixture;

namespace Cache.Core.Tests.Collections;

public sealed class SetKeyTests : IDisposable
{
    private readonly StoreFixture _fixture = new();

    private CacheStore Store => _fixture.Store;

    private SetKey Set => Store.SetOf("s"u8);

    public void Dispose() => _fixture.Dispose();

    [Fact]
    public void Add_OfAMember_IsThereOnce()
    {
        Assert.Equal(WriteStatus.Done, Set.Add("m"u8));
        Assert.Equal(WriteStatus.ConditionNotMet, Set.Add("m"u8));
        Assert.True(Set.Contains("m"u8));
        Assert.Equal(ReadStatus.NotFound, Set.Find("other"u8));
        Assert.Equal((1, EntryKind.Set), (Set.Count, Store.KindOf("s"u8)));
        var members = Keys("m", "a", "a", "");
        Assert.Equal(WriteStatus.Done, Set.AddMany(ref members, out int added));
        Assert.Equal((2, 3), (added, Set.Count));
        bool[] found = new bool[4];
        var asked = Keys("x", "", "m", "mm");
        Assert.Equal(ReadStatus.Found, Set.FindMany(ref asked, found));
        Assert.Equal([false, true, true, false], found);
    }

    [Fact]
    public void Remove_OfTheLastMember_RemovesTheKey()
    {
        Add("s", "a", "b");
        var members = Keys("a", "absent", "a");
        Assert.Equal(WriteStatus.Done, Set.RemoveMany(ref members, out int removed));
        Assert.Equal(1, removed);
        Assert.Equal(WriteStatus.NotFound, Set.Remove("a"u8));
        Assert.Equal(WriteStatus.Done, Set.Remove("b"u8));
        Assert.Equal((0, false), (Set.Count, Store.Contains("s"u8)));
    }

    [Fact]
    public void Members_OfAKeyOfAnotherKind_SayItAndChangeNothing()
    {
        Store.Set("s"u8, "string"u8);
        Add("t", "m");
        var sink = new MemberListSink();
        var array = default(ArraySink);
        var members = Keys("m");
        var keys = Keys("t", "s");
        ulong cursor = 0;

        Assert.Equal(ReadStatus.WrongType, Set.GetCount(out _));
        Assert.Equal(ReadStatus.WrongType, Set.Find("m"u8));
        Assert.Equal(ReadStatus.WrongType, Set.FindMany(ref members, new bool[1]));
        Assert.Equal(ReadStatus.WrongType, Set.GetAll(ref sink));
        Assert.Equal(ReadStatus.WrongType, Set.Scan(ref cursor, 10, ref sink));
        Assert.Equal(ReadStatus.WrongType, Set.GetRandom(ref array));
        Assert.Equal(ReadStatus.WrongType, Set.GetRandom(1, true, ref sink));
        Assert.Equal(WriteStatus.WrongType, Set.Add("m"u8));
        Assert.Equal(WriteStatus.WrongType, Set.AddMany(ref members, out _));
        Assert.Equal(WriteStatus.WrongType, Set.Remove("m"u8));
        Assert.Equal(WriteStatus.WrongType, Set.RemoveMany(ref members, out _));
        Assert.Equal(WriteStatus.WrongType, Set.Pop(0, ref sink));
        Assert.Equal(WriteStatus.WrongType, Store.MoveMember("s"u8, "t"u8, "m"u8));
        Assert.Equal(WriteStatus.WrongType, Store.MoveMember("t"u8, "s"u8, "m"u8));
        Assert.Equal(WriteStatus.WrongType, Store.CombineSets(SetCombination.Intersection, ref keys, ref sink));
        Assert.Equal(WriteStatus.WrongType, Store.StoreSets(SetCombination.Union, ref keys, "d"u8, out long count));

        Assert.Equal((-1, 0, false), (sink.Count, count, Store.Contains("d"u8)));
        Assert.Equal("string"u8, Store.GetArray("s"u8)!);
        Assert.True(Store.SetOf("t"u8).Contains("m"u8));
    }

    [Fact]
    public void GetAll_OfIntegers_IsInAscendingOrder()
    {
        Add("s", "10", "-5", "9", "0", "-50", "9223372036854775807", "-9223372036854775808", "100");
        Assert.Equal(
            ["-9223372036854775808", "-50", "-5", "0", "9", "10", "100", "9223372036854775807"], All("s"));
        Assert.True(Store.TryPeekCollection("s"u8, out var info));
        Assert.Equal(new CollectionInfo { Kind = EntryKind.Set, Count = 8 }, info);

        Add("s", "007"); // No integer as Redis writes it.
        Add("s", "1");
        Set.Remove("007"u8);

        Assert.Equal("1", All("s")[^1]);
        Assert.True(Store.TryPeekCollection("s"u8, out info));
        Assert.True(info.IsConverted);
    }

    [Fact]
    public void Add_BeyondTheLimitOfIntegers_IsNotedForGood()
    {
        Store.EncodingLimits = new EncodingLimits { SetIntegers = 3 };
        Add("s", "1", "2", "3");
        Assert.True(Store.TryPeekCollection("s"u8, out var info) && !info.IsConverted);
        Add("s", "4");
        Set.Remove("4"u8);
        Assert.True(Store.TryPeekCollection("s"u8, out info) && info.IsConverted);
        Assert.False(Store.TryPeekCollection("absent"u8, out _));
    }

    [Fact]
    public void Pop_OfSome_TellsWhatItRemoves()
    {
        string[] members = [.. Enumerable.Range(0, 40).Select(static i => $"member {i}")];
        Add("s", members);
        var popped = new MemberListSink();
        Assert.Equal(WriteStatus.Done, Set.Pop(0, ref popped));
        Assert.Equal((0, 40), (popped.Count, Set.Count));
        Assert.Equal(WriteStatus.Done, Set.Pop(15, ref popped));
        Assert.Equal((15, 25), (popped.Count, Set.Count));
        Assert.Equal(members.Order(), popped.Members.Concat(All("s")).Order());
        Assert.Equal(WriteStatus.Done, Set.Pop(long.MaxValue, ref popped));
        Assert.Equal(members.Order(), popped.Members.Order());
        Assert.False(Store.Contains("s"u8));
        Assert.Equal(WriteStatus.NotFound, Set.Pop(1, ref popped));
    }

    // Each member is taken about as often as any other; the bound is ten times the deviation.
    [Fact]
    public void GetRandom_TakesEachMember()
    {
        string[] members = [.. Enumerable.Range(0, 10).Select(static i => $"{i}")];
        Add("s", members);
        var repeated = new MemberListSink();
        Assert.Equal(ReadStatus.Found, Set.GetRandom(10_000, mayRepeat: true, ref repeated));
        Assert.Equal(10_000, repeated.Members.Count);
        Assert.All(members, member => Assert.InRange(repeated.Members.Count(one => one == member), 700, 1_300));
        var counts = members.ToDictionary(static member => member, static _ => 0);
        for (int i = 0; i < 2_000; i++)
        {
            var distinct = new MemberListSink();
            Set.GetRandom(5, mayRepeat: false, ref distinct);
            Assert.Equal((5, 5), (distinct.Count, distinct.Members.Distinct().Count()));
            foreach (string member in distinct.Members)
                counts[member]++;
            var one = default(ArraySink);
            Assert.Equal(ReadStatus.Found, Set.GetRandom(ref one));
            Assert.Single(one.Array!);
        }

        Assert.All(counts.Values, static count => Assert.InRange(count, 770, 1_230));
        var all = new MemberListSink();
        Set.GetRandom(1_000, mayRepeat: false, ref all);
        Assert.Equal(members, all.Members);
        var full = new MemberListSink { CountMax = 3 };
        Set.GetRandom(long.MaxValue, mayRepeat: true, ref full);
        Assert.Equal((long.MaxValue, 3), (full.Count, full.Members.Count));
    }

    [Fact]
    public void Combinations_OfSets_AreThoseOfTheirMembers()
    {
        Add("a", "1", "2", "3", "x");
        Add("b", "2", "3", "4");
        Add("c", "3", "x");
        Assert.Equal(["1", "2", "3", "4", "x"], Combine(SetCombination.Union, "a", "b", "absent", "c", "a"));
        Assert.Equal(["3"], Combine(SetCombination.Intersection, "a", "b", "c"));
        Assert.Equal(["2", "3"], Combine(SetCombination.Intersection, "b", "a", "b"));
        Assert.Equal([], Combine(SetCombination.Intersection, "a", "absent", "b"));
        Assert.Equal(["1"], Combine(SetCombination.Difference, "a", "b", "c"));
        Assert.Equal([], Combine(SetCombination.Difference, "a", "a"));
        Assert.Equal([], Combine(SetCombination.Difference, "absent", "a"));

        Assert.Equal(2, Combined("b", SetCombination.Intersection, "a", "b"));
        Assert.Equal(["2", "3"], All("b"));
        Store.Set("d"u8, "string"u8, new EntryOptions { ExpiresAtMs = Store.NowMs + 1_000 });
        Assert.Equal(4, Combined("d", SetCombination.Union, "a", "b"));
        Assert.True(Store.TryPeekInfo("d"u8, out var info));
        Assert.Equal((EntryKind.Set, 0), (info.Kind, info.ExpiresAtMs));
        Assert.Equal(0, Combined("d", SetCombination.Difference, "a", "a"));
        Assert.False(Store.Contains("d"u8));
    }

    [Fact]
    public void StoreSets_OfMembersThatAreLong_HasThemAll()
    {
        for (int i = 0; i < 4; i++)
        {
            string[] members = [.. Enumerable.Range(0, 50).Select(number => $"member {i} {number:D20}")];
            Add($"s{i}", [.. members, new string('x', 1_500)]);
        }

        Store.Set("d"u8, "string"u8);
        var keys = Keys("s0", "s1", "s2", "s3");

        Assert.Equal(WriteStatus.Done, Store.StoreSets(SetCombination.Union, ref keys, "d"u8, out long count));

        Assert.Equal((201, 201), (count, Store.SetOf("d"u8).Count));
        Store.AssertValid();
        Assert.Equal(201, Combine(SetCombination.Union, "s0", "s1", "s2", "s3").Count);
    }

    // What the first source has counts for nothing if little of it stays.
    [Fact]
    public void StoreSets_OfAsManyAsFit_HasThemAll()
    {
        Add("a", [.. Enumerable.Range(100, 500).Select(static i => $"{i}")]);
        Add("b", "100");
        Assert.Equal(500, Combined("d", SetCombination.Union, "a"));
        Assert.Equal(500, Combined("d", SetCombination.Intersection, "a", "a"));
        Assert.Equal(499, Combined("d", SetCombination.Difference, "a", "b"));
        Assert.Equal(1, Combined("d", SetCombination.Intersection, "a", "b"));
        foreach (var combination in (SetCombination[])[SetCombination.Union, SetCombination.Intersection])
        {
            var keys = Keys("a");
            Store.StoreSortedSets(combination, ref keys, default, ScoreAggregate.Sum, "z"u8, out long count);
            Assert.Equal(500, count);
        }
    }

    [Fact]
    public void MoveMember_OfAMember_HasItInOneOfThem()
    {
        Add("a", "1", "2");
        Add("b", "2");
        Assert.Equal(WriteStatus.NotFound, Store.MoveMember("a"u8, "b"u8, "9"u8));
        Assert.Equal(WriteStatus.NotFound, Store.MoveMember("absent"u8, "b"u8, "1"u8));
        Assert.Equal(WriteStatus.Done, Store.MoveMember("a"u8, "a"u8, "1"u8));
        Assert.Equal(WriteStatus.Done, Store.MoveMember("a"u8, "new"u8, "1"u8));
        Assert.Equal(WriteStatus.Done, Store.MoveMember("a"u8, "b"u8, "2"u8));
        Assert.Equal((false, 1, 1), (Store.Contains("a"u8), Store.SetOf("b"u8).Count, Store.SetOf("new"u8).Count));
    }

    // A union reads a moment: it sees the member in one of the sets, whichever.
    [Fact]
    public void CombineSets_BesideMoves_FindsTheMemberAlways()
    {
        Add("a", "m");
        bool isOver = false;
        var mover = new Thread(() =>
        {
            while (!Volatile.Read(ref isOver))
            {
                Store.MoveMember("a"u8, "b"u8, "m"u8);
                Store.MoveMember("b"u8, "a"u8, "m"u8);
            }
        });
        mover.Start();
        int missed = 0;
        for (int i = 0; i < 20_000; i++)
        {
            var sink = new MemberListSink();
            var keys = Keys("a", "b");
            Store.CombineSets(SetCombination.Union, ref keys, ref sink);
            missed += sink.Count == 1 ? 0 : 1;
        }

        Volatile.Write(ref isOver, true);
        mover.Join();
        Assert.Equal(0, missed);
    }

    [Fact]
    public void Operations_InATransaction_SeeItsWrites()
    {
        Add("a", "1");
        KeyedTransaction.Run(Store, [Bytes("a"), Bytes("b"), Bytes("d")], 8, 9_000, static store =>
        {
            store.SetOf("b"u8).Add("2"u8);
            store.MoveMember("a"u8, "b"u8, "1"u8);
            var keys = Keys("a", "b");
            store.StoreSets(SetCombination.Union, ref keys, "d"u8, out long count);
            Assert.Equal(2, count);
            var sink = new MemberListSink();
            store.CombineSets(SetCombination.Intersection, ref keys, ref sink);
            Assert.Equal(0, sink.Count);
        });
        Assert.Equal(["1", "2"], All("d"));
    }

    [Fact]
    public void AnyOperations_OnManySets_AreThoseOfHashSets() => RandomSeed.Run(this, static seed =>
    {
        using var fixture = new StoreFixture();
        SetModel.Run(fixture.Store, new Random(seed), 4_000);
    });

    [Fact]
    public void Operations_OnASetThatIsThere_AllocateNothing()
    {
        Add("s", "1", "2", "member");
        byte[] room = new byte[100];

        long bytes = AllocatedBytes.LeastOf(() =>
        {
            for (int i = 0; i < 100; i++)
            {
                var sink = new RoomSink(room);
                Set.Add("other"u8);
                Assert.True(Set.Contains("other"u8));
                Set.GetRandom(ref sink);
                var count = default(CountingSink);
                Set.GetAll(ref count);
                Set.GetRandom(3, mayRepeat: true, ref count);
                Set.Pop(1, ref count);
                Set.Remove("other"u8);
                Set.Add("1"u8);
                Set.Add("2"u8);
                Set.Add("member"u8);
            }
        });

        Assert.Equal(0, bytes);
    }

    private static KeyArray Keys(params string[] keys) => new([.. keys.Select(Bytes)]);

    private void Add(string key, params string[] members)
    {
        var keys = Keys(members);
        Assert.Equal(WriteStatus.Done, Store.SetOf(Bytes(key)).AddMany(ref keys, out _));
    }

    private List<string> All(string key)
    {
        var sink = new MemberListSink();
        Store.SetOf(Bytes(key)).GetAll(ref sink);
        Assert.Equal(Math.Max(0, sink.Count), sink.Members.Count);
        var stored = default(ArraySink);
        if (Store.TryPeekStored(Bytes(key), ref stored, out _))
            Assert.True(PackedCheck.IsWhole(EntryKind.Set, stored.Array));
        return sink.Members;
    }

    private List<string> Combine(SetCombination combination, params string[] keys)
    {
        var sink = new MemberListSink();
        var source = Keys(keys);
        Assert.Equal(WriteStatus.Done, Store.CombineSets(combination, ref source, ref sink));
        Assert.Equal(sink.Count, sink.Members.Count);
        return [.. sink.Members.Order(StringComparer.Ordinal)];
    }

    private long Combined(string destination, SetCombination combination, params string[] keys)
    {
        var source = Keys(keys);
        Assert.Equal(WriteStatus.Done, Store.StoreSets(combination, ref source, Bytes(destination), out long count));
        return count;
    }

    private readonly ref struct RoomSink(Span<byte> room) : IValueSink
    {
        private readonly Span<byte> _room = room;

        public Span<byte> GetSpan(int length) => _room[..length];

        public void Advance(int length)
        {
        }
    }

    private struct CountingSink : IMemberSink
    {
        public int Count { get; private set; }

        public readonly bool IsFull => false;

        public readonly void Begin(long count)
        {
        }

        public void Take(scoped ReadOnlySpan<byte> member) => Count++;
    }
}
