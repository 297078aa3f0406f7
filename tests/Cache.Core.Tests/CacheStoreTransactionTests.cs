using System.Numerics;
using System.Runtime.CompilerServices;
using Cache.Core.Sharding;
using Cache.Testing;
using static Cache.Core.Tests.StoreFixture;

namespace Cache.Core.Tests;

/// <summary>Reads and writes of locked keys, and what a transaction refuses.</summary>
public sealed class CacheStoreTransactionTests : IDisposable
{
    private static readonly string[] _two = ["one", "other"];

    private readonly StoreFixture _fixture = new();

    private CacheStore Store => _fixture.Store;

    public void Dispose() => _fixture.Dispose();

    [Fact]
    public void Transact_OfReadsAndWrites_TakesPlace()
    {
        _fixture.Set("one", "1");

        Transact(_two, store =>
        {
            Assert.Equal("1", Get(store, "one"));
            store.Set("one"u8, "2"u8);
            Assert.Equal(WriteStatus.Done, store.Rename("one"u8, "other"u8, SetCondition.Always));
            Assert.Null(Get(store, "one"));
            Assert.Equal(WriteStatus.Done, store.Increment("other"u8, 5, out long sum));
            Assert.Equal(7, sum);
        });

        Assert.Null(_fixture.Get("one"));
        Assert.Equal("7", _fixture.Get("other"));
    }

    [Fact]
    public void Transact_WhileOthersRead_ShowsAllOrNothing()
    {
        _fixture.Set("one", "0");
        _fixture.Set("other", "0");
        using var isOver = new CancellationTokenSource();
        int different = 0;
        int reads = 0;
        var reader = new Thread(() =>
        {
            while (!isOver.IsCancellationRequested)
            {
                var keys = new KeyArray([Bytes("one"), Bytes("other")]);
                var sink = new ValueListSink();
                Store.GetMany(ref keys, ref sink);
                different += sink.Values[0].AsSpan().SequenceEqual(sink.Values[1]) ? 0 : 1;
                Volatile.Write(ref reads, reads + 1);
            }
        });
        reader.Start();
        for (int i = 0; i < 5_000 || Volatile.Read(ref reads) == 0; i++)
        {
            Transact(_two, store =>
            {
                store.Increment("one"u8, 1, out _);
                store.Increment("other"u8, 1, out _);
            });
        }

        isOver.Cancel();
        reader.Join();

        Assert.Equal(0, different);
    }

    [Fact]
    public void Transact_OfKeysOfSeveralKeyspaces_SelectsTheirViews()
    {
        var source = new Keys([.. _two], static store =>
        {
            store.Set("one"u8, "here"u8);
            Assert.Equal(WriteStatus.Done, store.Move("one"u8, store.SelectKeyspace(3)));
            Assert.Equal(WriteStatus.Done, store.SelectKeyspace(3).Rename("one"u8, "other"u8, SetCondition.Always));
        })
        {
            KeyspaceCount = 4,
        };

        Store.Transact(ref source);

        Assert.Equal("here", Get(Store.SelectKeyspace(3), "other"));
        Assert.Equal(1, Store.GetStatistics().Count);
    }

    [Theory]
    [InlineData(1)]
    [InlineData(64)]
    [InlineData(3_000)]
    public void Transact_OfManyNewKeys_HasSlotsForAll(int count)
    {
        string[] names = [.. Enumerable.Range(0, count).Select(static i => $"key:{i}")];

        Transact(names, store =>
        {
            foreach (string name in names)
                Assert.Equal(WriteStatus.Done, store.Set(Bytes(name), "value"u8));
        });

        Assert.Equal(count, Store.Count);
    }

