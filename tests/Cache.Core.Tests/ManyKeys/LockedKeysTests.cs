using Cache.Core.Layout;
using Cache.Core.ManyKeys;
using static Cache.Core.Tests.StoreFixture;

namespace Cache.Core.Tests.ManyKeys;

/// <summary>Several keys locked by one body: all of its changes, or none.</summary>
public sealed class LockedKeysTests : IDisposable
{
    private static readonly byte[][] _keys = [Bytes("one"), Bytes("other"), Bytes("third")];

    private readonly StoreFixture _fixture = new(static options =>
    {
        options.MemoryLimitBytes = 2 << 20;
        options.Eviction = EvictionPolicy.None;
    });

    private CacheStore Store => _fixture.Store;

    public void Dispose() => _fixture.Dispose();

    [Theory]
    [InlineData(WriteStatus.Done)]
    [InlineData(WriteStatus.ConditionNotMet)]
    public void RunLocked_ChangesOfAllKinds_TakePlaceIfDone(WriteStatus status)
    {
        _fixture.Set("one", "1");
        _fixture.Set("other", "2");
        var body = new ScriptedBody(status, static (ref LockedKeys keys) =>
        {
            Assert.Equal((true, true, false), (keys.Exists(0), keys.Exists(1), keys.Exists(2)));
            Assert.True(keys.TrySet(0, "new"u8, default));
            Assert.Equal("new"u8.ToArray(), keys.ValueOf(0).ToArray());
            keys.Remove(1);
            Assert.False(keys.Exists(1));
            Assert.True(keys.TrySet(2, "3"u8, default));
            Assert.True(keys.TrySet(2, new byte[100_000], default));
            Assert.Equal(100_000, keys.ValueOf(2).Length);
        });

        Assert.Equal(status, Store.RunLocked(_keys, ref body));

        bool done = status == WriteStatus.Done;
        Assert.Equal(done ? "new" : "1", _fixture.Get("one"));
        Assert.Equal(done ? null : "2", _fixture.Get("other"));
        Assert.Equal(done ? 100_000 : null, Store.GetArray(_keys[2])?.Length);
        Assert.Equal(2, Store.Count);
    }

    [Fact]
    public void RunLocked_SetAfterRemoveAndRemoveAfterSet_LastOneCounts()
    {
        _fixture.Set("one", "1");
        var body = new ScriptedBody(WriteStatus.Done, static (ref LockedKeys keys) =>
        {
            keys.Remove(0);
            Assert.True(keys.TrySet(1, "2"u8, default));
            keys.Remove(1);
            Assert.True(keys.TrySet(2, "3"u8, default));
            Assert.True(keys.TrySet(0, "again"u8, default));
        });

        Assert.Equal(WriteStatus.Done, Store.RunLocked(_keys, ref body));

        Assert.Equal(("again", null, "3"), (_fixture.Get("one"), _fixture.Get("other"), _fixture.Get("third")));
    }

    [Fact]
    public void RunLocked_Expiry_IsKept()
    {
        long atMs = _fixture.NowMs + 100;
        var body = new ScriptedBody(WriteStatus.Done, (ref LockedKeys keys) =>
            Assert.True(keys.TrySet(0, "1"u8, new RecordExpiry(atMs, atMs, 0))));

        Assert.Equal(WriteStatus.Done, Store.RunLocked(_keys, ref body));

        Assert.Equal(atMs, _fixture.Peek("one")!.Value.ExpiresAtMs);
        Assert.Equal(1, Store.ExpiringCount);
    }

    // Keys enough to fill buckets, so that some go to others and take slots that expired entries of this set left.
    [Fact]
    public void RunLocked_ManyKeysInFewBuckets_EachHasItsOwnSlot()
    {
        byte[][] keys = [.. Enumerable.Range(0, 350).Select(static i => Bytes($"key:{i}"))];
        for (int i = 0; i < keys.Length; i += 3)
            Store.Set(keys[i], "old"u8, ExpiringAt(_fixture.NowMs + 10));
        _fixture.Clock.Advance(10);
        var body = new ScriptedBody(WriteStatus.Done, static (ref LockedKeys locked) =>
        {
            for (int i = locked.Count - 1; i >= 0; i--)
            {
                if (!locked.TrySet(i, BitConverter.GetBytes(i), default))
                    return;
            }
        });

        Assert.Equal(WriteStatus.Done, Store.RunLocked(keys, ref body));

        Assert.Equal(keys.Length, Store.Count);
        for (int i = 0; i < keys.Length; i++)
            Assert.Equal(BitConverter.GetBytes(i), Store.GetArray(keys[i]));
    }

