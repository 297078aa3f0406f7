using System.Reflection;
using Cache.Core.Tests.Changes;
using Cache.Core.Tests.Collections;
using Cache.Testing;
using static Cache.Core.Tests.StoreFixture;

namespace Cache.Core.Tests;

/// <summary>What each member of a store says of a key whose value is no string, and what becomes of it.</summary>
public sealed partial class OtherKindTests : IDisposable
{
    private const int LongLength = 100_000;

    private static readonly byte[] _key = "k"u8.ToArray();

    // What knows of no key, or only fetches.
    private static readonly string[] _keyless =
    [
        "get_IsDisposed", "get_TimeProvider", "get_NowMs", "get_NowUnixMs", "get_KeyspaceCount", "get_Keyspace",
        "get_HasJournal", "get_MemoryLimitBytes",
        "set_MemoryLimitBytes", "get_Eviction", "set_Eviction", "get_Compression", "set_Compression",
        "get_ValueLengthLimit", "get_EncodingLimits", "set_EncodingLimits",
        nameof(CacheStore.GetStatistics), nameof(CacheStore.GetMemory), nameof(CacheStore.GetHitRatioCurve),
        nameof(CacheStore.TakeLongestWaitForMemory), nameof(CacheStore.ResetStatistics), nameof(CacheStore.Dispose),
        nameof(CacheStore.AddOutsideBytes), nameof(CacheStore.SelectKeyspace), nameof(CacheStore.TryCreateValue),
        nameof(CacheStore.TryMakeRoom),
        nameof(CacheStore.BeginPrefetch), nameof(CacheStore.EndPrefetch),
        nameof(CacheStore.Attach), nameof(CacheStore.Detach), nameof(CacheStore.ObserveRemoved),
        nameof(GetType), nameof(ToString), nameof(Equals), nameof(GetHashCode),
    ];

    // What a transaction refuses.
    private static readonly string[] _ofNoTransaction =
    [
        nameof(CacheStore.Transact), nameof(CacheStore.Scan), nameof(CacheStore.TryGetRandomKey),
        nameof(CacheStore.Clear), nameof(CacheStore.ClearAll),
    ];

