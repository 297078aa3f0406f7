using System.Text;
using Cache.Core;
using Cache.Durability.Attachment;
using Cache.Durability.Format;
using Cache.Durability.Recovery;
using Cache.Durability.Tests.Files;
using Cache.Testing;

namespace Cache.Durability.Tests.Attachment;

/// <summary>Large collections are in snapshots as a whole, and in the journal by their elements.</summary>
public sealed class StoreLargeCollectionTests
{
    private readonly FaultyDirectory _directory = new();
    private readonly FakeTimeProvider _clock = new();

    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public void Start_AfterLargeHashesWereWritten_HasThem(bool isSaved)
    {
        using var rig = new StoreRig(_directory, _clock);
        for (int i = 0; i < 4; i++)
            Fill(rig.Store, $"hash {i}", 0, 500);
        if (isSaved)
            rig.Durable.Save();
        rig.Store.Hash("hash 0"u8).Remove("field 8"u8);
        rig.Store.Hash("hash 0"u8).Increment("n"u8, 5, out _);
        var pairs = new EntryArray([.. Enumerable.Range(0, 300).Select(
            i => (Bytes($"field {i}"), Bytes($"another {i}")))]);
        rig.Store.Hash("hash 1"u8).SetMany(ref pairs, out _);
        for (int i = 0; i < 500; i++)
            rig.Store.Hash("hash 2"u8).Remove(Bytes($"field {i}"));
        rig.Store.Hash("hash 2"u8).Set("only"u8, "this"u8);
        rig.Store.Remove("hash 3"u8);
        Fill(rig.Store, "hash 3", 450, 900);
        rig.Store.Hash("made at once"u8).SetMany(ref pairs, out _);
        rig.Store.Expire("hash 1"u8, rig.Store.NowMs + 60_000, ExpireConditions.None);
        rig.Durable.Journal.Write();
        rig.Durable.Journal.Sync();

        using var after = new StoreRig(_directory.AfterPowerLoss(new Random(1)), _clock);

        Assert.Equal(5, after.Store.Count);
        Assert.Equal("5"u8, after.Store.Hash("hash 0"u8).GetArray("n"u8)!);
        Assert.Null(after.Store.Hash("hash 0"u8).GetArray("field 8"u8));
        Assert.Equal("another 7"u8, after.Store.Hash("hash 1"u8).GetArray("field 7"u8)!);
        Assert.Equal(1, after.Store.Hash("hash 2"u8).Count);
        Assert.Equal(450, after.Store.Hash("hash 3"u8).Count);
        Assert.True(after.Store.TryPeekInfo("hash 1"u8, out var info));
        Assert.Equal(rig.Store.NowMs + 60_000, info.ExpiresAtUnixMs);
        AssertSame(rig.Store, after.Store);
    }

