using Cache.Core.Hashing;
using Cache.Core.Layout;
using Cache.Core.Operations;
using Cache.Core.Sharding;
using Cache.Testing;
using static Cache.Core.Tests.StoreFixture;

namespace Cache.Core.Tests.Operations;

/// <summary>Values that are made out of the present ones: what is written, and how often they are made.</summary>
public sealed class ValueUpdaterTests : IDisposable
{
    private static readonly byte[] _key = Bytes("key");

    private readonly StoreFixture _fixture = new();

    private CacheStore Store => _fixture.Store;

    public void Dispose() => _fixture.Dispose();

    [Fact]
    public void Update_OfAnEntry_WritesWhatItWasMadeInto()
    {
        _fixture.Set("key", "a");

        Assert.Equal(WriteStatus.Done, Update());

        Assert.Equal("a+", _fixture.Get("key"));
    }

    [Fact]
    public void Update_OfAnAbsentKey_WritesOne()
    {
        Assert.Equal(WriteStatus.Done, Update());

        Assert.Equal("none+", _fixture.Get("key"));
    }

    // The last attempt as well, which is another way.
    [Theory]
    [InlineData(0)]
    [InlineData(ValueUpdater.AttemptsMax)]
    public void Update_OfAnExpiringEntry_LeavesItsExpiry(int writes)
    {
        Store.Set(_key, "a"u8, ExpiringAt(_fixture.NowMs + 1000));

        Assert.Equal(WriteStatus.Done, Update(WritesOf(NeighbourOf(Store, _key), writes)));

        Assert.Equal("a+", _fixture.Get("key"));
        Assert.Equal(1, Store.ExpiringCount);
    }

    [Theory]
    [InlineData(0)]
    [InlineData(ValueUpdater.AttemptsMax)]
    public void Update_ThatMakesNothing_WritesNothing(int writes)
    {
        _fixture.Set("key", "no");

        Assert.Equal(WriteStatus.ConditionNotMet, Update(WritesOf(NeighbourOf(Store, _key), writes)));

        Assert.Equal("no", _fixture.Get("key"));
    }

