using System.Reflection;
using Cache.Core.Changes;
using Cache.Core.Tests.Changes;
using Cache.Core.Tests.Collections;
using Cache.Testing;

namespace Cache.Core.Tests;

/// <summary>What each member of a store says after its end, and of a view.</summary>
public sealed class DisposedStoreTests : IDisposable
{
    // What may be asked all the same: what a store was made with, its last counters; and what releases do late.
    private static readonly string[] _always =
    [
        "get_IsDisposed", "get_TimeProvider", "get_NowMs", "get_NowUnixMs", "get_KeyspaceCount", "get_Keyspace",
        "get_HasJournal",
        "get_MemoryLimitBytes",
        "get_Eviction", "get_Compression", "get_ValueLengthLimit", "get_EncodingLimits", "set_EncodingLimits",
        nameof(CacheStore.GetStatistics), nameof(CacheStore.Dispose), nameof(CacheStore.AddOutsideBytes),
        // Only fetch; the operations that follow throw.
        nameof(CacheStore.BeginPrefetch), nameof(CacheStore.EndPrefetch),
        nameof(CacheStore.Detach), nameof(CacheStore.TakeLongestWaitForMemory),
        nameof(GetType), nameof(ToString), nameof(Equals), nameof(GetHashCode),
    ];

    private static readonly Dictionary<string, Action<CacheStore>> _operations = new()
    {
        ["TryGet"] = static s => s.TryGet("k"u8, ref Sink),
        ["TryGet with info"] = static s => s.TryGet("k"u8, ref Sink, out _),
        ["TryGet by hash"] = static s => s.TryGet("k"u8, s.BeginPrefetch("k"u8), ref Sink),
        ["TryGet lent"] = static s => s.TryGet("k"u8, s.BeginPrefetch("k"u8), ref Sink, 1, out _),
        ["Read"] = static s => s.Read("k"u8, s.BeginPrefetch("k"u8), ref Sink, 1, out _),
        ["TryGetRange"] = static s => s.TryGetRange("k"u8, 0, 1, ref Sink),
        ["TryPeekRange"] = static s => s.TryPeekRange("k"u8, 0, 1, ref Sink, out _),
        ["TryGetRange with info"] = static s => s.TryGetRange("k"u8, 0, 1, ref Sink, out _),
        ["GetArray"] = static s => s.GetArray("k"u8),
        ["GetArray of the empty key"] = static s => s.GetArray(default),
        ["GetArray of an absent key"] = static s => s.GetArray("absent"u8),
        ["TryGetAndExpire"] = static s => s.TryGetAndExpire("k"u8, 1, ref Sink),
        ["TryGetAndExpire with status"] = static s => s.TryGetAndExpire("k"u8, 1, ref Sink, out _),
        ["TryGetInfo"] = static s => s.TryGetInfo("k"u8, out _),
        ["TryPeekInfo"] = static s => s.TryPeekInfo("k"u8, out _),
        ["Contains"] = static s => s.Contains("k"u8),
        ["GetHitRatioCurve"] = static s => s.GetHitRatioCurve(),
        ["Set"] = static s => s.Set("k"u8, "v"u8),
        ["Set of a large value"] = static s => s.Set("k"u8, new byte[300_000]),
        ["Set of a value larger than the store"] = static s => s.Set("k"u8, new byte[20 << 20]),
        ["Set with options"] = static s => s.Set("k"u8, "v"u8, new EntryOptions { SlidingMs = 1 }),
        ["Set by hash"] = static s => s.Set("k"u8, s.BeginPrefetch("k"u8), "v"u8),
        ["Set with the previous value"] = static s => s.Set("k"u8, "v"u8, default, ref Sink, out _),
        ["Set of its own large value"] = static s => s.Set("k"u8, Large!, default),
        ["SetIfUnchanged"] = static s => s.SetIfUnchanged("k"u8, "v"u8, default, Version),
        ["SetIfUnchanged of no version"] = static s => s.SetIfUnchanged("k"u8, "v"u8, default, default),
        ["TryMakeRoom"] = static s => s.TryMakeRoom(1),
        ["TryCreateValue"] = static s => s.TryCreateValue(300_000, out _),
        ["Update"] = static s => Update(s),
        ["SetRange"] = static s => s.SetRange("k"u8, 0, "v"u8, out _),
        ["Append"] = static s => s.Append("k"u8, "v"u8, out _),
        ["Increment"] = static s => s.Increment("k"u8, 1, out _),
        ["ExpireAtUnixMs"] = static s => s.ExpireAtUnixMs("k"u8, 1, ExpireConditions.None),
        ["TryGetAndExpireAtUnixMs"] = static s => s.TryGetAndExpireAtUnixMs("k"u8, 1, ref Sink, out _),
        ["Expire"] = static s => s.Expire("k"u8, 1, ExpireConditions.None),
        ["Persist"] = static s => s.Persist("k"u8),
        ["Remove"] = static s => s.Remove("k"u8),
        ["TryRemove"] = static s => s.TryRemove("k"u8, ref Sink),
        ["TryRemove with status"] = static s => s.TryRemove("k"u8, ref Sink, out _),
        ["GetMany"] = static s => GetMany(s, "k"u8.ToArray()),
        ["TryGetMany"] = static s => s.TryGetMany(new ReadOnlyMemory<byte>[] { "k"u8.ToArray() }, new byte[]?[1]),
        ["TryGetMany of nothing"] = static s => s.TryGetMany(default, []),
        ["GetMany of nothing"] = static s => GetMany(s),
        ["SetMany"] = static s => SetMany(s, ("k"u8.ToArray(), "v"u8.ToArray())),
        ["SetMany of nothing"] = static s => SetMany(s),
        ["Hash"] = static s => s.Hash("k"u8),
        ["List"] = static s => s.List("k"u8),
        ["SetOf"] = static s => s.SetOf("k"u8),
        ["SortedSet"] = static s => s.SortedSet("k"u8),
        ["TryPeekCollection"] = static s => s.TryPeekCollection("k"u8, out _),
        ["CombineSets"] = static s => Combine(s),
        ["StoreSets"] = static s => StoreCombined(s),
        ["CombineSortedSets"] = static s => CombineSorted(s),
        ["StoreSortedSets"] = static s => StoreCombinedSorted(s),
        ["StoreRange"] = static s => s.StoreRange("k"u8, SortedSetRange.All, "l"u8, out _),
        ["StoreSelection"] = static s => SelectedMembers.Store(s, "k"u8, "d"u8),
        ["MoveMember"] = static s => s.MoveMember("k"u8, "l"u8, "m"u8),
        ["Transact"] = static s => KeyedTransaction.Run(s, ["k"u8.ToArray()], 1, 1, static _ => { }),
        ["Rename"] = static s => s.Rename("k"u8, "l"u8, SetCondition.Always),
        ["Move"] = static s => s.Move("k"u8, s),
        ["ChangeBits"] = static s => s.ChangeBits("k"u8, [new BitFieldStep { Width = 1 }]),
        ["TryChangeBitsInPlace"] = static s => s.TryChangeBitsInPlace("k"u8, [new BitFieldStep { Width = 1 }], out _),
        ["Copy"] = static s => s.Copy("k"u8, s, "l"u8, SetCondition.Always),
        ["get_Count"] = static s => _ = s.Count,
        [nameof(CacheStore.GetMemory)] = static s => _ = s.GetMemory(),
        ["get_ExpiringCount"] = static s => _ = s.ExpiringCount,
        ["set_MemoryLimitBytes"] = static s => s.MemoryLimitBytes = 8 << 20,
        ["set_Eviction"] = static s => s.Eviction = EvictionPolicy.None,
        ["set_Compression"] = static s => s.Compression = ValueCompression.All,
        ["SelectKeyspace"] = static s => s.SelectKeyspace(0),
        ["Clear"] = static s => s.Clear(),
        ["ClearAll"] = static s => s.ClearAll(),
        ["TryClear"] = static s => s.TryClear(),
        ["TryClearAll"] = static s => s.TryClearAll(),
        ["Scan"] = static s => Scan(s),
        ["TryGetRandomKey"] = static s => s.TryGetRandomKey(ref Sink),
        ["ResetStatistics"] = static s => s.ResetStatistics(),
        ["Attach"] = static s => s.Attach(new RecordingJournal()),
        ["Attach an observer"] = static s => s.Attach(new SilentObserver()),
        ["ObserveRemoved"] = static s => s.ObserveRemoved(),
        ["Stream"] = static s => s.Stream("k"u8),
    };