    [Fact]
    public void Start_AfterRandomWritesOfSomeHashes_HasWhatTheStoreHad() => RandomSeed.Run(this, seed =>
    {
        var random = new Random(seed);
        var directory = new FaultyDirectory();
        using var rig = new StoreRig(directory, _clock);
        for (int i = 0; i < 1_500; i++)
        {
            byte[] key = Bytes($"hash {random.Next(4)}");
            var hash = rig.Store.Hash(key);
            byte[] field = FieldOf(random.Next(400));
            switch (random.Next(1_000))
            {
                case < 600:
                    hash.Set(field, new byte[NextLength(random)]);
                    break;
                case < 900:
                    hash.Remove(field);
                    break;
                case < 990:
                    var pairs = new EntryArray([.. Enumerable.Range(0, random.Next(1, 200)).Select(
                        _ => (FieldOf(random.Next(400)), new byte[NextLength(random)]))]);
                    hash.SetMany(ref pairs, out _);
                    break;
                case < 992:
                    rig.Store.Rename(key, Bytes($"hash {random.Next(4)}"), SetCondition.Always);
                    break;
                case < 994:
                    rig.Store.Copy(key, rig.Store, Bytes($"hash {random.Next(4)}"), SetCondition.Always);
                    break;
                case < 995:
                    rig.Store.Remove(key);
                    break;
                case < 997:
                    rig.Store.Set(key, "string"u8);
                    break;
                default:
                    rig.Durable.Save();
                    break;
            }

            rig.Durable.Journal.Write();
        }

        rig.Durable.Journal.Sync();
        using var after = new StoreRig(directory.AfterPowerLoss(random), _clock);
        Assert.Equal(rig.Store.Count, after.Store.Count);
        AssertSame(rig.Store, after.Store);
    });

    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public void Start_AfterLargeSetsWereWritten_HasThem(bool isSaved)
    {
        using var rig = new StoreRig(_directory, _clock);
        var store = rig.Store;
        for (int i = 0; i < 600; i++)
        {
            store.SetOf("s"u8).Add(Bytes($"member {i}"));
            store.SetOf("t"u8).Add(Bytes($"member {i * 2}"));
            store.SortedSet("z"u8).Add(Bytes($"member {i}"), i / 4.0);
        }

        if (isSaved)
            rig.Durable.Save();
        var keys = new KeyArray(Bytes("s"), Bytes("t"));
        Assert.Equal(WriteStatus.Done, store.StoreSets(SetCombination.Union, ref keys, "union"u8, out _));
        Assert.Equal(WriteStatus.Done, store.StoreRange("z"u8, SortedSetRange.ByRank(0, 399), "range"u8, out _));
        var popped = new MemberListSink();
        store.SetOf("s"u8).Pop(200, ref popped);
        store.MoveMember("t"u8, "s"u8, "member 1198"u8);
        store.SortedSet("z"u8).Add("member 8"u8, -0.0);
        store.SortedSet("z"u8).Increment("member 9"u8, 1_000, out _);
        store.SortedSet("z"u8).RemoveRange(SortedSetRange.ByScore(20, 90), out _);
        var lowest = new ScoredListSink();
        store.SortedSet("range"u8).Pop(300, takesHighest: false, ref lowest);
        rig.Durable.Journal.Write();
        rig.Durable.Journal.Sync();

        using var after = new StoreRig(_directory.AfterPowerLoss(new Random(1)), _clock);

        Assert.Equal(5, after.Store.Count);
        Assert.Equal((401, 900), (after.Store.SetOf("s"u8).Count, after.Store.SetOf("union"u8).Count));
        Assert.Equal(100, after.Store.SortedSet("range"u8).Count);
        Assert.True(after.Store.SortedSet("z"u8).TryGetScore("member 8"u8, out double score));
        Assert.True(double.IsNegative(score));
        AssertSame(store, after.Store);
        after.Store.AssertValid();
    }

    [Fact]
    public void Start_AfterRandomWritesOfSomeSets_HasWhatTheStoreHad() => RandomSeed.Run(this, seed =>
    {
        var random = new Random(seed);
        var directory = new FaultyDirectory();
        using var rig = new StoreRig(directory, _clock);
        for (int i = 0; i < 1_500; i++)
        {
            if (random.Next(250) == 0)
                rig.Durable.Save();
            if (random.Next(2) == 0)
                WriteSet(rig.Store, random, Bytes($"set {random.Next(3)}"));
            else
                WriteSortedSet(rig.Store, random, Bytes($"sorted set {random.Next(3)}"));
            rig.Durable.Journal.Write();
        }

        rig.Durable.Journal.Sync();
        using var after = new StoreRig(directory.AfterPowerLoss(random), _clock);
        Assert.Equal(rig.Store.Count, after.Store.Count);
        AssertSame(rig.Store, after.Store);
        after.Store.AssertValid();
    });

    [Fact]
    public void Apply_ElementsThatTheKindCannotHave_IsRefused()
    {
        using var store = StoreRig.Create(_clock);
        var inserter = new RecordInserter([store], new LoadedExpiry(_clock.GetUtcNow().ToUnixTimeMilliseconds()));
        LargeSet(store);
        int set = StoredType.Of(EntryKind.Set), sorted = StoredType.Of(EntryKind.SortedSet);

        Assert.Equal("", Apply(inserter, (byte)set, Put(Bytes("new"), [])));
        Assert.Equal(501, store.SetOf("k"u8).Count);
        Assert.Equal($"has a damaged value of type {set}", Apply(inserter, (byte)set, Put(Bytes("new"), [1])));
        store.Remove("k"u8);
        store.SortedSet("k"u8).Add("m"u8, 1);
        Assert.Equal("", Apply(inserter, (byte)sorted, Put(Bytes("m"), [5])));
        Assert.True(store.SortedSet("k"u8).TryGetScore("m"u8, out double score));
        Assert.Equal(5, score);
        Assert.Equal($"has a damaged value of type {sorted}", Apply(inserter, (byte)sorted, Put(Bytes("m"), [5, 0])));
    }

