using Cache.Core.Hashing;
using Cache.Core.Layout;
using Cache.Core.ManyKeys;
using Cache.Core.Operations;
using Cache.Core.Sharding;
using Cache.Core.Validation;
using Cache.Testing;
using static Cache.Core.Tests.StoreFixture;

namespace Cache.Core.Tests.Sharding;

/// <summary>What a thread does while others may change the store, or wait for what it holds.</summary>
public sealed class HeldStepsTests
{
    private const int Large = 100_000;

    // The store is disposed while another thread sweeps it, so that nothing but the flag is known yet.
    [Fact]
    public async Task Enter_ExclusiveLocksOfADisposedStore_Throws()
    {
        using var state = Create();
        using var isHeld = new ManualResetEventSlim();
        using var mayEnd = new ManualResetEventSlim();
        var sweep = Task.Run(
            () =>
            {
                lock (state.SweepGate)
                {
                    isHeld.Set();
                    mayEnd.Wait(TestContext.Current.CancellationToken);
                }
            },
            TestContext.Current.CancellationToken);
        isHeld.Wait(TestContext.Current.CancellationToken);
        state.Dispose();
        var locks = KeyLocks.Rent();
        try
        {
            Assert.Throws<ObjectDisposedException>(() => locks.Enter(state, [1], isExclusive: true));
            Assert.False(state.Shards[0].GrowthGate.IsHeldByCurrentThread);
        }
        finally
        {
            mayEnd.Set();
            await sweep;
        }

        KeyLocks.Return(locks);
    }

    // Nothing may be taken any more, so that a key whose page is full would take the place of another.
    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public void Set_WhereThePolicyOrTheVictimChangesMeanwhile_EvictsNothing(bool changesPolicy)
    {
        using var state = Create();
        state.Budget.Eviction = EvictionPolicy.ExpiringEntries;
        var shard = state.Shards[0];
        var expiring = new EntryOptions { ExpiresAtMs = state.Clock.NowMs + 1000 };
        const int slots = Bucket.SlotLast * (2 + IndexPage.StashCount); // Its own, the next bucket's, and the stash.
        byte[][] keys = [.. Enumerable.Range(0, int.MaxValue).Select(i => Bytes($"{i}"))
            .Where(key => IndexPage.HomeIndexOf(state.HashOf(key, 0)) == 1).Take(slots + 1)];
        foreach (byte[] key in keys.AsSpan(0, slots))
            Assert.Equal(WriteStatus.Done, Set(state, key, expiring));
        state.Budget.AddOutside(state.LimitBytes);
        int victims = 0;
        RoomSteps.Observe(step =>
        {
            if (step != RoomStep.VictimFound || victims++ != 0)
                return;
            if (changesPolicy)
                state.Budget.Eviction = EvictionPolicy.None;
            for (int i = 0; i < slots && !changesPolicy; i++)
                Assert.Equal(WriteStatus.Done, EntryTaker.Persist(state, state.KeyOf(keys[i], 0)));
        });
        try
        {
            Assert.Equal(WriteStatus.OutOfMemory, Set(state, keys[slots], expiring));
        }
        finally
        {
            RoomSteps.Observe(null);
        }

        Assert.Equal(1, victims);
        Assert.Equal(0, shard.EvictionCount);
        Assert.Equal(slots, state.EntryCount);
    }

    // Each time that its page was split, other keys fill it; the next page is split where nobody else can fill it.
    [Fact]
    public void Set_OfAKeyWhosePageOthersFillAgainAndAgain_EndsAfterABoundedNumber()
    {
        using var state = Create();
        byte[] bytes = Bytes("key");
        ulong keyHash = state.HashOf(bytes, 0);
        const int roundsMax = 10;
        int rounds = 0;
        int next = 0;
        RoomSteps.Observe(step =>
        {
            if (step == RoomStep.SlotMade && rounds < roundsMax)
                FillHomeOf();
        });
        try
        {
            FillHomeOf();
            Assert.Equal(WriteStatus.Done, Set(state, bytes, default));
        }
        finally
        {
            RoomSteps.Observe(null);
        }

        Assert.InRange(rounds, 2, roundsMax - 1);
        Assert.True(EntryTaker.Remove(state, state.KeyOf(bytes, 0)));
        StoreValidator.Validate(state);

        void FillHomeOf()
        {
            rounds++;
            ulong home = state.ShardOf(keyHash).HomeNumberOf(keyHash);
            var page = state.Index.Pages[(uint)(home / IndexPage.BucketCount)];
            while (HasSlot(page, (int)(home % IndexPage.BucketCount)))
            {
                byte[] other;
                ulong hash;
                do
                {
                    other = BitConverter.GetBytes(next++);
                    hash = state.HashOf(other, 0);
                }
                while (state.ShardOf(hash).HomeNumberOf(hash) != home);

                Assert.Equal(WriteStatus.Done, Set(state, other, default));
            }
        }
    }