    // What it says, and whether the value is then as before, a string, or gone.
    private static readonly Dictionary<string, (Func<CacheStore, object> Run, string Says, Fate Fate)> _rows = new()
    {
        ["TryGet"] = (static s => s.TryGet(_key, ref Sink), "False", Fate.Stays),
        ["TryGet with info"] = (static s => (s.TryGet(_key, ref Sink, out var i), i.Kind), "(False, List)", Fate.Stays),
        ["TryGet by hash"] = (static s => s.TryGet(_key, s.BeginPrefetch(_key), ref Sink), "False", Fate.Stays),
        ["TryGet lent"] = (
            static s => (s.TryGet(_key, s.BeginPrefetch(_key), ref Sink, 1, out var lent), lent is null),
            "(False, True)", Fate.Stays),
        ["Read"] = (
            static s => (s.Read(_key, s.BeginPrefetch(_key), ref Sink, 1, out var lent), lent is null),
            "(WrongType, True)", Fate.Stays),
        ["TryGetRange"] = (static s => s.TryGetRange(_key, 0, 1, ref Sink), "False", Fate.Stays),
        ["TryGetRange with info"] = (
            static s => (s.TryGetRange(_key, 0, 1, ref Sink, out var i), i.Kind), "(False, List)", Fate.Stays),
        ["TryPeekRange"] = (
            static s => (s.TryPeekRange(_key, 0, 1, ref Sink, out var i), i.Kind), "(False, List)", Fate.Stays),
        ["GetArray"] = (static s => s.GetArray(_key) is null, "True", Fate.Stays),
        ["TryGetAndExpire"] = (static s => s.TryGetAndExpire(_key, 1, ref Sink), "False", Fate.Stays),
        ["TryGetAndExpire with status"] = (
            static s => (s.TryGetAndExpire(_key, 1, ref Sink, out var status), status), "(False, WrongType)",
            Fate.Stays),
        ["TryGetAndExpireAtUnixMs"] = (
            static s => (s.TryGetAndExpireAtUnixMs(_key, 1, ref Sink, out var status), status), "(False, WrongType)",
            Fate.Stays),
        ["TryGetInfo"] = (static s => (s.TryGetInfo(_key, out var i), i.Kind), "(True, List)", Fate.Stays),
        ["TryPeekInfo"] = (static s => (s.TryPeekInfo(_key, out var i), i.Kind), "(True, List)", Fate.Stays),
        ["Contains"] = (static s => s.Contains(_key), "True", Fate.Stays),
        ["Set"] = (static s => s.Set(_key, "v"u8), "Done", Fate.IsString),
        ["Set by hash"] = (static s => s.Set(_key, s.BeginPrefetch(_key), "v"u8), "Done", Fate.IsString),
        ["Set of the same length"] = (static s => s.Set(_key, new byte[Length(s)]), "Done", Fate.IsString),
        ["Set with options"] = (
            static s => s.Set(_key, "v"u8, new EntryOptions { KeepTtl = true }), "Done", Fate.IsString),
        ["Set of an absent key"] = (
            static s => s.Set(_key, "v"u8, new EntryOptions { Condition = SetCondition.IfAbsent }),
            "ConditionNotMet", Fate.Stays),
        ["Set of a large value"] = (static s => s.Set(_key, new byte[LongLength]), "Done", Fate.IsString),
        ["Set of its own large value"] = (static s => SetLarge(s), "Done", Fate.IsString),
        ["Set of what has passed"] = (
            static s => s.Set(_key, "v"u8, new EntryOptions { ExpiresAtMs = 1 }), "Done", Fate.Goes),
        ["Set with the previous value"] = (
            static s => (s.Set(_key, "v"u8, default, ref Sink, out bool existed), existed), "(WrongType, False)",
            Fate.Stays),
        ["Set of an absent key with the previous value"] = (
            static s => s.Set(
                _key, "v"u8, new EntryOptions { Condition = SetCondition.IfAbsent }, ref Sink, out _),
            "WrongType", Fate.Stays),
        ["Set of a large value with the previous value"] = (
            static s => s.Set(_key, new byte[LongLength], default, ref Sink, out _), "WrongType", Fate.Stays),
        ["Set of a value larger than the store with the previous value"] = (
            static s => (s.Set(_key, new byte[20 << 20], default, ref Sink, out bool existed), existed),
            "(WrongType, False)", Fate.Stays),
        ["SetIfUnchanged"] = (static s => SetIfUnchanged(s), "Done", Fate.IsString),
        ["Update"] = (static s => Update(s), "WrongType", Fate.Stays),
        ["SetRange"] = (static s => (s.SetRange(_key, 2, "v"u8, out int l), l), "(WrongType, 0)", Fate.Stays),
        ["SetRange far behind"] = (static s => s.SetRange(_key, LongLength, "v"u8, out _), "WrongType", Fate.Stays),
        ["Append"] = (static s => (s.Append(_key, "v"u8, out int l), l), "(WrongType, 0)", Fate.Stays),
        ["Append of a long part"] = (
            static s => s.Append(_key, new byte[LongLength], out _), "WrongType", Fate.Stays),
        ["Increment"] = (static s => (s.Increment(_key, 1, out long sum), sum), "(WrongType, 0)", Fate.Stays),
        ["ChangeBits"] = (static s => s.ChangeBits(_key, Steps(1, BitFieldAction.Set)), "WrongType", Fate.Stays),
        ["ChangeBits that read"] = (
            static s => s.ChangeBits(_key, Steps(1, BitFieldAction.Get)), "WrongType", Fate.Stays),
        ["ChangeBits in thousands of steps"] = (
            static s => s.ChangeBits(_key, Steps(5_000, BitFieldAction.Set)), "WrongType", Fate.Stays),
        ["ChangeBits that read in thousands of steps"] = (
            static s => s.ChangeBits(_key, Steps(5_000, BitFieldAction.Get)), "WrongType", Fate.Stays),
        ["TryChangeBitsInPlace"] = (
            static s => (s.TryChangeBitsInPlace(_key, Steps(1, BitFieldAction.Add), out var status), status),
            "(True, WrongType)", Fate.Stays),
        ["Expire"] = (static s => s.Expire(_key, s.NowMs + 1_000, ExpireConditions.None), "Done", Fate.Stays),
        ["Expire in the past"] = (static s => s.Expire(_key, 1, ExpireConditions.None), "Done", Fate.Goes),
        ["ExpireAtUnixMs"] = (
            static s => s.ExpireAtUnixMs(_key, s.NowMs + 60_000, ExpireConditions.None), "Done", Fate.Stays),
        ["Persist"] = (
            static s => s.Persist(_key) is WriteStatus.Done or WriteStatus.ConditionNotMet, "True", Fate.Stays),
        ["Remove"] = (static s => s.Remove(_key), "True", Fate.Goes),
        ["TryRemove"] = (static s => s.TryRemove(_key, ref Sink), "False", Fate.Stays),
        ["TryRemove with status"] = (
            static s => (s.TryRemove(_key, ref Sink, out var status), status), "(False, WrongType)", Fate.Stays),
        ["TryGetMany of a source"] = (static s => TryGetManyOfASource(s), "0", Fate.Stays),
        ["TryGetMany into a sink"] = (static s => TryGetManyIntoASink(s), "0", Fate.Stays),
        ["TryGetMany into arrays"] = (
            static s => s.TryGetMany(new ReadOnlyMemory<byte>[] { _key }, new byte[]?[1]), "0", Fate.Stays),
        ["GetMany"] = (static s => GetMany(s) is null, "True", Fate.Stays),
        ["SetMany"] = (static s => SetMany(s, SetCondition.Always), "Done", Fate.IsString),
        ["SetMany of absent keys"] = (static s => SetMany(s, SetCondition.IfAbsent), "ConditionNotMet", Fate.Stays),
        ["Rename"] = (
            static s => (s.Rename(_key, "l"u8, SetCondition.Always), s.KindOf("l"u8)), "(Done, List)", Fate.Goes),
        ["Rename over it"] = (static s => RenameOver(s), "Done", Fate.IsString),
        ["Move"] = (
            static s => (s.Move(_key, s.SelectKeyspace(1)), s.SelectKeyspace(1).KindOf(_key)), "(Done, List)",
            Fate.Goes),
        ["Copy"] = (
            static s => (s.Copy(_key, s, "l"u8, SetCondition.Always), s.KindOf("l"u8)), "(Done, List)", Fate.Stays),
        ["Copy over one that is as long"] = (static s => CopyOver(s), "(Done, List)", Fate.Stays),
        ["SetOf"] = (static s => s.SetOf(_key).Add("m"u8), "WrongType", Fate.Stays),
        ["SortedSet"] = (static s => s.SortedSet(_key).Add("m"u8, 1), "WrongType", Fate.Stays),
        ["MoveMember"] = (static s => s.MoveMember(_key, "l"u8, "m"u8), "WrongType", Fate.Stays),
        ["StoreRange"] = (static s => s.StoreRange(_key, SortedSetRange.All, "l"u8, out _), "WrongType", Fate.Stays),
        ["StoreSelection"] = (static s => SelectedMembers.Store(s, _key, "l"u8), "WrongType", Fate.Stays),
        ["CombineSets"] = (static s => Combine(s, isSorted: false), "WrongType", Fate.Stays),
        ["CombineSortedSets"] = (static s => Combine(s, isSorted: true), "WrongType", Fate.Stays),
        ["StoreSets"] = (static s => Combined(s, isSorted: false), "WrongType", Fate.Stays),
        ["StoreSortedSets"] = (static s => Combined(s, isSorted: true), "WrongType", Fate.Stays),
        ["TryPeekCollection"] = (static s => s.TryPeekCollection(_key, out _), "True", Fate.Stays),
        ["Hash"] = (static s => s.Hash(_key).Set("f"u8, "v"u8), "WrongType", Fate.Stays),
        ["List"] = (static s => s.List("l"u8).Push(ListEnd.Left, "v"u8), "Done", Fate.Stays),
        ["Stream"] = (static s => s.Stream(_key).Append("f"u8, "v"u8, out _), "WrongType", Fate.Stays),
        ["Transact"] = (static s => Transact(s, static t => t.TryGet(_key, ref Sink)), "False", Fate.Stays),
        ["Scan"] = (static s => Scan(s, EntryKind.None), "k", Fate.Stays),
        ["Scan of its kind"] = (static s => Scan(s, EntryKind.List), "k", Fate.Stays),
        ["Scan of strings"] = (static s => Scan(s, EntryKind.String), "", Fate.Stays),
        ["TryGetRandomKey"] = (static s => s.TryGetRandomKey(ref RandomKey), "True", Fate.Stays),
        ["get_Count"] = (static s => s.Count, "1", Fate.Stays),
        ["get_ExpiringCount"] = (static s => s.ExpiringCount is 0 or 1, "True", Fate.Stays),
        ["Clear"] = (static s => Do(s.Clear), "", Fate.Goes),
        ["ClearAll"] = (static s => Do(s.ClearAll), "", Fate.Goes),
        ["TryClear"] = (static s => s.TryClear(), "True", Fate.Goes),
        ["TryClearAll"] = (static s => s.TryClearAll(), "True", Fate.Goes),
    };