    // A step that was planned and then refused has removed nothing.
    [Fact]
    public void Pop_InATransactionThatReservedOneRecord_TellsWhatItRemoved()
    {
        using var rig = new StoreRig(_directory, _clock);
        for (int i = 0; i < 1_000; i++)
        {
            rig.Store.SetOf("s"u8).Add(Bytes($"member {i}"));
            rig.Store.SortedSet("z"u8).Add(Bytes($"member {i}"), i);
        }

        var members = new MemberListSink();
        var scores = new ScoredListSink();
        KeyedTransaction.Run(rig.Store, [Bytes("s")], 1, 1, store => store.SetOf("s"u8).Pop(300, ref members));
        KeyedTransaction.Run(
            rig.Store, [Bytes("z")], 1, 1, store => store.SortedSet("z"u8).Pop(300, takesHighest: false, ref scores));

        Assert.InRange(members.Members.Count, 0, 299);
        Assert.Equal(1_000 - members.Members.Count, rig.Store.SetOf("s"u8).Count);
        Assert.All(members.Members, member => Assert.False(rig.Store.SetOf("s"u8).Contains(Bytes(member))));
        Assert.InRange(scores.Members.Count, 0, 299);
        Assert.Equal(1_000 - scores.Members.Count, rig.Store.SortedSet("z"u8).Count);
        rig.Store.AssertValid();
    }

    // What a journal takes of a long result is one record, which it borrows.
    [Fact]
    public void StoreSets_OfMoreThanAJournalCopies_IsRecorded()
    {
        using var rig = new StoreRig(_directory, _clock);
        var members = new KeyArray([.. Enumerable.Range(0, 400).Select(i => Bytes($"{i:D1000}"))]);
        Assert.Equal(WriteStatus.Done, rig.Store.SetOf("s"u8).AddMany(ref members, out _));
        rig.Store.Set("d"u8, "string"u8);
        var keys = new KeyArray(Bytes("s"));
        Assert.Equal(WriteStatus.Done, rig.Store.StoreSets(SetCombination.Union, ref keys, "d"u8, out _));
        rig.Store.AssertValid();
        rig.Durable.Journal.Write();
        rig.Durable.Journal.Sync();
        using var after = new StoreRig(_directory.AfterPowerLoss(new Random(1)), _clock);
        Assert.Equal(400, after.Store.SetOf("d"u8).Count);
        AssertSame(rig.Store, after.Store);
    }

    private static byte[] FieldOf(int number) =>
        Bytes($"field {number}" + new string('n', number % 80 == 0 ? 1_500 : 0));

    // In a page, in a block that the journal copies, or in one that it borrows.
    private static int NextLength(Random random) =>
        random.Next(random.Next(400) switch { 0 => 200_000, < 4 => 3_000, _ => 60 });

    [Theory]
    [InlineData(1)]
    [InlineData(3)]
    public void Start_AfterLongFieldsWereWritten_HasThem(int count)
    {
        using var rig = new StoreRig(_directory, _clock);
        foreach (int length in new[] { 1_281, 70_000, 1_000_000 })
        {
            var pairs = new EntryArray([.. Enumerable.Range(0, count).Select(
                i => (Bytes($"field {i}"), i == 1 ? new byte[5] : Filled(length, i)))]);
            Assert.Equal(WriteStatus.Done, rig.Store.Hash(Bytes($"new {length}")).SetMany(ref pairs, out _));
            Fill(rig.Store, $"old {length}", 0, 500);
            Assert.Equal(WriteStatus.Done, rig.Store.Hash(Bytes($"old {length}")).SetMany(ref pairs, out _));
        }

        rig.Durable.Journal.Write();
        rig.Durable.Journal.Sync();
        rig.Store.AssertValid();
        using var after = new StoreRig(_directory.AfterPowerLoss(new Random(1)), _clock);
        Assert.Equal(6, after.Store.Count);
        AssertSame(rig.Store, after.Store);
        Assert.Equal(Filled(1_000_000, 0), after.Store.Hash("new 1000000"u8).GetArray("field 0"u8)!);
        after.Store.AssertValid();

        rig.Durable.Save();
        using var saved = new StoreRig(_directory.AfterPowerLoss(new Random(1)), _clock);
        AssertSame(rig.Store, saved.Store);
    }

