using Cache.Core;
using Cache.Durability.Attachment;
using Cache.Durability.Files;
using Cache.Durability.Recovery;
using Cache.Durability.Tests.Files;
using Cache.Testing;

namespace Cache.Durability.Tests.Attachment;

/// <summary>Several threads load what one loads.</summary>
public sealed class ParallelLoadTests : IDisposable
{
    private const int Threads = 3;
    private const int Rounds = 5;

    private readonly TemporaryFolder _folder = new();
    private readonly SystemDirectory _directory;
    private readonly FakeTimeProvider _clock = new();

    public ParallelLoadTests() => _directory = new SystemDirectory(_folder.Path);

    public void Dispose() => _folder.Dispose();

    // Sets, removals, expiries, patches, groups, clears and long values, of few keys and many.
    [Theory]
    [InlineData(1)]
    [InlineData(4_000)]
    [InlineData(60_000)]
    public void RandomWrites_LoadedByAnyNumber_AreTheSame(int batchBytes) => RandomSeed.Run(this, seed =>
    {
        using var folder = new TemporaryFolder();
        var directory = new SystemDirectory(folder.Path);
        using (var rig = new StoreRig(directory, _clock))
        {
            var writes = new RandomWrites(rig.Store, seed);
            writes.Fill();
            writes.Run(500);
            if (seed % 2 == 0)
                rig.Durable.Save();
            writes.Run(500);
            rig.Durable.ChangeDatabases([1, 0]);
            writes.Run(500);
        }

        using var alone = Load(directory, threads: 1, batchBytes);
        alone.Durable.Dispose();
        for (int i = 0; i < Rounds; i++)
        {
            using var together = Load(directory, Threads, batchBytes);
            StoreRig.AssertSame(alone.Store, together.Store);
            Assert.Equal(alone.Store.GetStatistics().Count, together.Store.GetStatistics().Count);
            Assert.Equal(alone.Durable.LoadedRecords, together.Durable.LoadedRecords);
            Assert.Equal([1, 0], together.Durable.Databases!);
        }
    });

    // Each write of a key makes all before it visible.
    [Fact]
    public void WritesOfOneKey_KeepTheirOrder()
    {
        const int Writes = 20_000;
        using (var rig = new StoreRig(_directory, _clock))
        {
            for (int i = 0; i < Writes; i++)
            {
                byte[] key = RandomWrites.NameOf(i % 7);
                if (i % 11 == 0)
                    rig.Store.Remove(key);
                else if (i % 5 == 0)
                    rig.Store.Append(key, "+"u8, out _);
                else
                    rig.Store.Set(key, BitConverter.GetBytes(i));
            }
        }

        using var alone = Load(_directory, threads: 1, batchBytes: 1_000);
        alone.Durable.Dispose();
        for (int i = 0; i < Rounds; i++)
        {
            using var together = Load(_directory, Threads, batchBytes: 1_000);
            StoreRig.AssertSame(alone.Store, together.Store);
        }
    }

    [Fact]
    public void Clears_AmongWritesOfManyKeys_KeepTheirOrder()
    {
        using (var rig = new StoreRig(_directory, _clock))
        {
            for (int i = 0; i < 20_000; i++)
            {
                rig.Store.Set(RandomWrites.NameOf(i % 997), BitConverter.GetBytes(i));
                if (i % 211 == 0)
                    rig.Store.Clear();
            }
        }

        using var alone = Load(_directory, threads: 1, batchBytes: 1_000);
        alone.Durable.Dispose();
        for (int i = 0; i < Rounds; i++)
        {
            using var together = Load(_directory, Threads, batchBytes: 1_000);
            StoreRig.AssertSame(alone.Store, together.Store);
            Assert.Equal(alone.Store.GetStatistics().Count, together.Store.GetStatistics().Count);
        }
    }

    [Fact]
    public void RefusedRecords_TheFirstOneIsReported() => RandomSeed.Run(this, seed =>
    {
        using var folder = new TemporaryFolder();
        var directory = new SystemDirectory(folder.Path);
        var random = new Random(seed);
        using (var rig = new StoreRig(directory, _clock))
        {
            for (int i = 0; i < 2_000; i++)
            {
                int keyspace = random.Next(20) == 0 ? 1 + random.Next(RandomWrites.Keyspaces - 1) : 0;
                rig.Store.SelectKeyspace(keyspace).Set(RandomWrites.NameOf(i), new byte[random.Next(3_000)]);
                if (i == 1_000)
                    rig.Durable.Save();
            }
        }

        string expected = Refusal(directory, threads: 1);
        for (int i = 0; i < Rounds; i++)
            Assert.Equal(expected, Refusal(directory, Threads));
    });

    // Removals make the room that later writes need.
    [Fact]
    public void StoreThatEvictsNothing_AlwaysFullOfOthers_Loads()
    {
        static void Bound(CacheOptions options) =>
            (options.MemoryLimitBytes, options.Eviction) = (16 << 20, EvictionPolicy.None);
        using (var rig = new StoreRig(_directory, _clock, configure: Bound))
        {
            for (int i = 0; i < 3_000; i++)
            {
                Assert.Equal(WriteStatus.Done, rig.Store.Set(RandomWrites.NameOf(i), new byte[40_000]));
                if (i >= 300)
                    rig.Store.Remove(RandomWrites.NameOf(i - 300));
            }
        }

        for (int i = 0; i < Rounds; i++)
        {
            using var together = Load(_directory, Threads, batchBytes: 1, Bound);
            Assert.Equal(300, together.Store.GetStatistics().Count);
        }
    }

    [Fact]
    public void Cancelled_EndsTheThreads_AndTheLoad()
    {
        using (var rig = new StoreRig(_directory, _clock))
        {
            for (int i = 0; i < 1_000; i++)
                rig.Store.Set(RandomWrites.NameOf(i), new byte[1_000]);
            rig.Durable.Save();
        }

        using var cancellation = new CancellationTokenSource();
        using var store = StoreRig.Create(_clock);
        using (var loader = new StoreLoader(
            store, new LoadProgress { Cancellation = cancellation.Token }, Threads, batchBytes: 1))
        {
            Assert.False(store.IsLoading);
            loader.Apply("a", 0, default, default);
            Assert.True(store.IsLoading);
            cancellation.Cancel();
            Assert.Throws<OperationCanceledException>(() => loader.Apply("a", 0, default, default));
        }

        Assert.False(store.IsLoading);
        using var after = Load(_directory, Threads, batchBytes: 1);
        Assert.Equal(1_000, after.Durable.LoadedRecords);
    }

    private StoreRig Load(
        SystemDirectory directory, int threads, int batchBytes, Action<CacheOptions>? configure = null) =>
        new(directory, _clock, configure: configure, start: new StoreStart
        {
            LoadThreads = threads,
            LoadBatchBytes = batchBytes,
        });

    private string Refusal(SystemDirectory directory, int threads) =>
        Assert.Throws<RecoveryRefusedException>(() => Load(
            directory, threads, batchBytes: 1, static options => options.KeyspaceCount = 1)).Message;
}