    // Once it is removed, it is looked for where they are.
    [Fact]
    public void Transact_OfAKeyWhoseNeighboursSpilled_HoldsWhereTheyLie()
    {
        var state = StateOf(Store);
        ulong hash = state.HashOf("one"u8, 0);
        var home = state.ShardOf(hash).HomeOf(hash);
        _fixture.Set("one", "1");
        for (int i = 0; home.HasNoSpill; i++)
        {
            byte[] name = Bytes($"other:{i}");
            ulong other = state.HashOf(name, 0);
            if (state.ShardOf(other).HomeOf(other).Equals(home))
                Store.Set(name, "2"u8);
        }

        Transact(_two, store =>
        {
            for (ulong buckets = home.SpillBuckets; buckets != 0; buckets &= buckets - 1)
                Assert.Equal(1U, home.Page[BitOperations.TrailingZeroCount(buckets)].ReadVersion() % 2);
            Assert.True(store.Remove("one"u8));
            Assert.Equal(WriteStatus.Done, store.Set("one"u8, "3"u8));
        });

        Assert.Equal("3", _fixture.Get("one"));
    }

    // So few that the slots of their homes are counted; all pages are split by transactions alone.
    [Fact]
    public void Transact_OfAFewNewKeysAgainAndAgain_SplitsTheirPages()
    {
        for (int i = 0; i < 5_000; i += 5)
        {
            string[] names = [.. Enumerable.Range(i, 5).Select(static n => $"key:{n}")];
            Transact(names, store =>
            {
                foreach (string name in names)
                    Assert.Equal(WriteStatus.Done, store.Set(Bytes(name), "value"u8));
            });
        }

        Assert.Equal(5_000, Store.Count);
    }

    [Fact]
    public void Transact_ThatWritesBeyondTheLimit_EvictsForIt()
    {
        byte[] value = new byte[10_000];
        for (int i = 0; i < 2_000; i++)
            Store.Set(Bytes($"old:{i}"), value);

        for (int i = 0; i < 2_000; i += 10)
        {
            string[] names = [.. Enumerable.Range(i, 10).Select(static n => $"new:{n}")];
            Transact(names, writtenBytes: 10 * 10_100, store =>
            {
                foreach (string name in names)
                    Assert.Equal(WriteStatus.Done, store.Set(Bytes(name), value));
            });
        }

        Assert.InRange(Store.GetStatistics().MemoryBytes, 0, MemoryLimitBytes);
    }

    [Fact]
    public void Transact_OfNewKeysWhoseRoomIsAllThatIsLeft_SplitsPagesWithinIt()
    {
        var budget = StateOf(Store).Budget;
        string[] names = [.. Enumerable.Range(0, 3_000).Select(static n => $"new:{n}")];
        Transact(names, writtenBytes: 3_000 * 200, store =>
        {
            long taken = 0;
            for (long bytes = MemoryLimitBytes; bytes != 0;)
            {
                if (budget.TryTake(bytes, spareBytes: 0))
                    taken += bytes;
                else
                    bytes /= 2;
            }

            foreach (string name in names)
                Assert.Equal(WriteStatus.Done, store.Set(Bytes(name), "1"u8));
            budget.Add(-taken);
        });
    }

    [Fact]
    public void Transact_WithoutRoom_RefusesTheWriteAlone()
    {
        Store.Eviction = EvictionPolicy.None;
        int count = 0;
        while (Store.Set(Bytes($"old:{count}"), new byte[1_000]) == WriteStatus.Done)
            count++;
        long refused = Store.GetStatistics().RefusedWrites;

        Transact(["old:0", "new"], writtenBytes: 2_000_000, store =>
        {
            Assert.Equal(WriteStatus.OutOfMemory, store.Set("new"u8, new byte[1_000_000]));
            Assert.Equal(WriteStatus.Done, store.Set("old:0"u8, Filled(1_000, 1)));
            Assert.True(store.Contains("old:0"u8));
        });

        Assert.Equal(Filled(1_000, 1), Store.GetArray("old:0"u8));
        Assert.Null(Store.GetArray("new"u8));
        Assert.Equal(refused + 1, Store.GetStatistics().RefusedWrites);
    }