    [Fact]
    public void Transaction_WithLongFieldsBesideAJournal_IsRecorded()
    {
        using var rig = new StoreRig(_directory, _clock);
        Fill(rig.Store, "h", 0, 500);
        KeyedTransaction.Run(rig.Store, [Bytes("h")], 1, 4, static store =>
        {
            var pairs = new EntryArray(
                (Bytes("a"), Filled(100_000, 1)), (Bytes("b"), [1]), (Bytes("c"), Filled(2_000, 2)));
            Assert.Equal(WriteStatus.Done, store.Hash("h"u8).SetMany(ref pairs, out _));
            Assert.Equal(WriteStatus.Done, store.Hash("h"u8).Set("d"u8, Filled(300_000, 3)));
            Assert.Equal(Filled(100_000, 1), store.Hash("h"u8).GetArray("a"u8)!);
        }, writtenBytes: 1_200_000);
        rig.Durable.Journal.Write();
        rig.Durable.Journal.Sync();
        using var after = new StoreRig(_directory.AfterPowerLoss(new Random(1)), _clock);
        Assert.Equal(504, after.Store.Hash("h"u8).Count);
        AssertSame(rig.Store, after.Store);
    }

    private static byte[] Filled(int length, int with)
    {
        byte[] value = new byte[length];
        new Random(with).NextBytes(value);
        return value;
    }

    [Fact]
    public void Apply_ElementsBesideALongName_MakesALargeHash()
    {
        using var store = StoreRig.Create(_clock);
        var inserter = new RecordInserter([store], new LoadedExpiry(_clock.GetUtcNow().ToUnixTimeMilliseconds()));
        store.Hash("k"u8).Set(new byte[1_500], "value"u8);
        byte[] changes = [.. Enumerable.Range(0, 60).SelectMany(i => Put(Bytes($"field {i}"), new byte[60]))];

        Assert.Equal("", Apply(inserter, type: 1, changes));
        Assert.Equal(61, store.Hash("k"u8).Count);
        Assert.Equal("", Apply(inserter, type: 1, Put(new byte[1_500], Bytes("other"))));
        Assert.Equal("other"u8, store.Hash("k"u8).GetArray(new byte[1_500])!);
        Assert.Equal(61, store.Hash("k"u8).Count);
        Assert.Equal("has a damaged value of type 1", Apply(inserter, type: 1, changes[..^1]));
        Assert.Equal("changes elements of a string", Apply(inserter, type: 0, changes));
    }

    // There is no room for the hash a second time.
    [Fact]
    public void End_OfALoadOfALargeSlidingHash_KeepsItAndItsInterval()
    {
        using var store = StoreRig.Create(_clock, static options => options.MemoryLimitBytes = 16 << 20);
        var expiry = new LoadedExpiry(_clock.GetUtcNow().ToUnixTimeMilliseconds());
        var options = expiry.Sliding(slidingMs: 60_000, absoluteMs: store.NowMs + 90_000);
        byte[] value = new byte[1_000];
        for (int i = 0; i < 9_000; i++)
            Assert.Equal(WriteStatus.Done, store.Hash("h"u8).Set(Bytes($"field {i}"), value));
        Assert.Equal(WriteStatus.Done, store.ExpireSliding("h"u8, options.SlidingMs, options.ExpiresAtUnixMs));
        Assert.True(store.TryPeekInfo("h"u8, out var before));

        expiry.End([store], lastWallMs: 0);

        Assert.True(store.TryPeekInfo("h"u8, out var info));
        Assert.Equal(
            (60_000, before.Kind, 9_000), (info.SlidingMs, info.Kind, (int)store.Hash("h"u8).Count));
        Assert.Equal(store.NowMs + 90_000, info.AbsoluteUnixMs);
        _clock.Advance(TimeSpan.FromSeconds(61));
        Assert.False(store.TryPeekInfo("h"u8, out _));
    }

    private static byte[] Put(byte[] field, byte[] value) =>
        [1, .. BitConverter.GetBytes(field.Length), .. BitConverter.GetBytes(value.Length), .. field, .. value];

    private static string Apply(RecordInserter inserter, byte type, byte[] value) => inserter.Apply(
        new RecordView { Fields = new RecordFields { Kind = RecordKind.Elements, Type = type }, Key = "k"u8 }, value);

