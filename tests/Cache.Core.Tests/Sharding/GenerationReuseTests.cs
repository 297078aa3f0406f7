using Cache.Core.Sharding;
using Cache.Testing;
using static Cache.Core.Tests.StoreFixture;

namespace Cache.Core.Tests.Sharding;

/// <summary>A keyspace has few generations: after some clears an earlier one comes again.</summary>
public sealed class GenerationReuseTests : IDisposable
{
    private readonly StoreFixture _fixture = new();

    private CacheStore Store => _fixture.Store;

    public void Dispose() => _fixture.Dispose();

    [Fact]
    public void GetMany_ThatEndsInTheGenerationOfItsBeginning_SeesTheClearsBetween()
    {
        Store.Set("first"u8, "value"u8);
        Store.Set("second"u8, "value"u8);
        var keys = new ClearedBetween(Store, Bytes("first"), Bytes("second"));
        var sink = new ValueListSink();

        ClearWhenVerified(Generations.PerKeyspace - 1, () => Store.GetMany(ref keys, ref sink));

        Assert.Equal([null, null], sink.Values);
    }

    [Fact]
    public void TryTouch_ThatEndsInTheGenerationOfTheStamp_SeesTheClearsBetween()
    {
        Store.Set("key"u8, "value"u8);
        var sink = default(ArraySink);
        Store.TryGetStamped("key"u8, ref sink, out var stamp);
        bool isTouched = true;

        ClearWhenVerified(Generations.PerKeyspace, () => isTouched = Store.TryTouch(stamp));

        Assert.False(isTouched);
    }

    // Once: between what a read looks at last.
    private void ClearWhenVerified(int clears, Action read)
    {
        bool isVerified = false;
        RoomSteps.Observe(step =>
        {
            if (step != RoomStep.ReadsVerified || isVerified)
                return;
            isVerified = true;
            for (int i = 0; i < clears; i++)
                ClearWritten(Store);
        });
        try
        {
            read();
        }
        finally
        {
            RoomSteps.Observe(null);
        }

        Assert.True(isVerified);
    }

    // What was not written since is not cleared.
    private static void ClearWritten(CacheStore store)
    {
        store.Set("other"u8, "value"u8);
        store.Clear();
    }

    /// <summary>Two keys, and a clear before the second is read.</summary>
    private struct ClearedBetween(CacheStore store, byte[] first, byte[] second) : IKeySource
    {
        private int _looks;

        public readonly int Count => 2;

        public ReadOnlySpan<byte> GetKey(int index)
        {
            // The first looks are for their hashes.
            if (index == 1 && ++_looks == 2)
                ClearWritten(store);
            return index == 0 ? first : second;
        }
    }
}