    [Fact]
    public void Transact_OfALongValue_ReplacesExtendsAndLendsIt()
    {
        byte[] value = new byte[600_000];

        Transact(_two, writtenBytes: 4_000_000, store =>
        {
            Assert.Equal(WriteStatus.Done, store.Set("one"u8, value));
            Assert.Equal(WriteStatus.Done, store.Copy("one"u8, store, "other"u8, SetCondition.Always));
            Assert.Equal(WriteStatus.Done, store.Append("other"u8, value, out int length));
            Assert.Equal(1_200_000, length);
            var sink = default(ArraySink);
            Assert.True(store.TryGet("other"u8, store.BeginPrefetch("other"u8), ref sink, 1_000, out var lent));
            Assert.Equal(1_200_000, lent!.Span.Length);
            lent.Dispose();
        });

        Assert.Equal(value, Store.GetArray("one"u8));
        Assert.Equal(1_200_000, Store.GetArray("other"u8)!.Length);
    }

    [Fact]
    public void Transact_OfAClear_WritesBehindIt()
    {
        _fixture.Set("one", "1");
        _fixture.Set("third", "3");

        Transact(_two, store =>
        {
            Assert.True(store.TryClear());
            Assert.Null(Get(store, "one"));
            store.Set("other"u8, "2"u8);
        });

        Assert.Null(_fixture.Get("one"));
        Assert.Null(_fixture.Get("third"));
        Assert.Equal("2", _fixture.Get("other"));
        Assert.Equal(1, Store.Count);
    }

    [Fact]
    public void Transact_WhoseBodyThrows_KeepsWhatWasWrittenAndUnlocks()
    {
        Assert.Throws<InvalidDataException>(() => Transact(_two, store =>
        {
            store.Set("one"u8, "1"u8);
            throw new InvalidDataException();
        }));

        Assert.Equal("1", _fixture.Get("one"));
        Assert.Equal(WriteStatus.Done, _fixture.Set("other", "2"));
    }

    [Fact]
    public void Transact_InTheViewOfAnother_IsAPartOfIt()
    {
        _fixture.Set("one", "1");

        Transact(
            _two, store => Transact(store, _two, 0, static inner => inner.Set("other"u8, inner.GetArray("one"u8))));

        Assert.Equal("1", _fixture.Get("other"));
    }

    public static TheoryData<string, Action<CacheStore>> Foreign => new()
    {
        { "get", static store => store.GetArray("third"u8) },
        { "info", static store => store.TryGetInfo("third"u8, out _) },
        { "set", static store => store.Set("third"u8, "3"u8) },
        { "remove", static store => store.Remove("third"u8) },
        { "append", static store => store.Append("third"u8, "3"u8, out _) },
        { "increment", static store => store.Increment("third"u8, 1, out _) },
        { "expire", static store => store.Expire("third"u8, 1, ExpireConditions.None) },
        { "rename", static store => store.Rename("one"u8, "third"u8, SetCondition.Always) },
        { "move", static store => store.Move("one"u8, store.SelectKeyspace(1)) },
        { "scan", static store => store.ScanAll(10) },
        { "random", static store => TakeRandom(store) },
        { "limit", static store => store.MemoryLimitBytes = MemoryLimitBytes / 2 },
        { "nested", static store => Transact(store, _two, 0, static inner => inner.GetArray("third"u8)) },
    };

    [Theory]
    [MemberData(nameof(Foreign), DisableDiscoveryEnumeration = true)]
    public void Transact_OfWhatItHasNotLocked_Throws(string what, Action<CacheStore> use)
    {
        _fixture.Set("third", "3");
        _fixture.Set("one", "1");

        Transact(_two, store => Assert.Throws<InvalidOperationException>(() => use(store)));

        Assert.True(_fixture.Get("third") == "3" && _fixture.Get("one") == "1", what);
    }

    [Fact]
    public void View_AfterItsTransaction_Throws()
    {
        CacheStore? view = null;
        Transact(_two, store => view = store);

        Assert.Throws<InvalidOperationException>(() => view!.GetArray("one"u8));
        Assert.Throws<InvalidOperationException>(() => view!.Set("one"u8, "1"u8));
        Assert.Throws<InvalidOperationException>(() => view!.TryClear());
    }