    private readonly StoreFixture _fixture = new();

    [ThreadStatic]
    private static ArraySink Sink;

    [ThreadStatic]
    private static ArraySink RandomKey;

    private enum Fate
    {
        Stays,
        IsString,
        Goes,
    }

    public static TheoryData<string, int, string> Rows
    {
        get
        {
            var data = new TheoryData<string, int, string>();
            foreach (string name in _rows.Keys)
            {
                data.Add(name, 10, "for ever");
                data.Add(name, 10, "expiring");
                data.Add(name, 10, "sliding");
                data.Add(name, 4_000, "for ever");
                data.Add(name, 4_000, "sliding");
            }

            return data;
        }
    }

    public static TheoryData<string, int> TransactionRows
    {
        get
        {
            var data = new TheoryData<string, int>();
            foreach (string name in _rows.Keys.Where(name => !_ofNoTransaction.Contains(name.Split(' ')[0])))
            {
                data.Add(name, 10);
                data.Add(name, 4_000);
            }

            return data;
        }
    }

    public void Dispose() => _fixture.Dispose();

    [Theory]
    [MemberData(nameof(TransactionRows))]
    public void Member_InATransaction_NeitherShowsNorBreaksAKeyThatIsNoString(string name, int length) =>
        AssertRow(name, length, "for ever", store => Transact(store, _rows[name].Run));

