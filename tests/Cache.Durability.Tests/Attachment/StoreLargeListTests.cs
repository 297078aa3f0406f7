using System.Text;
using Cache.Core;
using Cache.Core.Collections;
using Cache.Durability.Attachment;
using Cache.Durability.Format;
using Cache.Durability.Recovery;
using Cache.Durability.Tests.Files;
using Cache.Testing;

namespace Cache.Durability.Tests.Attachment;

/// <summary>Large lists are in snapshots as a whole, and in the journal by positions, each write once.</summary>
public sealed class StoreLargeListTests
{
    private readonly FaultyDirectory _directory = new();
    private readonly FakeTimeProvider _clock = new();

    [Fact]
    public void Start_AfterRandomWritesOfSomeLists_HasWhatTheStoreHad() => RandomSeed.Run(this, seed =>
    {
        var random = new Random(seed);
        var directory = new FaultyDirectory();
        using var rig = new StoreRig(directory, _clock);
        for (int i = 0; i < 1_500; i++)
        {
            if (random.Next(250) == 0)
                rig.Durable.Save();
            Write(rig.Store, random, Bytes($"list {random.Next(4)}"));
            rig.Durable.Journal.Write();
        }

        rig.Durable.Journal.Sync();
        using var after = new StoreRig(directory.AfterPowerLoss(random), _clock);
        AssertSame(rig.Store, after.Store);
    });

    // Writes between the cut and the moment in which the snapshot comes to the lists are in both: positions would be
    // wrong the second time.
    [Fact]
    public void Start_AfterWritesWhileASnapshotWasWritten_MakesEachOnce() => RandomSeed.Run(this, seed =>
    {
        var random = new Random(seed);
        var directory = new FaultyDirectory();
        using var rig = new StoreRig(directory, _clock);
        rig.Store.Set("in the first keyspace"u8, "1"u8);
        var lists = rig.Store.SelectKeyspace(1);
        for (int i = 0; i < 300; i++)
            Write(lists, random, Bytes($"list {random.Next(3)}"));
        var many = new KeyArray([.. Enumerable.Range(0, 500).Select(i => Bytes($"element {i}"))]);
        for (int i = 0; i < 3; i++)
            lists.List(Bytes($"list {i}")).PushMany(ListEnd.Right, ref many, SetCondition.Always, out _);
        int steps = 0;
        rig.Durable.Written = _ => // Behind the first keyspace, before the second.
        {
            for (int i = 0; steps == 0 && i < 12; i++) // Few, of which hardly any begins a list anew.
                Write(lists, random, Bytes($"list {random.Next(3)}"));
            for (int i = 0; steps == 0 && i < 3; i++)
                lists.List(Bytes($"list {i}")).Push(ListEnd.Left, "once"u8, SetCondition.IfPresent, out long _);
            steps++;
        };
        rig.Durable.Save();
        Assert.NotEqual(0, steps);
        for (int i = 0; i < 100; i++)
            Write(lists, random, Bytes($"list {random.Next(3)}"));
        rig.Durable.Journal.Write();
        rig.Durable.Journal.Sync();

        var left = directory.AfterPowerLoss(random);
        using var after = new StoreRig(left, _clock);
        AssertSame(lists, after.Store.SelectKeyspace(1));

        // Lists that are small there become large after the start: their numbers go on.
        for (int i = 0; i < 300; i++)
            Write(after.Store.SelectKeyspace(1), random, Bytes($"list {random.Next(3)}"));
        after.Durable.Journal.Write();
        after.Durable.Journal.Sync();
        using var again = new StoreRig(left.AfterPowerLoss(random), _clock);
        AssertSame(after.Store.SelectKeyspace(1), again.Store.SelectKeyspace(1));
    });