    // Views are used again: one that somebody has kept must not be a way into another thread's transaction.
    [Fact]
    public void View_WhileAnotherThreadUsesItAgain_Throws()
    {
        CacheStore? kept = null;
        for (int i = 0; i < 100; i++)
        {
            Transact(["one"], store => kept = store);
            RunOnAnotherThread(() => Assert.Throws<InvalidOperationException>(() => Get(kept!, "one")));
            Transact(["one"], store => RunOnAnotherThread(() =>
                Assert.Throws<InvalidOperationException>(() => Get(store, "one"))));
        }
    }

    [Fact]
    public void Transact_OverAndOver_AllocatesNothing()
    {
        Swap(Store);
        Store.Set("one"u8, "1"u8);

        Assert.Equal(0, AllocatedBytes.LeastOf(() => Swap(Store)));

        Assert.Equal("1", _fixture.Get("one"));
    }

    [Fact]
    public void Transact_OfEntriesThatExpireMeanwhile_SeesThemGo()
    {
        Store.Set("one"u8, "1"u8, ExpiringAt(_fixture.NowMs + 50));

        Transact(_two, store =>
        {
            Assert.Equal("1", Get(store, "one"));
            _fixture.Clock.Advance(60); // No sweep begins: it would wait for the keys, in this thread.
            Assert.Null(Get(store, "one"));
            Assert.Equal(WriteStatus.Done, store.Set("one"u8, "2"u8));
        });

        Assert.Equal("2", _fixture.Get("one"));
    }

    [UnsafeAccessor(UnsafeAccessorKind.Field, Name = "_state")]
    private static extern ref StoreState StateOf(CacheStore store);

    private static void RunOnAnotherThread(ThreadStart body)
    {
        Exception? problem = null;
        var thread = new Thread(() => problem = Record.Exception(() => body()));
        thread.Start();
        thread.Join();
        Assert.Null(problem);
    }

    private static void Swap(CacheStore store)
    {
        for (int i = 0; i < 100; i++)
        {
            var swap = default(TwoSwapped);
            store.Transact(ref swap);
        }
    }

    private static void TakeRandom(CacheStore store)
    {
        var sink = default(ArraySink);
        store.TryGetRandomKey(ref sink);
    }

    private void Transact(string[] keys, Action<CacheStore> body) => Transact(Store, keys, 1 << 16, body);

    private void Transact(string[] keys, long writtenBytes, Action<CacheStore> body) =>
        Transact(Store, keys, writtenBytes, body);

    private static void Transact(CacheStore store, string[] keys, long writtenBytes, Action<CacheStore> body)
    {
        var transaction = new Keys(keys, body) { WrittenBytes = writtenBytes };
        store.Transact(ref transaction);
    }

    private readonly struct Keys(string[] keys, Action<CacheStore> body) : ITransaction
    {
        public int KeyspaceCount { get; init; } = 1;

        public int KeyCount => keys.Length * KeyspaceCount;

        public int WriteCount { get; init; } = 16;

        public long WrittenBytes { get; init; }

        public ReadOnlySpan<byte> GetKey(int index) => Bytes(keys[index % keys.Length]);

        public int GetKeyspace(int index) => index / keys.Length;

        public void Run(CacheStore store) => body(store);
    }

    private struct TwoSwapped : ITransaction
    {
        public readonly int KeyCount => 2;

        public readonly int WriteCount => 4;

        public readonly long WrittenBytes => 64;

        public readonly ReadOnlySpan<byte> GetKey(int index) => index == 0 ? "one"u8 : "other"u8;

        public readonly int GetKeyspace(int index) => 0;

        public readonly void Run(CacheStore store)
        {
            bool isOne = store.Contains("one"u8);
            store.Rename(isOne ? "one"u8 : "other"u8, isOne ? "other"u8 : "one"u8, SetCondition.Always);
        }
    }
}