    [Theory]
    [MemberData(nameof(Rows))]
    public void Member_OfAKeyThatIsNoString_NeitherShowsNorBreaksIt(string name, int length, string life) =>
        AssertRow(name, length, life, _rows[name].Run);

    // As many rows as overloads, at the least.
    [Fact]
    public void Members_ThatArePublic_AreAllAmongThese()
    {
        var methods = typeof(CacheStore).GetMethods(BindingFlags.Public | BindingFlags.Instance);
        foreach (var group in methods.GroupBy(method => method.Name).Where(group => !_keyless.Contains(group.Key)))
        {
            int rows = _rows.Keys.Count(name => name.Split(' ')[0] == group.Key);
            Assert.True(rows >= group.Count(), $"{group.Key} has {group.Count()} overloads and {rows} rows");
        }
    }

    [Fact]
    public void Reads_OfAKeyThatIsNoString_CountAsHits()
    {
        _fixture.Set("k", "v");
        _fixture.Store.SetKind(_key, EntryKind.Stream);

        _fixture.Get("k");
        GetMany(_fixture.Store);
        _fixture.Store.TryRemove(_key, ref Sink);
        _fixture.Store.TryPeekRange(_key, 0, 1, ref Sink, out _);

        var statistics = _fixture.Store.GetStatistics();
        Assert.Equal((3, 0), (statistics.Hits, statistics.Misses));
    }

    [Fact]
    public void Read_OfAKeyThatIsNoString_RenewsItsSliding()
    {
        _fixture.Set("k", "v", Sliding(1_000));
        _fixture.Store.SetKind(_key, EntryKind.Hash);
        _fixture.Clock.Advance(800);

        Assert.Null(_fixture.Get("k"));
        _fixture.Clock.Advance(800);

        Assert.Equal(EntryKind.Hash, _fixture.Store.KindOf(_key));
    }