    [Theory]
    [InlineData(100)]
    [InlineData(500_000)]
    public void RunLocked_NoRoomForTheLast_ChangesNothing(int length)
    {
        _fixture.Set("one", "1");
        byte[] filler = new byte[50];
        for (int i = 0; Store.Set(BitConverter.GetBytes(i), filler) == WriteStatus.Done; i++)
        {
        }

        long before = Store.Count;
        var body = new ScriptedBody(WriteStatus.Done, (ref LockedKeys keys) =>
        {
            keys.Remove(0);
            for (int i = 1; i < keys.Count; i++)
            {
                if (!keys.TrySet(i, new byte[length], default))
                    return;
            }
        });
        byte[][] keys = [_keys[0], .. Enumerable.Range(0, 200).Select(static i => Bytes($"new:{i}"))];

        Assert.Equal(WriteStatus.OutOfMemory, Store.RunLocked(keys, ref body));

        Assert.Equal("1", _fixture.Get("one"));
        Assert.Equal(before, Store.Count);
    }

    [Fact]
    public void RunLocked_KeyTooLong_IsRefused()
    {
        var body = new ScriptedBody(WriteStatus.Done, static (ref LockedKeys _) => Assert.Fail("It runs."));

        Assert.Equal(
            WriteStatus.KeyTooLong, Store.RunLocked([_keys[0], new byte[CacheStore.KeyLengthMax + 1]], ref body));
    }

    [Theory]
    [InlineData(4, 1_000_000)]
    [InlineData(8, 400_000)]
    [InlineData(30, 20_000)]
    public void RunLocked_OfLongValuesIntoAFullStore_EvictsOthers(int count, int length)
    {
        using var fixture = new StoreFixture();
        for (int i = 0; i < 200_000; i++)
            Assert.Equal(WriteStatus.Done, fixture.Store.Set(Bytes($"{i:D8}"), new byte[84]));

        AssertSetsAll(
            fixture.Store, [.. Enumerable.Range(0, count).Select(static i => Bytes($"k{i}"))], new byte[length]);
    }

    [Fact]
    public void RunLocked_OfRecordsOfHalfASegmentIntoAFullStore_EvictsOthers()
    {
        using var fixture = new StoreFixture(static options => options.MemoryLimitBytes = 1 << 20);
        for (int i = 0; i < 20_000; i++)
            Assert.Equal(WriteStatus.Done, fixture.Store.Set(Bytes($"{i:D8}"), new byte[84]));

        AssertSetsAll(
            fixture.Store, [.. Enumerable.Range(0, 30).Select(static i => Bytes($"k{i:D7}"))], new byte[2036]);
    }

    [Theory]
    [InlineData(4)]
    [InlineData(12)]
    public void RunLocked_OfManyLongKeys_IsNotRefused(int count)
    {
        using var fixture = new StoreFixture(static options => options.MemoryLimitBytes = 1 << 20);

        AssertSetsAll(
            fixture.Store, [.. Enumerable.Range(0, count).Select(static i => new byte[5000 + i])], []);
    }

    // A record longer than a segment is allocated between two runs.
    [Theory]
    [InlineData(1, 0)]
    [InlineData(2, 0)]
    [InlineData(2, 1)]
    public async Task RunLocked_BodyThatThrows_LeavesNothing(int run, int index)
    {
        using var fixture = new StoreFixture(static options => options.MemoryLimitBytes = 1 << 20);
        var store = fixture.Store;
        byte[][] keys = [.. Enumerable.Range(0, 30).Select(static i => new byte[9000 + i])];
        for (int i = 0; i < 20_000; i++)
            store.Set(Bytes($"{i:D8}"), new byte[84]);
        int runs = 0;
        var body = new ScriptedBody(WriteStatus.Done, (ref LockedKeys locked) =>
        {
            runs++;
            for (int i = 0; i < locked.Count; i++)
            {
                if (runs == run && i == index)
                    throw new InvalidOperationException();
                if (!locked.TrySet(i, [], default))
                    return;
            }
        });

        Assert.Throws<InvalidOperationException>(() => store.RunLocked(keys, ref body));

        store.Validate();
        Assert.All(keys, key => Assert.False(store.Contains(key)));
        var writing = Task.Run(
            () => Array.TrueForAll(keys, key => store.Set(key, "1"u8) == WriteStatus.Done),
            TestContext.Current.CancellationToken);
        Assert.True(await writing.WaitAsync(TimeSpan.FromSeconds(30), TestContext.Current.CancellationToken));
    }

    private static void AssertSetsAll(CacheStore store, byte[][] keys, byte[] value)
    {
        int runs = 0;
        var body = new ScriptedBody(WriteStatus.Done, (ref LockedKeys locked) =>
        {
            runs++;
            for (int i = 0; i < locked.Count; i++)
            {
                if (!locked.TrySet(i, value, default))
                    return;
            }
        });

        Assert.Equal(WriteStatus.Done, store.RunLocked(keys, ref body));
        Assert.InRange(runs, 1, 10 * keys.Length);
        Assert.All(keys, key => Assert.True(store.Contains(key)));
    }

    private delegate void Script(ref LockedKeys keys);

    private readonly struct ScriptedBody(WriteStatus status, Script script) : ILockedKeysBody
    {
        public WriteStatus Run(ref LockedKeys keys)
        {
            script(ref keys);
            return status;
        }
    }
}
