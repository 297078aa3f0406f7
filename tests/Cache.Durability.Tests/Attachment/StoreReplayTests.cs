using Cache.Core;
using Cache.Durability.Attachment;
using Cache.Durability.Files;
using Cache.Durability.Journaling;
using Cache.Durability.Recovery;
using Cache.Durability.Tests.Files;
using Cache.Testing;

namespace Cache.Durability.Tests.Attachment;

/// <summary>What was written is there after the next start.</summary>
public sealed class StoreReplayTests : IDisposable
{
    private readonly TemporaryFolder _folder = new();
    private readonly SystemDirectory _directory;
    private readonly FakeTimeProvider _clock = new();

    public StoreReplayTests() => _directory = new SystemDirectory(_folder.Path);

    public void Dispose() => _folder.Dispose();

    [Theory]
    [InlineData(256 << 20)]
    [InlineData(4 << 20)]
    public void RandomWrites_AfterAStart_AreThere(int limitBytes) => RandomSeed.Run(this, seed =>
    {
        var random = new Random(seed);
        using var folder = new TemporaryFolder();
        var directory = new SystemDirectory(folder.Path);
        CacheStore? before = null;
        for (int start = 0; start < 4; start++)
        {
            var rig = new StoreRig(directory, _clock, configure: options => options.MemoryLimitBytes = limitBytes);
            if (before != null)
                StoreRig.AssertSame(before, rig.Store, hasLapsed: true);
            before?.Dispose();
            before = rig.Store;
            var writes = new RandomWrites(rig.Store, seed + start);
            if (start == 0)
                writes.Fill();
            for (int i = 0; i < 4; i++)
            {
                writes.Run(200);
                _clock.Advance(random.Next(2_000));
            }

            rig.Durable.Dispose();
        }

        before!.Dispose();
    });

    [Fact]
    public void RandomWritesOfSeveralThreads_AfterAStart_AreThere() => RandomSeed.Run(this, seed =>
    {
        const int Threads = 3;
        using var folder = new TemporaryFolder();
        var directory = new SystemDirectory(folder.Path);
        var rig = new StoreRig(directory, _clock);
        new RandomWrites(rig.Store, seed).Fill();
        var threads = new Task[Threads];
        for (int i = 0; i < threads.Length; i++)
        {
            var writes = new RandomWrites(rig.Store, seed + i);
            threads[i] = Task.Run(() => writes.Run(700));
        }

        Task.WaitAll(threads);
        rig.Durable.Dispose();
        using var after = new StoreRig(directory, _clock);
        StoreRig.AssertSame(rig.Store, after.Store);
        rig.Store.Dispose();
    });

    // When it is read, its first expiry has passed long ago.
    [Fact]
    public void Expiry_ThatWasChangedInTime_IsTheLastOne()
    {
        using (var rig = new StoreRig(_directory, _clock))
        {
            var soon = new EntryOptions { ExpiresAtMs = rig.Store.NowMs + 10_000 };
            foreach (byte[] key in new[] { "later"u8.ToArray(), "never"u8.ToArray(), "over"u8.ToArray() })
                rig.Store.Set(key, "1"u8, soon);
            rig.Store.Expire("later"u8, rig.Store.NowMs + 3_000_000, ExpireConditions.None);
            rig.Store.Persist("never"u8);
        }

        long laterMs = _clock.GetUtcNow().ToUnixTimeMilliseconds() + 3_000_000;
        _clock.Advance(1_000_000);
        using var after = new StoreRig(_directory, _clock);
        Assert.True(after.Store.TryPeekInfo("later"u8, out var later));
        Assert.Equal(laterMs, later.ExpiresAtUnixMs);
        Assert.True(after.Store.TryPeekInfo("never"u8, out var never));
        Assert.Equal(0, never.ExpiresAtUnixMs);
        Assert.False(after.Store.Contains("over"u8));
        Assert.Equal(2, after.Store.Count);
    }

    // Whoever saw it expire must not see it again.
    [Fact]
    public void Expiry_ThatHasPassedBeforeTheClockWasSetBack_HasPassed()
    {
        using (var rig = new StoreRig(_directory, _clock))
        {
            rig.Store.Set("soon"u8, "1"u8, new EntryOptions { ExpiresAtMs = rig.Store.NowMs + 10_000 });
            rig.Store.Set("later"u8, "1"u8, new EntryOptions { ExpiresAtMs = rig.Store.NowMs + 5_000_000 });
            rig.Store.Set("open"u8, "1"u8, new EntryOptions { ExpiresAtMs = rig.Store.NowMs + 9_000_000 });
            _clock.Advance(6_000_000);
            rig.Store.Set("last"u8, "1"u8);
        }

        using var after = new StoreRig(_directory, new FakeTimeProvider());
        Assert.False(after.Store.Contains("soon"u8));
        Assert.False(after.Store.Contains("later"u8));
        Assert.True(after.Store.Contains("open"u8));
        Assert.True(after.Store.Contains("last"u8));
    }