    // Many of them lie outside of their homes.
    [Fact]
    public void Crowd_OfKeysThatAreNoStrings_IsServedByNoRead()
    {
        const int count = 390 * 16;
        var store = _fixture.Store;
        for (int i = 0; i < count; i++)
            _fixture.Set($"key:{i}", "value");
        for (int i = 0; i < count; i += 2)
            store.SetKind(Bytes($"key:{i}"), EntryKind.Set);

        for (int i = 0; i < count; i++)
            Assert.Equal(i % 2 == 0 ? null : "value", _fixture.Get($"key:{i}"));
        Assert.Equal(count / 2, Scan(store, EntryKind.Set).Split(' ').Length);
        Assert.Equal(count / 2, Scan(store, EntryKind.String).Split(' ').Length);

        for (int i = 0; i < count; i++)
            Assert.Equal(WriteStatus.Done, _fixture.Set($"key:{i}", "other"));
        for (int i = 0; i < count; i++)
            Assert.Equal("other", _fixture.Get($"key:{i}"));
    }

    // More than the batch that is written in place takes.
    [Theory]
    [InlineData(20)]
    [InlineData(200)]
    public void SetMany_OverKeysOfAllKinds_MakesThemStrings(int count)
    {
        var store = _fixture.Store;
        var entries = Enumerable.Range(0, count).Select(i => (Bytes($"key:{i}"), Bytes("other"))).ToArray();
        for (int i = 0; i < count; i++)
        {
            _fixture.Set($"key:{i}", "value");
            store.SetKind(Bytes($"key:{i}"), EntryKind.String + i % 6);
        }

        var source = new EntryArray(entries);
        Assert.Equal(WriteStatus.Done, store.SetMany(ref source, SetCondition.Always));

        Assert.All(entries, entry => Assert.Equal("other"u8.ToArray(), store.GetArray(entry.Item1)));
    }

    [Fact]
    public void Reclaiming_EntriesOfAllKinds_KeepsTheirKinds()
    {
        const int count = 2_000;
        var store = _fixture.Store;
        for (int i = 0; i < count; i++)
        {
            _fixture.Set($"key:{i}", $"value {i}");
            store.SetKind(Bytes($"key:{i}"), EntryKind.String + i % 6);
        }

        for (int round = 0; store.CopiedBytes < 1 << 14; round++)
        {
            Assert.True(round < 1_000, "Nothing is copied.");
            for (int i = 0; i < count; i++)
                store.Contains(Bytes($"key:{i}"));
            for (int i = 0; i < 100; i++)
                _fixture.Set($"filler:{round}:{i}", new string('f', 1_000));
        }

        int left = 0;
        for (int i = 0; i < count; i++)
        {
            var kind = store.KindOf(Bytes($"key:{i}"));
            left += kind == EntryKind.None ? 0 : 1;
            Assert.True(kind == EntryKind.None || kind == EntryKind.String + i % 6);
        }

        Assert.True(left > 0);
    }

    // It gets another record, or none.
    [Theory]
    [InlineData(10)]
    [InlineData(4_000)]
    public void Expiry_GivenAndTakenOften_KeepsTheKind(int length)
    {
        var store = _fixture.Store;
        store.Set(_key, Filled(length, 7));
        store.SetKind(_key, EntryKind.SortedSet);
        for (int i = 1; i < 5; i++)
        {
            store.Expire(_key, store.NowMs + i * 1_000, ExpireConditions.None);
            Assert.Equal(EntryKind.SortedSet, store.KindOf(_key));
            store.Persist(_key);
            Assert.Equal(EntryKind.SortedSet, store.KindOf(_key));
        }

        store.SetKind(_key, EntryKind.String);
        Assert.Equal(Filled(length, 7), store.GetArray(_key));
    }

    [Fact]
    public void SetIfExpected_SameBytesOfAnotherKind_IsRefused()
    {
        var store = _fixture.Store;
        _fixture.Set("k", "v");
        store.SetKind(_key, EntryKind.Hash);
        var watched = store.Watch(_key);

        var status = store.SetIfExpected(
            _key, "w"u8, default, new ExpectedEntry { Exists = true, Value = "v"u8, Watched = watched });

        Assert.Equal(WriteStatus.ConditionNotMet, status);
        Assert.Equal(EntryKind.Hash, store.KindOf(_key));
        store.Unwatch(watched);
    }

