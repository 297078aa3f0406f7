using Cache.Core.Hashing;
using Cache.Core.Operations;
using Cache.Core.Sharding;
using Cache.Testing;

namespace Cache.Core.Tests.Sharding;

/// <summary>Large values that are in somebody's hands when their store ends: their memory goes too.</summary>
public sealed class DisposedBlocksTests
{
    private const int Large = 1 << 20;

    private static readonly byte[] _key = "key"u8.ToArray();

    [Fact]
    public void Set_OfALargeValueThatHasNoRoomInADisposedStore_FreesIt()
    {
        using var state = Create();
        Assert.True(state.TryCreateUncounted(Large, out var block));
        state.Budget.AddOutside(state.LimitBytes);
        state.Dispose();

        Assert.Throws<ObjectDisposedException>(
            () => EntryWriter.Set(state, state.KeyOf(_key, 0), block, default));

        Assert.Equal(0, state.Heap.OutCount);
    }

    // Renewing the expiry of what was just lent finds the store disposed: in some of the rounds.
    [Fact]
    public void TryGet_OfASlidingValueThatIsLentWhileTheStoreIsDisposed_KeepsNothing()
    {
        for (int round = 0; round < 100; round++)
        {
            using var state = Create();
            var options = new EntryOptions { SlidingMs = 1_000 };
            var shard = state.Shards[0];
            Assert.Equal(WriteStatus.Done, EntryWriter.Set(state, state.KeyOf(_key, 0), new byte[Large], options));
            using var isReading = new ManualResetEventSlim();
            var reader = new Thread(() =>
            {
                try
                {
                    while (true)
                    {
                        var sink = default(ArraySink);
                        shard.Read(_key, state.HashOf(_key, 0), 0, ref sink, lentLengthMin: 1, out var lent);
                        isReading.Set();
                        if (!lent.IsNull)
                            state.Return(lent);
                    }
                }
                catch (ObjectDisposedException)
                {
                    // The end of the round.
                }
            });
            reader.Start();
            isReading.Wait(TestContext.Current.CancellationToken);

            state.Dispose();
            reader.Join();

            Assert.True(SpinWait.SpinUntil(() => state.Heap.OutCount == 0, TimeSpan.FromSeconds(30)), $"round {round}");
        }
    }

    private static StoreState Create() => new(
        new CacheOptions { MemoryLimitBytes = 16 << 20, ShardCount = 1 }, new FakeTimeProvider(),
        KeyedHash.CreateRandom());
}