    private readonly StoreFixture _fixture = new();

    [ThreadStatic]
    private static ArraySink Sink;

    [ThreadStatic]
    private static LargeValue? Large;

    [ThreadStatic]
    private static EntryVersion Version;

    public static TheoryData<string, bool> Operations
    {
        get
        {
            var data = new TheoryData<string, bool>();
            foreach (string name in _operations.Keys)
            {
                data.Add(name, false);
                data.Add(name, true);
            }

            return data;
        }
    }

    public void Dispose() => _fixture.Store.Dispose();

    [Theory]
    [MemberData(nameof(Operations))]
    public void Member_AfterDispose_Throws(string name, bool ofView)
    {
        var store = _fixture.Store;
        var asked = ofView ? store.SelectKeyspace(1) : store;
        asked.Set("k"u8, "v"u8);
        asked.TryGet("k"u8, ref Sink, out var info);
        Version = info.Version;
        store.TryCreateValue(300_000, out Large);
        store.Dispose();

        Assert.Throws<ObjectDisposedException>(() => _operations[name](asked));
        Assert.Throws<ObjectDisposedException>(() => _operations[name](asked));
        Large?.Dispose();
    }

    [Fact]
    public void Members_ThatArePublic_AreAllAmongThese()
    {
        var named = new HashSet<string>(_always);
        foreach (string name in _operations.Keys)
            named.Add(name.Split(' ')[0]);

        foreach (var method in typeof(CacheStore).GetMethods(BindingFlags.Public | BindingFlags.Instance))
            Assert.Contains(method.Name, named);
    }

