using System.Runtime.CompilerServices;
using Cache.Core.Hashing;
using Cache.Core.Layout;
using Cache.Core.ManyKeys;
using Cache.Core.Operations;
using Cache.Core.Sharding;
using Cache.Core.Validation;
using Cache.Testing;
using static Cache.Core.Tests.StoreFixture;

namespace Cache.Core.Tests.ManyKeys;

/// <summary>The work for each key of a batch does not grow with the batch: counted, not timed.</summary>
public sealed class ManyNewKeysTests
{
    private const int KeyCount = 100_000;

    // Check, hash, prepare and link, with one attempt in vain: each asks for the key once.
    private const int LooksPerKeyMax = 6;

    [Theory]
    [InlineData(0, SetCondition.Always)]
    [InlineData(0, SetCondition.IfAbsent)]
    [InlineData(200_000, SetCondition.Always)]
    public void SetMany_OfManyNewKeys_LooksAtEachAFewTimes(int others, SetCondition condition)
    {
        using var fixture = new StoreFixture(static options => options.MemoryLimitBytes = 256 << 20);
        for (int i = 0; i < others; i++)
            fixture.Store.Set(Bytes($"other:{i}"), [1]);
        int[] looks = [0];
        var entries = new CountedEntries(KeysOf(KeyCount), new byte[20], looks);

        Assert.Equal(WriteStatus.Done, fixture.Store.SetMany(ref entries, condition));

        Assert.Equal(others + KeyCount, fixture.Store.Count);
        Assert.InRange(looks[0], KeyCount, LooksPerKeyMax * KeyCount);
    }

    // The pages are full of what was cleared, and nothing of it was freed yet. A page that has room for the keys twice
    // keeps what was cleared until the next sweep, and with it each segment that has a record of it.
    [Theory]
    [InlineData(256)]
    [InlineData(16)]
    public void SetMany_OfManyKeysThatWereCleared_LooksAtEachAFewTimesAndNeedsNoFurtherPages(int megabytes)
    {
        using var state = new StoreState(
            new CacheOptions { MemoryLimitBytes = (long)megabytes << 20, ShardCount = 4 }, new FakeTimeProvider(),
            KeyedHash.CreateRandom());
        byte[][] keys = KeysOf(KeyCount / 2);
        var entries = new CountedEntries(keys, new byte[20], [0]);
        ManyKeysWriter.Write(state, keyspace: 0, ref entries, SetCondition.Always);
        long pages = state.Index.Count;
        long bytes = state.Budget.UsedBytes;
        Assert.True(state.TryClear(1));
        int[] looks = [0];
        entries = new CountedEntries(keys, new byte[20], looks);

        Assert.Equal(WriteStatus.Done, ManyKeysWriter.Write(state, keyspace: 0, ref entries, SetCondition.Always));

        Assert.InRange(looks[0], keys.Length, LooksPerKeyMax * keys.Length);
        Assert.InRange(state.Index.Count, 1, pages);
        state.Cleared.Free();
        StoreValidator.Validate(state);
        Assert.Equal(keys.Length, state.EntryCount);
        Assert.InRange(state.Budget.UsedBytes, 0, bytes + 2 * state.Log.SegmentBytes);
    }

    [Fact]
    public void SetMany_OfManyNewKeys_SplitsAboutAsManyPagesAsOneByOne()
    {
        long together = PagesAfter(static (store, keys) =>
        {
            var entries = new CountedEntries(keys, new byte[20], [0]);
            store.SetMany(ref entries, SetCondition.Always);
        });
        long oneByOne = PagesAfter(static (store, keys) => Array.ForEach(keys, key => store.Set(key, new byte[20])));

        Assert.InRange(together, oneByOne / 2, oneByOne * 2);
    }

    [Fact]
    public void SetMany_OfManyNewKeysNearTheLimit_EvictsOthersAndLooksAtEachAFewTimes()
    {
        using var fixture = new StoreFixture();
        for (int i = 0; i < 200_000; i++)
            fixture.Store.Set(Bytes($"other:{i}"), new byte[60]);
        int[] looks = [0];
        var entries = new CountedEntries(KeysOf(KeyCount / 2), new byte[20], looks);

        Assert.Equal(WriteStatus.Done, fixture.Store.SetMany(ref entries, SetCondition.Always));

        Assert.InRange(looks[0], KeyCount / 2, 3 * LooksPerKeyMax * KeyCount);
    }