    [Fact]
    public void Update_OfAValueThatIsTooLong_IsRefused()
    {
        Store.Set(_key, new byte[Plus.Max + 1]);
        int[] calls = [0];
        var update = new Plus(null, calls);

        Assert.Equal(WriteStatus.ValueTooLong, Store.Update(_key, ref update));

        Assert.Equal(0, calls[0]);
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public void Update_WhileTheBucketIsWrittenEachTime_IsMadeOnceMoreUnderItsLock(bool isOwn)
    {
        using var state = new StoreState(
            new CacheOptions { MemoryLimitBytes = 16 << 20, ShardCount = 1 }, new FakeTimeProvider(),
            KeyedHash.CreateRandom());
        var key = state.KeyOf(_key, 0);
        var home = state.Shards[0].HomeOf(key.Hash);
        byte[] hot = isOwn ? _key : Enumerable.Range(0, int.MaxValue).Select(i => Bytes($"neighbour:{i}"))
            .First(other => state.Shards[0].HomeOf(state.HashOf(other, 0)).Equals(home));
        EntryWriter.Set(state, key, "a"u8, default);
        List<bool> isLocked = [];
        var update = new Plus(
            () =>
            {
                isLocked.Add(home.ReadVersion() % 2 != 0);
                if (!isLocked[^1])
                    EntryWriter.Set(state, state.KeyOf(hot, 0), "hot"u8, default);
            },
            [0]);

        Assert.Equal(WriteStatus.Done, ValueUpdater.Update(state, key, ref update));

        Assert.Equal([.. Enumerable.Repeat(false, ValueUpdater.AttemptsMax), true], isLocked);
        var sink = default(ArraySink);
        state.Shards[0].Read(_key, key.Hash, 0, ref sink);
        Assert.Equal(isOwn ? "hot+"u8 : "a+"u8, sink.Array!);
    }

    [Theory]
    [InlineData("", WriteStatus.Done, "none+")]
    [InlineData("a", WriteStatus.ValueTooLong, "a")]
    public void Update_OfEmptyValuesOnly_RefusesOthers(string present, WriteStatus status, string after)
    {
        _fixture.Set("key", present);
        var update = default(FromEmpty);

        Assert.Equal(status, Store.Update(_key, ref update));

        Assert.Equal(after, _fixture.Get("key"));
    }

    // In the last attempt the key is locked.
    [Theory]
    [InlineData(0)]
    [InlineData(ValueUpdater.AttemptsMax)]
    public void Update_ThatThrows_LeavesTheKeyUnlockedAndAsItIs(int writes)
    {
        _fixture.Set("key", "a");
        var write = WritesOf(NeighbourOf(Store, _key), writes);
        int left = writes;

        Assert.Throws<InvalidOperationException>(() => Update(() =>
        {
            if (left-- == 0)
                throw new InvalidOperationException();
            write();
        }));

        Assert.Equal("a", _fixture.Get("key"));
        Assert.Equal(WriteStatus.Done, Update());
    }

    // The last attempt as well: a value that has no room in the log, and one that the log cannot hold.
    [Theory]
    [InlineData(0, 100_000)]
    [InlineData(ValueUpdater.AttemptsMax, 100_000)]
    [InlineData(0, 1_000_000)]
    [InlineData(ValueUpdater.AttemptsMax, 1_000_000)]
    public void Update_IntoALongValue_EvictsOthersForIt(int writes, int length)
    {
        using var fixture = new StoreFixture(static options => options.MemoryLimitBytes = 4 << 20);
        for (int i = 0; i < 60_000; i++)
            Assert.Equal(WriteStatus.Done, fixture.Store.Set(Bytes($"{i:D8}"), new byte[84]));
        int calls = 0;
        byte[] neighbour = NeighbourOf(fixture.Store, _key);
        var update = new Grow(length, () => _ = calls++ >= writes || Write(fixture.Store, neighbour));

        Assert.Equal(WriteStatus.Done, fixture.Store.Update(_key, ref update));

        Assert.Equal(length, fixture.Store.GetArray(_key)!.Length);
        fixture.Store.Validate();
    }

    [Fact]
    public void Update_IntoAValueThatIsTooLong_IsRefused()
    {
        using var fixture = new StoreFixture(static options => options.ValueLengthMax = 10);
        fixture.Set("key", "a");
        var update = new Grow(11, static () =>
        {
        });

        Assert.Equal(WriteStatus.ValueTooLong, fixture.Store.Update(_key, ref update));

        Assert.Equal("a", fixture.Get("key"));
    }

    [Fact]
    public void Update_ByManyThreads_LosesNothing()
    {
        Parallel.For(0, 4, _ =>
        {
            for (int i = 0; i < 500; i++)
                Assert.Equal(WriteStatus.Done, Update());
        });

        Assert.Equal("none".Length + 2000, Store.GetArray(_key)!.Length);
    }

    private WriteStatus Update(Action? write = null)
    {
        var update = new Plus(write, [0]);
        return Store.Update(_key, ref update);
    }

    private Action WritesOf(byte[] key, int count)
    {
        int written = 0;
        return () => _ = ++written > count || Write(Store, key);
    }

    private static bool Write(CacheStore store, byte[] key) => store.Set(key, "hot"u8) == WriteStatus.Done;

    private static byte[] NeighbourOf(CacheStore store, byte[] key)
    {
        ulong hash = store.BeginPrefetch(key).Value;
        return Enumerable.Range(0, int.MaxValue).Select(i => Bytes($"neighbour:{i}")).First(other =>
        {
            ulong otherHash = store.BeginPrefetch(other).Value;
            return otherHash >> 62 == hash >> 62 && IndexPage.HomeIndexOf(otherHash) == IndexPage.HomeIndexOf(hash);
        });
    }

    /// <summary>Adds a character; does something, and counts, whenever it is asked.</summary>
    private struct Plus(Action? write, int[] calls) : IValueUpdate
    {
        public const int Max = 3000;

        private byte[] _value = [];

        public readonly int LengthMax => Max;

        public readonly ReadOnlySpan<byte> Value => _value;

        public bool TryMake(ReadOnlySpan<byte> present, bool exists)
        {
            calls[0]++;
            _value = [.. exists ? present : "none"u8, (byte)'+'];
            write?.Invoke();
            return !present.SequenceEqual("no"u8);
        }
    }

    /// <summary>Makes a value of a length, after something else was done.</summary>
    private readonly struct Grow(int length, Action first) : IValueUpdate
    {
        private readonly byte[] _value = new byte[length];

        public int LengthMax => Plus.Max;

        public ReadOnlySpan<byte> Value => _value;

        public bool TryMake(ReadOnlySpan<byte> present, bool exists)
        {
            first();
            return true;
        }
    }

    private readonly struct FromEmpty : IValueUpdate
    {
        public int LengthMax => 0;

        public ReadOnlySpan<byte> Value => "none+"u8;

        public bool TryMake(ReadOnlySpan<byte> present, bool exists) => present.IsEmpty;
    }
}