    [Fact]
    public void Apply_ARecordThatTheListHasAlready_ChangesNothing()
    {
        using var store = StoreRig.Create(_clock);
        var inserter = new RecordInserter([store], new LoadedExpiry(_clock.GetUtcNow().ToUnixTimeMilliseconds()));
        for (int i = 0; i < 900; i++)
            store.List("k"u8).Push(ListEnd.Right, Bytes($"element {i}"));
        var stored = new ArraySink();
        Assert.True(store.TryPeekStored("k"u8, ref stored, out _));
        long number = BitConverter.ToInt64(stored.Array!, 2 + 9 + 8);
        store.List("k"u8).Push(ListEnd.Left, "next"u8);
        Assert.Equal(WriteStatus.Done, store.SetStored("k"u8, EntryKind.List, stored.Array, default));

        Assert.Equal("", Apply(inserter, Change(1, 0, number, Bytes("again"))));
        Assert.Equal((900, "element 0"), (store.List("k"u8).Count, First(store)));
        Assert.Equal("", Apply(inserter, Change(1, 0, number + 1, Bytes("next"))));
        Assert.Equal("", Apply(inserter, Change(1, 0, number + 1, Bytes("next"))));
        Assert.Equal((901, "next"), (store.List("k"u8).Count, First(store)));
        Assert.Equal("", Apply(inserter, Change(2, 0, number + 2, BitConverter.GetBytes(2))));
        Assert.Equal((899, "element 1"), (store.List("k"u8).Count, First(store)));
        store.AssertValid();
    }

    // It is small here, and was large where they were written: the memory limit was another one.
    [Fact]
    public void Apply_RecordsOfASmallList_LetsItsNumbersGoOn()
    {
        using var store = StoreRig.Create(_clock);
        var inserter = new RecordInserter([store], new LoadedExpiry(_clock.GetUtcNow().ToUnixTimeMilliseconds()));
        store.List("k"u8).Push(ListEnd.Right, "a"u8);
        Assert.Equal("", Apply(inserter, Change(1, 0, 500, Bytes("first"))));
        Assert.Equal("", Apply(inserter, Change(3, 1, 501, Bytes("second"))));
        Assert.Equal("", Apply(inserter, Change(4, 0, 502, BitConverter.GetBytes(1L))));
        Assert.Equal((2, "second"), (store.List("k"u8).Count, First(store)));
        var many = new KeyArray([.. Enumerable.Range(0, 900).Select(i => Bytes($"element {i}"))]);
        Assert.Equal(WriteStatus.Done, store.List("k"u8).PushMany(ListEnd.Right, ref many, SetCondition.Always, out _));
        var stored = new ArraySink();
        Assert.True(store.TryPeekStored("k"u8, ref stored, out _));
        Assert.InRange(BitConverter.ToInt64(stored.Array!, 2 + 9 + 8), 503, 600);
    }

    // Such records are of an earlier list of the key; what ended that one follows.
    [Fact]
    public void Apply_PositionsThatAreNotThere_PassesThemOver()
    {
        using var store = StoreRig.Create(_clock);
        var inserter = new RecordInserter([store], new LoadedExpiry(_clock.GetUtcNow().ToUnixTimeMilliseconds()));
        foreach (int count in new[] { 3, 900 })
        {
            store.Remove("k"u8);
            for (int i = 0; i < count; i++)
                store.List("k"u8).Push(ListEnd.Right, Bytes($"element {i}"));
            long number = 10_000L * count;
            Assert.Equal("", Apply(inserter, Change(2, 5_000, ++number, BitConverter.GetBytes(128))));
            Assert.Equal("", Apply(inserter, Change(3, 5_000, ++number, Bytes("absent"))));
            Assert.Equal("", Apply(inserter, Change(4, 0, ++number, BitConverter.GetBytes(5_000L))));
            Assert.Equal(count, store.List("k"u8).Count);
            Assert.Equal("", Apply(inserter, Change(1, 5_000, ++number, Bytes("last"))));
            Assert.Equal("last"u8, store.List("k"u8).GetArray(-1)!);
            Assert.Equal("", Apply(inserter, Change(2, 1, ++number, BitConverter.GetBytes(128))));
            Assert.Equal(Math.Max(1, count + 1 - 128), store.List("k"u8).Count);
            store.AssertValid();
        }

        store.Remove("k"u8);
        Assert.Equal("", Apply(inserter, Change(1, 0, 1, Bytes("evicted"))));
        Assert.False(store.Contains("k"u8));
    }