    private void AssertRow(string name, int length, string life, Func<CacheStore, object> run)
    {
        var store = _fixture.Store;
        byte[] value = Filled(length, (byte)'1');
        var options = life switch
        {
            "expiring" => ExpiringAt(store.NowMs + 60_000),
            "sliding" => Sliding(60_000),
            _ => default,
        };
        store.Set(_key, value, options);
        store.SetKind(_key, EntryKind.List);
        Sink = default;

        object said = run(store);

        Assert.Equal(_rows[name].Says, said.ToString());
        Assert.Null(Sink.Array);
        store.AssertValid();
        var expected = _rows[name].Fate switch
        {
            Fate.Stays => EntryKind.List,
            Fate.IsString => EntryKind.String,
            _ => EntryKind.None,
        };
        Assert.Equal(expected, store.KindOf(_key));
        if (expected == EntryKind.String)
            Assert.NotEqual(value, store.GetArray(_key));
        if (expected != EntryKind.List)
            return;
        store.SetKind(_key, EntryKind.String);
        Assert.Equal(value, store.GetArray(_key));
    }

    private static string Do(Action action)
    {
        action();
        return "";
    }

    private static int Length(CacheStore store) => store.TryPeekInfo(_key, out var info) ? info.Length : 0;

    private static WriteStatus SetLarge(CacheStore store)
    {
        Assert.True(store.TryCreateValue(LongLength, out var value));
        value.Span.Fill(1);
        return store.Set(_key, value, default);
    }

    private static WriteStatus SetIfUnchanged(CacheStore store)
    {
        store.TryPeekInfo(_key, out var info);
        return store.SetIfUnchanged(_key, "v"u8, default, info.Version);
    }

    private static WriteStatus RenameOver(CacheStore store)
    {
        store.Set("l"u8, "v"u8);
        return store.Rename("l"u8, _key, SetCondition.Always);
    }

    private static object CopyOver(CacheStore store)
    {
        store.Set("l"u8, new byte[Length(store)]);
        return (store.Copy(_key, store, "l"u8, SetCondition.Always), store.KindOf("l"u8));
    }

    private static BitFieldStep[] Steps(int count, BitFieldAction action) =>
        [.. Enumerable.Repeat(new BitFieldStep { Action = action, Width = 8, Offset = 8, Value = 1 }, count)];

    private static WriteStatus SetMany(CacheStore store, SetCondition condition)
    {
        var entries = new EntryArray((_key, "v"u8.ToArray()), ("l"u8.ToArray(), "w"u8.ToArray()));
        return store.SetMany(ref entries, condition);
    }

    private static object Transact(CacheStore store, Func<CacheStore, object> run)
    {
        object said = "";
        KeyedTransaction.Run(store, [_key, "l"u8.ToArray()], 2, 4, view => said = run(view));
        return said;
    }

    private static string Scan(CacheStore store, EntryKind kind)
    {
        var sink = new KeyListSink();
        ulong cursor = 0;
        do
            cursor = store.Scan(cursor, 100, kind, ref sink);
        while (cursor != 0);
        return string.Join(' ', sink.Keys);
    }

    private static WriteStatus Update(CacheStore store)
    {
        var update = default(AnyUpdate);
        return store.Update(_key, ref update);
    }

    private readonly struct AnyUpdate : IValueUpdate
    {
        public int LengthMax => LongLength;

        public ReadOnlySpan<byte> Value => "v"u8;

        public bool TryMake(ReadOnlySpan<byte> present, bool exists) => true;
    }

    private static WriteStatus Combine(CacheStore store, bool isSorted)
    {
        var keys = new KeyArray(_key);
        var (members, scores) = (new MemberListSink(), new ScoredListSink());
        return isSorted
            ? store.CombineSortedSets(SetCombination.Union, ref keys, default, ScoreAggregate.Sum, ref scores)
            : store.CombineSets(SetCombination.Union, ref keys, ref members);
    }

    private static WriteStatus Combined(CacheStore store, bool isSorted)
    {
        var keys = new KeyArray(_key);
        return isSorted
            ? store.StoreSortedSets(SetCombination.Union, ref keys, default, ScoreAggregate.Sum, "l"u8, out _)
            : store.StoreSets(SetCombination.Union, ref keys, "l"u8, out _);
    }
}
