using System.Runtime.CompilerServices;
using Cache.Core.Sharding;
using static Cache.Core.Tests.StoreFixture;

namespace Cache.Core.Tests.Sharding;

/// <summary>Writes between the steps of a change of the limit, made there by the thread that changes it.</summary>
public sealed class LimitChangeTests
{
    // A segment that suits 512 MB is as large as the whole of the former limit.
    [Theory]
    [InlineData(4, 64)]
    [InlineData(4, 512)]
    public void MemoryLimitBytes_Raised_RefusesNoWriteMeanwhile(int lowMegabytes, int highMegabytes)
    {
        using var fixture = Limited(512 << 20);
        var store = fixture.Store;
        store.MemoryLimitBytes = (long)lowMegabytes << 20;
        int written = Write(store, 0, 80_000);

        WhileChanging(store, (long)highMegabytes << 20, step =>
        {
            if (step is RoomStep.LimitRaised or RoomStep.SegmentsFitted)
                written = Write(store, written, 5_000);
        });

        Write(store, written, 5_000);
    }

    // The sweep has claimed the first of the segments that are too long: the others are renewed all the same.
    [Fact]
    public void MemoryLimitBytes_LoweredWhileALongSegmentIsClaimed_RenewsTheOthers()
    {
        using var fixture = Limited(64 << 20);
        var store = fixture.Store;
        var log = StateOf(store).Log;
        Write(store, 0, 60_000);
        int claimed = 0;
        int renewed = 0;

        WhileChanging(store, 2 << 20, step =>
        {
            if (step != RoomStep.LongSegmentFound)
                return;
            if (claimed == 0)
                claimed = Enumerable.Range(1, log.Frontier).First(log.TryClaim);
            else
                renewed++;
        });

        log.Unclaim(claimed);
        Assert.InRange(renewed, 2, int.MaxValue);
    }

    [UnsafeAccessor(UnsafeAccessorKind.Field, Name = "_state")]
    private static extern ref StoreState StateOf(CacheStore store);

    private static StoreFixture Limited(long limitBytes) => new(options =>
    {
        options.MemoryLimitBytes = limitBytes;
        options.ShardCount = 1;
    });

    private static int Write(CacheStore store, int from, int count)
    {
        for (int i = from; i < from + count; i++)
            Assert.Equal(WriteStatus.Done, store.Set(Bytes($"{i}"), new byte[100]));
        return from + count;
    }

    private static void WhileChanging(CacheStore store, long limitBytes, Action<RoomStep> observer)
    {
        RoomSteps.Observe(ObserveOnce);
        try
        {
            store.MemoryLimitBytes = limitBytes;
        }
        finally
        {
            RoomSteps.Observe(null);
        }

        // What the observer does has steps of its own.
        void ObserveOnce(RoomStep step)
        {
            RoomSteps.Observe(null);
            observer(step);
            RoomSteps.Observe(ObserveOnce);
        }
    }
}