    [Fact]
    public void Apply_ChangesThatNoListHas_AreRefused()
    {
        using var store = StoreRig.Create(_clock);
        var inserter = new RecordInserter([store], new LoadedExpiry(_clock.GetUtcNow().ToUnixTimeMilliseconds()));
        byte[] one = Change(1, -1, 1, Bytes("a"));
        byte[][] damaged =
        [
            [],
            one[..^1],
            Change(1, -2, 1, Bytes("a")),
            Change(3, -1, 1, Bytes("a")),
            Change(2, 0, 1, BitConverter.GetBytes(0)),
            Change(2, 0, 1, BitConverter.GetBytes(129)),
            Change(2, 0, 1, []),
            Change(4, 0, 1, BitConverter.GetBytes(-1L)),
            Change(5, 0, 1, Bytes("a")),
            Plain(1, Bytes("position"), Bytes("a")),
            [.. one, .. one],
            [.. one, .. Plain(3, BitConverter.GetBytes(0L), Bytes("b"))],
            [.. one, .. Plain(1, BitConverter.GetBytes(-1L), Bytes("b"))],
            [.. one, .. Enumerable.Range(0, 128).SelectMany(_ => Plain(1, [], Bytes("b")))],
        ];
        Assert.Equal("", Apply(inserter, [.. one, .. Plain(1, [], Bytes("b"))]));
        Assert.All(damaged, each => Assert.Equal("has a damaged value of type 2", Apply(inserter, each)));
        Assert.False(StoredCollection.IsWhole(EntryKind.List, [0, 0, .. Change(2, 0, 1, BitConverter.GetBytes(1))]));
        Assert.False(StoredCollection.IsWhole(EntryKind.List, [0, 0, .. Change(1, 1, 1, Bytes("a"))]));
        Assert.True(StoredCollection.IsWhole(EntryKind.List, [0, 0, .. one]));
    }

    [Theory]
    [InlineData(1)]
    [InlineData(3)]
    public void Start_AfterLongElementsWereWritten_HasThem(int count)
    {
        using var rig = new StoreRig(_directory, _clock);
        foreach (int length in new[] { 1_281, 70_000, 1_000_000 })
        {
            var elements = new KeyArray([.. Enumerable.Range(0, count).Select(
                i => i == 1 ? new byte[5] : Filled(length, i))]);
            foreach (string key in new[] { $"new {length}", $"old {length}" })
            {
                for (int i = 0; i < 500 && key[0] == 'o'; i++)
                    rig.Store.List(Bytes(key)).Push(ListEnd.Right, Bytes($"{i}"));
                var list = rig.Store.List(Bytes(key));
                list.PushMany(ListEnd.Left, ref elements, SetCondition.Always, out _);
                list.PushMany(ListEnd.Right, ref elements, SetCondition.Always, out _);
                Assert.Equal(WriteStatus.Done, list.Set(1, Filled(length, 9)));
                Assert.Equal(WriteStatus.Done, list.InsertAfter(Filled(length, 9), Filled(length, 8), out _));
                var moved = default(ArraySink);
                Assert.Equal(WriteStatus.Done, list.Move(ListEnd.Left, Bytes(key), ListEnd.Right, ref moved));
                Assert.Equal(WriteStatus.Done, list.Move(ListEnd.Left, "moved"u8, ListEnd.Right, ref moved));
            }
        }

        rig.Durable.Journal.Write();
        rig.Durable.Journal.Sync();
        rig.Store.AssertValid();
        using var after = new StoreRig(_directory.AfterPowerLoss(new Random(1)), _clock);
        AssertSame(rig.Store, after.Store);

        rig.Durable.Save();
        using var saved = new StoreRig(_directory.AfterPowerLoss(new Random(1)), _clock);
        AssertSame(rig.Store, saved.Store);
    }

