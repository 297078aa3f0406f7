using Cache.Core.Eviction;

namespace Cache.Core.Tests.Eviction;

public class GhostTableTests
{
    private readonly GhostTable _ghosts = new();

    [Theory]
    [InlineData(0UL)]
    [InlineData(1UL)]
    [InlineData(ulong.MaxValue)]
    [InlineData(0x0123456789ABCDEFUL)]
    public void TryTake_KeyThatWasAdded_TellsItsListOnce(ulong hash)
    {
        _ghosts.Resize(GhostTable.SizeOf(1024));
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
        _ghosts.Resize(GhostTable.SizeOf(4));
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
}