    [Fact]
    public void GetStatistics_AfterDispose_HasTheLastCounters()
    {
        var store = _fixture.Store;
        store.Set("k"u8, "v"u8, new EntryOptions { SlidingMs = 1 });
        store.GetArray("k"u8);
        store.Dispose();

        var statistics = store.GetStatistics();

        Assert.Equal((1, 1, 1), (statistics.Hits, statistics.Count, statistics.ExpiringCount));
        Assert.True(store.NowMs > 0);
        Assert.Equal(StoreFixture.MemoryLimitBytes, store.MemoryLimitBytes);
        Assert.Equal(CacheStore.ValueLengthMax, store.ValueLengthLimit);
    }

    [Theory]
    [InlineData(0)]
    [InlineData(1)]
    public void Dispose_OfAView_DoesNothingToTheStore(int keyspace)
    {
        var view = _fixture.Store.SelectKeyspace(keyspace);
        view.Set("k"u8, "v"u8);

        view.Dispose();

        Assert.Equal("v"u8.ToArray(), view.GetArray("k"u8));
        Assert.Equal("v"u8.ToArray(), _fixture.Store.SelectKeyspace(keyspace).GetArray("k"u8));
    }

    [Fact]
    public void LargeValue_DisposedAfterTheStore_GivesItsMemoryBack()
    {
        Assert.True(_fixture.Store.TryCreateValue(300_000, out var value));
        _fixture.Store.Dispose();

        value.Span.Fill(1);
        value.Dispose();

        Assert.Throws<ObjectDisposedException>(() => value.Span.Length);
    }

    private static void Combine(CacheStore store)
    {
        var keys = new KeyArray("k"u8.ToArray());
        var sink = new MemberListSink();
        store.CombineSets(SetCombination.Union, ref keys, ref sink);
    }

    private static void StoreCombined(CacheStore store)
    {
        var keys = new KeyArray("k"u8.ToArray());
        store.StoreSets(SetCombination.Union, ref keys, "d"u8, out _);
    }

    private static void CombineSorted(CacheStore store)
    {
        var keys = new KeyArray("k"u8.ToArray());
        var sink = new ScoredListSink();
        store.CombineSortedSets(SetCombination.Union, ref keys, default, ScoreAggregate.Sum, ref sink);
    }

    private static void StoreCombinedSorted(CacheStore store)
    {
        var keys = new KeyArray("k"u8.ToArray());
        store.StoreSortedSets(SetCombination.Union, ref keys, default, ScoreAggregate.Sum, "d"u8, out _);
    }

    private static void GetMany(CacheStore store, params byte[][] keys)
    {
        var source = new KeyArray(keys);
        var sink = new ValueListSink();
        store.GetMany(ref source, ref sink);
    }

    private static void SetMany(CacheStore store, params (byte[] Key, byte[] Value)[] entries)
    {
        var source = new EntryArray(entries);
        store.SetMany(ref source, SetCondition.Always);
    }

    private static void Scan(CacheStore store)
    {
        var sink = new KeyListSink();
        store.Scan(0, 10, ref sink);
    }

    private static void Update(CacheStore store)
    {
        var update = default(EmptyUpdate);
        store.Update("k"u8, ref update);
    }

    private readonly struct EmptyUpdate : IValueUpdate
    {
        public int LengthMax => 8;

        public ReadOnlySpan<byte> Value => default;

        public bool TryMake(ReadOnlySpan<byte> present, bool exists) => true;
    }

    private sealed class SilentObserver : ChangeObserver
    {
        public override void Note(in ChangeNote note)
        {
        }

        public override void Drain()
        {
        }
    }
}