    [Fact]
    public void TryEvictHeld_OfAFullBucket_EvictsOneEntryOfItWhateverItsHome()
    {
        using var state = Create();
        state.Budget.Eviction = EvictionPolicy.AllEntries;
        var shard = state.Shards[0];
        byte[][] keys = [.. Enumerable.Range(0, int.MaxValue).Select(i => Bytes($"{i}"))
            .Where(key => IndexPage.HomeIndexOf(state.HashOf(key, 0)) == 1).Take(2 * Bucket.SlotLast)];
        foreach (byte[] key in keys)
            Assert.Equal(WriteStatus.Done, Set(state, key, default));
        ulong hash = state.HashOf(keys[0], 0);
        var page = state.Index.Pages[(uint)(shard.HomeNumberOf(hash) / IndexPage.BucketCount)];
        var locks = KeyLocks.Rent();
        shard.LockPage(hash, locks);
        shard.TryEvictHeld(locks, page[2], wanted: 1); // Full of what did not fit bucket 1.
        shard.TryEvictHeld(locks, page[1], wanted: 1);
        shard.TryEvictHeld(locks, page[1], wanted: 1); // It has a slot now.
        locks.Exit();
        KeyLocks.Return(locks);

        Assert.Equal((1, 1, 2), (page[1].CountEmptySlots(), page[2].CountEmptySlots(), shard.EvictionCount));
        Assert.Equal(keys.Length - 2, state.EntryCount);
        StoreValidator.Validate(state);
    }

    private static bool HasSlot(IndexPage page, int home)
    {
        int slots = page[home].CountEmptySlots() + page[IndexPage.NeighbourIndexOf(home)].CountEmptySlots();
        for (int i = IndexPage.HomeCount; i < IndexPage.BucketCount; i++)
            slots += page[i].CountEmptySlots();
        return slots > 0;
    }

    // A block is made under the lock of its bucket; many segments are free, and their memory should go.
    [Fact]
    public void Append_OfABlock_GivesBackAboutAsMuchAsItTakes()
    {
        using var state = Create(64 << 20);
        for (int i = 0; i < 50_000; i++)
            Assert.Equal(WriteStatus.Done, Set(state, Bytes($"key:{i}"), default, 1_000));
        for (int i = 0; i < 50_000; i++)
            Assert.True(EntryTaker.Remove(state, state.KeyOf(Bytes($"key:{i}"), 0)));
        Set(state, Bytes("key"), default);
        state.Budget.AddOutside(48 << 20);
        long excess = state.Budget.UsedBytes + state.Log.ResidentFreeBytes - state.LimitBytes;
        long before = NativeReservation.DiscardedByThread;

        var key = state.KeyOf(Bytes("key"), 0);
        Assert.Equal(WriteStatus.Done, RangeWriter.SetRange(state, key, 0, new byte[Large], atEnd: true, out _));

        long discarded = NativeReservation.DiscardedByThread - before;
        Assert.InRange(excess, 10 << 20, long.MaxValue);
        Assert.InRange(discarded, 1, 4 * state.Log.SegmentBytes);
    }