    // Records of 1 MB in segments of 64 KB: written anew, they would fill some fifteen a round.
    [Fact]
    public void SetMany_OfManyExistingKeys_WritesWhereTheyLie()
    {
        using var fixture = new StoreFixture();
        byte[][] keys = KeysOf(20_000);
        foreach (byte[] key in keys)
            fixture.Store.Set(key, new byte[20]);
        long sealedBefore = StateOf(fixture.Store).Log.Sequence;
        Assert.NotEqual(0, sealedBefore);
        for (byte round = 1; round <= 3; round++)
        {
            var entries = new CountedEntries(keys, Filled(20, round), [0]);
            Assert.Equal(WriteStatus.Done, fixture.Store.SetMany(ref entries, SetCondition.Always));
            Assert.All(keys, key => Assert.Equal(round, fixture.Store.GetArray(key)![19]));
        }

        Assert.Equal(sealedBefore, StateOf(fixture.Store).Log.Sequence);
    }

    [Fact]
    public void SetMany_OfManyExistingKeysOfWhichOneDoesNotFit_WritesAll()
    {
        using var fixture = new StoreFixture();
        byte[][] keys = KeysOf(1_000);
        foreach (byte[] key in keys)
            fixture.Store.Set(key, new byte[20], key == keys[700] ? ExpiringAt(fixture.NowMs + 1000) : default);
        var entries = new CountedEntries(keys, Filled(20, 7), [0]);

        Assert.Equal(WriteStatus.Done, fixture.Store.SetMany(ref entries, SetCondition.IfPresent));

        Assert.All(keys, key => Assert.Equal(7, fixture.Store.GetArray(key)![0]));
        Assert.Equal(0, fixture.Store.ExpiringCount);
    }

    [Fact]
    public void TryMake_UnderExclusiveLocks_GivesEachKeyASlot()
    {
        using var state = new StoreState(
            new CacheOptions { MemoryLimitBytes = 16 << 20, ShardCount = 4 }, new FakeTimeProvider(),
            KeyedHash.CreateRandom());
        byte[][] keys = KeysOf(10_000);
        for (int i = 0; i < 1_000; i++)
            Set(state, Bytes($"other:{i}"));
        ulong[] hashes = [.. keys.Select(key => state.HashOf(key, 0))];
        var locks = KeyLocks.Rent();
        locks.Enter(state, hashes, isExclusive: true);
        bool isMade = NewSlots.TryMake(state, [.. hashes], locks);
        foreach (byte[] key in keys)
        {
            var entry = default(EntryLock);
            var entryKey = state.KeyOf(key, 0);
            Assert.True(state.ShardOf(entryKey.Hash).TryLockIn(locks, entryKey, ref entry), "A page is not held.");
            state.ShardOf(entryKey.Hash).Unlock(ref entry);
        }

        locks.Exit();
        KeyLocks.Return(locks);
        long pages = state.Index.Count;

        Assert.True(isMade);
        StoreValidator.Validate(state);
        Assert.All(keys, key => Set(state, key));
        Assert.Equal(pages, state.Index.Count);
        Assert.Equal(11_000, state.EntryCount);
        StoreValidator.Validate(state);
    }

    // No split parts a key from itself: all of the depth was used up, two gigabytes of the directory.
    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public void TryMake_OfAKeyThatIsNamedAgainAndAgain_GivesItOneSlot(bool isHeld)
    {
        using var state = new StoreState(
            new CacheOptions { MemoryLimitBytes = 16 << 20, ShardCount = 4 }, new FakeTimeProvider(),
            KeyedHash.CreateRandom());
        ulong[] hashes = [.. Enumerable.Repeat(state.HashOf("key"u8, 0), 10_000)];
        long pages = state.Index.Count;
        var locks = KeyLocks.Rent();
        if (isHeld)
            locks.Enter(state, hashes, isExclusive: true);
        bool isMade = NewSlots.TryMake(state, hashes, isHeld ? locks : null);
        if (isHeld)
            locks.Exit();
        KeyLocks.Return(locks);

        Assert.True(isMade);
        Assert.Equal(pages, state.Index.Count);
    }