    [Fact]
    public void Patch_BehindTheEnd_GrowsWithZeros()
    {
        byte[] bits = new byte[200_000];
        bits[0] = 1;
        using (var rig = new StoreRig(_directory, _clock))
        {
            rig.Store.Set("bits"u8, bits);
            rig.Store.ChangeBits(
                "bits"u8, [new BitFieldStep { Action = BitFieldAction.Set, Width = 1, Offset = 8_000_000, Value = 0 }]);
            bits = rig.Store.GetArray("bits"u8)!;
        }

        using var after = new StoreRig(_directory, _clock);
        Assert.Equal(1_000_001, bits.Length);
        Assert.Equal(bits, after.Store.GetArray("bits"u8));
    }

    [Fact]
    public void Sliding_BeginsAnewButEndsInTime()
    {
        using (var rig = new StoreRig(_directory, _clock))
        {
            long lastMs = rig.Store.NowMs + 12_000;
            rig.Store.Set("open"u8, "1"u8, new EntryOptions { SlidingMs = 5_000 });
            rig.Store.Set("last"u8, "1"u8, new EntryOptions { SlidingMs = 5_000, ExpiresAtMs = lastMs });
            rig.Store.Set("over"u8, "1"u8, new EntryOptions { SlidingMs = 5_000, ExpiresAtMs = lastMs - 3_000 });
        }

        _clock.Advance(10_000);
        using var after = new StoreRig(_directory, _clock);
        Assert.True(after.Store.TryPeekInfo("open"u8, out var open));
        Assert.Equal((5_000, after.Store.NowMs + 5_000), (open.SlidingMs, open.ExpiresAtMs));
        Assert.True(after.Store.Contains("last"u8));
        Assert.False(after.Store.Contains("over"u8));
        _clock.Advance(2_500);
        Assert.False(after.Store.Contains("last"u8));
        Assert.True(after.Store.Contains("open"u8));
    }

    [Theory]
    [InlineData(1, 1)]
    [InlineData(2, 13)]
    [InlineData(5, 300_001)]
    public void Transaction_OfAnyRoom_IsThere(int writeCount, int writtenBytes)
    {
        byte[][] keys = ["a"u8.ToArray(), "b"u8.ToArray()];
        using (var rig = new StoreRig(_directory, _clock))
        {
            rig.Store.Set("a"u8, "0"u8);
            for (int i = 0; i < 3; i++)
            {
                KeyedTransaction.Run(
                    rig.Store, keys, 1, writeCount, static view => view.Append("a"u8, "1"u8, out _), writtenBytes);
            }

            rig.Store.Set("last"u8, "1"u8);
        }

        using var after = new StoreRig(_directory, _clock);
        Assert.Equal("0111"u8.ToArray(), after.Store.GetArray("a"u8));
        Assert.True(after.Store.Contains("last"u8));
    }

    [Fact]
    public void Load_IsNotRecordedAgain()
    {
        using (var rig = new StoreRig(_directory, _clock))
            rig.Store.Set("a"u8, "1"u8);
        for (int start = 0; start < 3; start++)
        {
            using var rig = new StoreRig(_directory, _clock);
            Assert.Equal(1, rig.Durable.LoadedRecords);
        }
    }

    [Fact]
    public void Open_SecondTime_IsRefusedUntilTheFirstIsDisposed()
    {
        using (new StoreRig(_directory, _clock))
            Assert.Throws<DirectoryLockedException>(() => new StoreRig(_directory, _clock));
        new StoreRig(_directory, _clock).Dispose();
    }

    [Fact]
    public void Open_StoreWithEntries_IsRefused()
    {
        using var store = StoreRig.Create(_clock);
        store.Set("a"u8, "1"u8);
        Assert.Throws<InvalidOperationException>(() => DurableStore.Open(
            store, _directory, new JournalOptions(), new StoreStart()));
    }

    [Fact]
    public void Open_TooFewKeyspaces_IsRefused()
    {
        using (var rig = new StoreRig(_directory, _clock))
            rig.Store.SelectKeyspace(1).Set("a"u8, "1"u8);
        var failure = Assert.Throws<RecoveryRefusedException>(
            () => new StoreRig(_directory, _clock, configure: static options => options.KeyspaceCount = 1));
        Assert.Contains("is of keyspace 1; the store has 1, at byte ", failure.Message, StringComparison.Ordinal);
    }

    [Fact]
    public void Open_NoRoomAndNothingToEvict_IsRefused()
    {
        using (var rig = new StoreRig(_directory, _clock))
        {
            for (int i = 0; i < 100; i++)
                rig.Store.Set(RandomWrites.NameOf(i), new byte[50_000]);
        }

        var failure = Assert.Throws<RecoveryRefusedException>(() => new StoreRig(_directory, _clock, configure: static
            options => (options.MemoryLimitBytes, options.Eviction) = (2 << 20, EvictionPolicy.None)));
        Assert.Contains("finds no room: the limit of 2097152 bytes", failure.Message, StringComparison.Ordinal);
        using var after = new StoreRig(_directory, _clock);
        Assert.Equal(100, after.Store.Count);
    }

    [Fact]
    public void Dispose_LaterWrites_AreNotRecorded()
    {
        var rig = new StoreRig(_directory, _clock);
        rig.Store.Set("a"u8, "1"u8);
        rig.Durable.Dispose();
        rig.Store.Set("b"u8, "1"u8);
        using var after = new StoreRig(_directory, _clock);
        Assert.True(after.Store.Contains("a"u8));
        Assert.False(after.Store.Contains("b"u8));
        rig.Store.Dispose();
    }
}
