using Cache.Core.Eviction;

namespace Cache.Core.Tests.Eviction;

public sealed class GhostTableTests : IDisposable
{
    private const long Limit = 64 << 20;

    private readonly GhostTable _ghosts = new(Limit, Limit);

    public void Dispose() => _ghosts.Dispose();

    [Theory]
    [InlineData(0UL)]
    [InlineData(1UL)]
    [InlineData(ulong.MaxValue)]
    [InlineData(0x0123456789ABCDEFUL)]
    public void TryTake_KeyThatWasAdded_TellsItsListOnce(ulong hash)
    {
        _ghosts.Resize(_ghosts.SizeOf(1024));
        foreach (bool isMain in (bool[])[false, true])
        {
            _ghosts.Add(hash, isMain);

            Assert.True(_ghosts.TryTake(hash, out bool wasInMain));
            Assert.Equal(isMain, wasInMain);
            Assert.False(_ghosts.TryTake(hash, out _));
        }
    }

    [Fact]
    public void Add_MoreKeysThanABucketHolds_ForgetsTheOldest()
    {
        _ghosts.Resize(_ghosts.SizeOf(4));
        for (ulong hash = 2; hash <= 10; hash += 2)
            _ghosts.Add(hash, wasInMain: false);

        Assert.False(_ghosts.TryTake(2, out _));
        Assert.True(_ghosts.TryTake(4, out _));
        Assert.True(_ghosts.TryTake(10, out _));
    }

    [Fact]
    public void TryTake_WithoutMemory_FindsNothing()
    {
        _ghosts.Add(2, wasInMain: false);

        Assert.False(_ghosts.TryTake(2, out _));
    }

    [Fact]
    public void Resize_ForgetsAllAndLeavesNoGarbage()
    {
        _ghosts.Resize(_ghosts.SizeOf(500_000));
        long before = GC.GetAllocatedBytesForCurrentThread();

        for (ulong i = 1; i <= 20; i++)
        {
            _ghosts.Add(i << 40, wasInMain: false);
            _ghosts.Resize(_ghosts.SizeOf(500_000 - (long)i * 10_000));
            Assert.False(_ghosts.TryTake(i << 40, out _));
        }

        Assert.InRange(GC.GetAllocatedBytesForCurrentThread() - before, 0, 10_000);
    }

    [Fact]
    public void SizeOf_MoreThanThereAreAddressesFor_IsWhatThereIs()
    {
        using var small = new GhostTable(limitBytes: 1 << 20, limitBytesMax: 1 << 20);

        small.Resize(small.SizeOf(1 << 20));

        Assert.Equal((1 << 20) / 16, small.SizeBytes);
        small.Add(ulong.MaxValue, wasInMain: true);
        Assert.True(small.TryTake(ulong.MaxValue, out _));
    }

    [Fact]
    public void Add_AfterDisposal_IsIgnored()
    {
        _ghosts.Resize(_ghosts.SizeOf(1_000));
        _ghosts.Dispose();

        _ghosts.Add(2, wasInMain: false);

        Assert.False(_ghosts.TryTake(2, out _));
        Assert.Equal(0, _ghosts.SizeBytes);
    }
}