    [Fact]
    public void SetMany_OfAKeyThatIsNamedAgainAndAgain_TakesTheRoomOfOne()
    {
        using var fixture = new StoreFixture();
        using var other = new StoreFixture();
        foreach (byte[] key in KeysOf(2_000)) // Some of these meet a full page.
        {
            var entries = new CountedEntries([.. Enumerable.Repeat(key, 300)], Filled(20, 7), [0]);
            Assert.Equal(WriteStatus.Done, fixture.Store.SetMany(ref entries, SetCondition.Always));
            other.Store.Set(key, Filled(20, 7));
        }

        Assert.Equal(2_000, fixture.Store.Count);
        Assert.InRange(StateOf(fixture.Store).Index.Count, 1, 2 * StateOf(other.Store).Index.Count);
    }

    // Addresses of the index are used up: entries of the pages themselves go for the new ones.
    [Theory]
    [InlineData(EvictionPolicy.AllEntries)]
    [InlineData(EvictionPolicy.None)]
    public void SetMany_WhereNoPageCanBeSplit_LooksAtEachAFewTimes(EvictionPolicy policy)
    {
        const int count = 100; // Few of one home: it has as many to evict.
        using var state = new StoreState(
            new CacheOptions { MemoryLimitBytes = 16 << 20, ShardCount = 1, Eviction = policy },
            new FakeTimeProvider(), KeyedHash.CreateRandom());
        FullPages.Fill(state, 8);
        ref long length = ref LengthOf(ReservationOf(state.Index));
        long addresses = length;
        length = state.Index.Count * IndexPage.Size;
        int[] looks = [0];
        var entries = new CountedEntries(KeysOf(count), new byte[20], looks);

        var status = ManyKeysWriter.Write(state, keyspace: 0, ref entries, SetCondition.Always);

        length = addresses;
        StoreValidator.Validate(state);
        Assert.Equal(policy == EvictionPolicy.None ? WriteStatus.OutOfMemory : WriteStatus.Done, status);
        Assert.InRange(looks[0], count, 3 * LooksPerKeyMax * count);
    }

    // Their records fill the limit alone: there is no room for pages beside them.
    [Theory]
    [InlineData(EvictionPolicy.AllEntries)]
    [InlineData(EvictionPolicy.None)]
    public void SetMany_OfAsManyNewKeysAsTheLimitHolds_LooksAtEachAFewTimes(EvictionPolicy policy)
    {
        using var fixture = new StoreFixture(options => options.Eviction = policy);
        int[] looks = [0];
        int count = (int)(MemoryLimitBytes / 40);
        var entries = new CountedEntries(KeysOf(count), new byte[20], looks);

        var status = fixture.Store.SetMany(ref entries, SetCondition.Always);

        Assert.Equal(WriteStatus.OutOfMemory, status);
        Assert.Equal(0, fixture.Store.Count);
        Assert.InRange(looks[0], count, 3 * LooksPerKeyMax * count);
    }

    private static void Set(StoreState state, byte[] bytes)
    {
        var key = state.KeyOf(bytes, 0);
        Assert.Equal(WriteStatus.Done, EntryWriter.Set(state, key, [1], default));
    }

    private static long PagesAfter(Action<CacheStore, byte[][]> write)
    {
        using var fixture = new StoreFixture(static options => options.MemoryLimitBytes = 256 << 20);
        byte[][] keys = KeysOf(KeyCount);
        long before = fixture.Store.GetStatistics().MemoryBytes;
        write(fixture.Store, keys);
        long recordBytes = keys.Sum(static key => (RecordHeader.Size + key.Length + 20 + 7L) & ~7);
        return (fixture.Store.GetStatistics().MemoryBytes - before - recordBytes) / Shard.PageBytes;
    }

    private static byte[][] KeysOf(int count) => [.. Enumerable.Range(0, count).Select(static i => Bytes($"key:{i}"))];

    [UnsafeAccessor(UnsafeAccessorKind.Field, Name = "_state")]
    private static extern ref StoreState StateOf(CacheStore store);

    [UnsafeAccessor(UnsafeAccessorKind.Field, Name = "_reservation")]
    private static extern ref NativeReservation ReservationOf(IndexMemory index);

    [UnsafeAccessor(UnsafeAccessorKind.Field, Name = "<Length>k__BackingField")]
    private static extern ref long LengthOf(NativeReservation reservation);

    /// <summary>Entries of one value, which count how often a key is asked for.</summary>
    private readonly struct CountedEntries(byte[][] keys, byte[] value, int[] looks) : IEntrySource
    {
        public int Count => keys.Length;

        public ReadOnlySpan<byte> GetKey(int index)
        {
            looks[0]++;
            return keys[index];
        }

        public ReadOnlySpan<byte> GetValue(int index) => value;
    }
}