    // Every read without a lock is in vain, since the sink writes a neighbour; another thread has claimed the key.
    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task Read_OfAClaimedKeyBesideAHotOne_DoesNotWaitForTheClaim(bool ofMany)
    {
        using var state = Create();
        byte[] bytes = Bytes("key");
        Set(state, bytes, default, 1_000);
        var key = state.KeyOf(bytes, 0);
        ulong hash = key.Hash;
        byte[] neighbour = Enumerable.Range(0, int.MaxValue).Select(i => Bytes($"neighbour:{i}")).First(
            other => state.Shards[0].HomeOf(state.HashOf(other, 0)).Equals(state.Shards[0].HomeOf(hash)));
        Set(state, neighbour, default);
        using var mayEnd = new ManualResetEventSlim();
        var claiming = await Claim(state, hash, mayEnd);
        int spans = 0;
        int vain = ofMany ? 16 : 9; // Those of all attempts without a lock.
        RoomSteps.Observe(static step => Assert.NotEqual(RoomStep.WaitsForClaim, step));
        try
        {
            var sink = new WritingSink(() =>
            {
                if (spans++ < vain)
                    Set(state, neighbour, default);
            });
            var keys = new OneKey(bytes);
            if (ofMany)
                ManyKeysReader.Read(state, 0, ref keys, ref sink);
            else
                Assert.Equal(ReadStatus.Found, state.Shards[0].Read(bytes, hash, 0, ref sink));
        }
        finally
        {
            RoomSteps.Observe(null);
            mayEnd.Set();
            await claiming;
        }

        Assert.Equal(vain + 1, spans);
    }

    // A read that writes: it renews what slides, and removes what has expired.
    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public async Task Read_OfAClaimedKeyThatSlidesOrHasExpired_DoesNotWaitForTheClaim(bool slides)
    {
        var clock = new FakeTimeProvider();
        using var state = new StoreState(
            new CacheOptions { MemoryLimitBytes = 16 << 20, ShardCount = 1 }, clock, KeyedHash.CreateRandom());
        byte[] bytes = Bytes("key");
        var options = slides
            ? new EntryOptions { SlidingMs = 1000 }
            : new EntryOptions { ExpiresAtMs = state.Clock.NowMs + 50 };
        Set(state, bytes, options, Large);
        ulong hash = state.HashOf(bytes, 0);
        using var mayEnd = new ManualResetEventSlim();
        var claiming = await Claim(state, hash, mayEnd);
        clock.Advance(60); // The next sweep comes later.
        RoomSteps.Observe(static step => Assert.NotEqual(RoomStep.WaitsForClaim, step));
        bool isThere;
        EntryInfo info;
        try
        {
            isThere = state.Shards[0].TryGetInfo(state.KeyOf(bytes, 0), touch: true, out info);
        }
        finally
        {
            RoomSteps.Observe(null);
            mayEnd.Set();
            await claiming;
        }

        Assert.Equal(slides, isThere);
        Assert.Equal(slides ? 1 : 0, state.EntryCount);
        if (!slides)
            return;
        state.Shards[0].TryGetInfo(state.KeyOf(bytes, 0), touch: false, out info);
        Assert.Equal(state.Clock.NowMs + 1000, info.ExpiresAtMs);
    }

    /// <summary>Lets another thread claim a key.</summary>
    /// <returns>Ends when the key is claimed no more.</returns>
    private static async Task<Task> Claim(StoreState state, ulong hash, ManualResetEventSlim mayEnd)
    {
        var isClaimed = new TaskCompletionSource();
        var claiming = Task.Run(
            () =>
            {
                state.Claims.Enter(hash);
                isClaimed.SetResult();
                mayEnd.Wait(TestContext.Current.CancellationToken);
                state.Claims.Exit(hash);
            },
            TestContext.Current.CancellationToken);
        await isClaimed.Task;
        return claiming;
    }

    private static WriteStatus Set(StoreState state, byte[] bytes, EntryOptions options, int length = 1)
    {
        var key = state.KeyOf(bytes, 0);
        return EntryWriter.Set(state, key, new byte[length], options);
    }

    private static StoreState Create(long limitBytes = 16 << 20) => new(
        new CacheOptions { MemoryLimitBytes = limitBytes, ShardCount = 1 }, new FakeTimeProvider(),
        KeyedHash.CreateRandom());

    private readonly struct OneKey(byte[] key) : IKeySource
    {
        public int Count => 1;

        public ReadOnlySpan<byte> GetKey(int index) => key;
    }

    /// <summary>Does something whenever it is asked for a span.</summary>
    private readonly struct WritingSink(Action write) : IValueSink, IValueBatchSink
    {
        public bool IsFull => false;

        public Span<byte> GetSpan(int length)
        {
            write();
            return new byte[length];
        }

        public void Advance(int length)
        {
        }

        public void Miss() => Assert.Fail("The key is there.");

        public void Restart()
        {
        }
    }
}
