using Cache.Core.Changes;
using Cache.Testing;

namespace Cache.Core.Tests.Changes;

/// <summary>What a journal was told makes the store again.</summary>
public sealed class JournalReplayTests
{
    private const int Writes = 6_000;
    private const int Threads = 3;

    [Theory]
    [InlineData(64 << 20, false)]
    [InlineData(64 << 20, true)]
    [InlineData(4 << 20, false)]
    public void RandomWrites_Replayed_AreTheStore(int limitBytes, bool lacksRoom) => RandomSeed.Run(this, seed =>
    {
        var random = new Random(seed);
        using var fixture = Create(limitBytes);
        var journal = new RecordingJournal { HasRoom = () => !lacksRoom || random.Next(3) != 0 };
        fixture.Store.Attach(journal);
        var writes = new RandomWrites(fixture.Store, seed);
        writes.Fill();
        for (int i = 0; i < 20; i++)
        {
            writes.Run(Writes / 20);
            fixture.Clock.Advance(random.Next(2_000));
        }

        bool isSmall = limitBytes < 16 << 20;
        Assert.True(isSmall || !HasEvicted(fixture.Store));
        for (int i = 0; isSmall && !HasEvicted(fixture.Store); i++)
            fixture.Store.Set(RandomWrites.NameOf(2_000_000 + i), new byte[1_000]);
        new ReplayedStore(journal.Changes).AssertIsOf(fixture.Store, isSmall);
        fixture.Store.Detach(journal);
    });

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public void RandomWritesOfSeveralThreads_Replayed_AreTheStore(bool lacksRoom) => RandomSeed.Run(this, seed =>
    {
        using var fixture = Create(64 << 20);
        int reservations = 0;
        var journal = new RecordingJournal
        {
            HasRoom = () => !lacksRoom || Interlocked.Increment(ref reservations) % 3 != 0,
        };
        fixture.Store.Attach(journal);
        new RandomWrites(fixture.Store, seed).Fill();
        var threads = new Task[Threads];
        for (int i = 0; i < threads.Length; i++)
        {
            var writes = new RandomWrites(fixture.Store, seed + i);
            threads[i] = Task.Run(() => writes.Run(Writes / Threads));
        }

        Task.WaitAll(threads);
        new ReplayedStore(journal.Changes).AssertIsOf(fixture.Store, HasEvicted(fixture.Store));
        fixture.Store.Detach(journal);
    });

    private static bool HasEvicted(CacheStore store) => store.GetStatistics().Evictions != 0;

    private static StoreFixture Create(int limitBytes) => new(options =>
    {
        options.MemoryLimitBytes = limitBytes;
        options.KeyspaceCount = RandomWrites.Keyspaces;
    });
}