    private static void Fill(CacheStore store, string key, int from, int to)
    {
        for (int i = from; i < to; i++)
            Assert.Equal(WriteStatus.Done, store.Hash(Bytes(key)).Set(Bytes($"field {i}"), Bytes($"value {i}")));
    }

    private static void LargeSet(CacheStore store)
    {
        for (int i = 0; i < 500; i++)
            store.SetOf("k"u8).Add(Bytes($"member {i}"));
    }

    private static void WriteSet(CacheStore store, Random random, byte[] key)
    {
        var set = store.SetOf(key);
        byte[] member = Bytes($"member {random.Next(500)}");
        var some = new KeyArray([.. Enumerable.Range(0, random.Next(1, 200)).Select(
            _ => Bytes($"member {random.Next(500)}"))]);
        switch (random.Next(1_000))
        {
            case < 600:
                set.Add(member);
                break;
            case < 800:
                set.Remove(member);
                break;
            case < 900:
                set.AddMany(ref some, out _);
                break;
            case < 930:
                set.RemoveMany(ref some, out _);
                break;
            case < 960:
                var popped = new MemberListSink();
                set.Pop(random.Next(200), ref popped);
                break;
            case < 980:
                var keys = new KeyArray(key, Bytes("set 0"));
                store.StoreSets(SetCombination.Union, ref keys, Bytes("set 1"), out _);
                break;
            case < 984:
                store.Set(key, "string"u8);
                store.Remove(key);
                break;
            case < 990:
                store.Copy(key, store, Bytes("set 1"), SetCondition.Always);
                break;
            default:
                store.MoveMember(key, "set 2"u8, member);
                break;
        }
    }

    private static void WriteSortedSet(CacheStore store, Random random, byte[] key)
    {
        var set = store.SortedSet(key);
        string member = $"member {random.Next(500)}";
        double score = random.Next(-40, 40) / 4.0;
        switch (random.Next(1_000))
        {
            case < 600:
                set.Add(Bytes(member), score);
                break;
            case < 700:
                set.Increment(Bytes(member), score, out _);
                break;
            case < 850:
                set.Remove(Bytes(member));
                break;
            case < 920:
                var some = new ScoreArray([.. Enumerable.Range(0, random.Next(1, 200)).Select(
                    _ => ($"member {random.Next(500)}", (double)random.Next(50)))]);
                set.AddMany(ref some, ScoreConditions.None, out _, out _);
                break;
            case < 950:
                var popped = new ScoredListSink();
                set.Pop(random.Next(200), random.Next(2) == 0, ref popped);
                break;
            case < 970:
                set.RemoveRange(SortedSetRange.ByScore(score, score + 5), out _);
                break;
            case < 980:
                store.StoreRange(key, SortedSetRange.All, "sorted set 1"u8, out _);
                break;
            case < 988:
                store.Rename(key, Bytes("sorted set 0"), SetCondition.Always);
                break;
            default:
                store.Remove(key);
                break;
        }
    }

    private static void AssertSame(CacheStore expected, CacheStore actual)
    {
        foreach (string key in expected.ScanAll(100))
        {
            var kind = expected.KindOf(Bytes(key));
            Assert.Equal(kind, actual.KindOf(Bytes(key)));
            var members = new MemberListSink();
            var otherMembers = new MemberListSink();
            expected.SetOf(Bytes(key)).GetAll(ref members);
            actual.SetOf(Bytes(key)).GetAll(ref otherMembers);
            Assert.Equal(members.Members.Order(), otherMembers.Members.Order());
            var scores = new ScoredListSink();
            var otherScores = new ScoredListSink();
            expected.SortedSet(Bytes(key)).GetRange(SortedSetRange.All, ref scores);
            actual.SortedSet(Bytes(key)).GetRange(SortedSetRange.All, ref otherScores);
            Assert.Equal(scores.Members, otherScores.Members);
            var fields = new FieldListSink();
            var others = new FieldListSink();
            expected.Hash(Bytes(key)).GetAll(ref fields);
            actual.Hash(Bytes(key)).GetAll(ref others);
            Assert.Equal(fields.Fields?.Order(), others.Fields?.Order());
        }
    }

    private static byte[] Bytes(string text) => Encoding.Latin1.GetBytes(text);
}