    private static void Write(CacheStore store, Random random, byte[] key)
    {
        var list = store.List(key);
        var end = random.Next(2) == 0 ? ListEnd.Left : ListEnd.Right;
        byte[] element = Bytes(random.Next(20) == 0 ? new string('x', random.Next(3_000)) : $"{random.Next(60)}");
        switch (random.Next(200))
        {
            case < 60:
                var some = new KeyArray([.. Enumerable.Range(0, random.Next(1, 200)).Select(
                    i => Bytes($"element {random.Next(100)}"))]);
                list.PushMany(end, ref some, SetCondition.Always, out _);
                break;
            case < 100:
                list.Push(end, element);
                break;
            case < 130:
                var popped = new ElementListSink();
                list.PopMany(end, random.Next(1, random.Next(4) == 0 ? 300 : 4), ref popped);
                break;
            case < 145:
                list.Set(random.Next(300), element);
                break;
            case < 160:
                list.InsertBefore(Bytes($"element {random.Next(100)}"), element, out _);
                break;
            case < 170:
                list.Remove(Bytes($"element {random.Next(100)}"), random.Next(-3, 4), out _);
                break;
            case < 180:
                var moved = default(ArraySink);
                list.Move(end, random.Next(2) == 0 ? key : Bytes("list 0"), ListEnd.Left, ref moved);
                break;
            case < 184:
                list.Trim(random.Next(100), -random.Next(1, 100));
                break;
            case < 186:
                var all = new KeyArray([.. Enumerable.Range(0, 400).Select(i => Bytes($"replaced {i}"))]);
                list.Replace(ref all);
                break;
            case < 188:
                store.Set(key, "string"u8);
                break;
            case < 191:
                store.Remove(key);
                break;
            case < 195:
                store.Rename(key, "list 0"u8, SetCondition.Always);
                break;
            case < 197:
                store.Copy("list 0"u8, store, key, SetCondition.Always);
                break;
            default:
                list.Push(end, element, SetCondition.IfPresent, out _);
                break;
        }
    }

    private static string First(CacheStore store) => Encoding.Latin1.GetString(store.List("k"u8).GetArray(0)!);

    // position 8 │ number 8, before the element.
    private static byte[] Change(byte action, long position, long number, byte[] value) =>
        Plain(action, [.. BitConverter.GetBytes(position), .. BitConverter.GetBytes(number)], value);

    private static byte[] Plain(byte action, byte[] name, byte[] value) =>
        [action, .. BitConverter.GetBytes(name.Length), .. BitConverter.GetBytes(value.Length), .. name, .. value];

    private static string Apply(RecordInserter inserter, byte[] value) => inserter.Apply(
        new RecordView
        {
            Fields = new RecordFields { Kind = RecordKind.Elements, Type = StoredType.Of(EntryKind.List) },
            Key = "k"u8,
        },
        value);

    private static byte[] Filled(int length, int with)
    {
        byte[] value = new byte[length];
        new Random(with).NextBytes(value);
        return value;
    }

    private static void AssertSame(CacheStore expected, CacheStore actual)
    {
        Assert.Equal(expected.Count, actual.Count);
        foreach (string key in expected.ScanAll(100))
        {
            Assert.Equal(expected.KindOf(Bytes(key)), actual.KindOf(Bytes(key)));
            var elements = new ElementListSink();
            var others = new ElementListSink();
            expected.List(Bytes(key)).GetRange(0, -1, ref elements);
            actual.List(Bytes(key)).GetRange(0, -1, ref others);
            Assert.Equal(elements.Elements, others.Elements);
        }

        expected.AssertValid();
        actual.AssertValid();
    }

    private static byte[] Bytes(string text) => Encoding.Latin1.GetBytes(text);
}
