using System.Buffers;
using Cache.Core.Distributed;
using Cache.Testing;
using Microsoft.Extensions.Caching.Distributed;

namespace Cache.Core.Tests.Distributed;

/// <summary>Rows of the table in docs/in-process.md that no other class of this folder holds.</summary>
public sealed class DistributedSemanticsTests : IDisposable
{
    private readonly FakeTimeProvider _time = new();
    private readonly CacheStore _store;
    private readonly DistributedStore _cache;

    public DistributedSemanticsTests()
    {
        _store = new CacheStore(new CacheOptions { MemoryLimitBytes = 16 << 20 }, _time);
        _cache = new DistributedStore(_store);
    }

    [Theory]
    [InlineData(0)]
    [InlineData(-1)]
    [InlineData(long.MinValue)]
    public void NonPositiveInterval_IsRefusedByTheOptions(long ticks)
    {
        var interval = TimeSpan.FromTicks(ticks);
        var options = new DistributedCacheEntryOptions();
        Assert.Throws<ArgumentOutOfRangeException>(() => options.AbsoluteExpirationRelativeToNow = interval);
        Assert.Throws<ArgumentOutOfRangeException>(() => options.SlidingExpiration = interval);
    }

    [Theory]
    [InlineData(1)]
    [InlineData(-1)]
    public void WallClockJumps_ExpiryDoesNot(int days)
    {
        _cache.Set("k", [1], new() { AbsoluteExpirationRelativeToNow = TimeSpan.FromSeconds(1) });
        _time.JumpWallClock(TimeSpan.FromDays(days));
        _time.Advance(999);
        Assert.NotNull(_cache.Get("k"));
        _time.Advance(1);
        Assert.Null(_cache.Get("k"));
    }

    [Theory]
    [InlineData(1)]
    [InlineData(-1)]
    public void WallClockJumps_AnAbsoluteExpirySetAfterwardsFollowsIt(int days)
    {
        _time.JumpWallClock(TimeSpan.FromDays(days));
        _cache.Set("k", [1], new() { AbsoluteExpiration = _time.GetUtcNow().AddSeconds(1) });
        _time.Advance(999);
        Assert.NotNull(_cache.Get("k"));
        _time.Advance(1);
        Assert.Null(_cache.Get("k"));
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public void WallClockJumps_AnAbsoluteExpirySetBeforeFollowsIt(bool isSliding)
    {
        _cache.Set("k", [1], new()
        {
            AbsoluteExpiration = _time.GetUtcNow().AddSeconds(100),
            SlidingExpiration = isSliding ? TimeSpan.FromDays(1) : null,
        });
        _time.JumpWallClock(TimeSpan.FromSeconds(99));
        _time.Advance(999);
        Assert.NotNull(_cache.Get("k"));
        _time.Advance(1);
        Assert.Null(_cache.Get("k"));
    }

    [Fact]
    public void AsynchronousMembers_AreCompleteWhenTheyReturn()
    {
        using var later = new CancellationTokenSource();
        var options = new DistributedCacheEntryOptions();
        Assert.True(_cache.SetAsync("k", [1], options, later.Token).IsCompletedSuccessfully);
        Assert.True(_cache.SetAsync(
            "k", SegmentedBytes.Split(new byte[10], 3), options, later.Token).IsCompletedSuccessfully);
        Assert.True(_cache.GetAsync("k", later.Token).IsCompletedSuccessfully);
        Assert.True(_cache.TryGetAsync("k", new ArrayBufferWriter<byte>(), later.Token).IsCompletedSuccessfully);
        Assert.True(_cache.RefreshAsync("k", later.Token).IsCompletedSuccessfully);
        later.Cancel();
        Assert.NotNull(_cache.Get("k"));
        Assert.True(_cache.RemoveAsync("k", CancellationToken.None).IsCompletedSuccessfully);
    }

    public void Dispose() => _store.Dispose();
}
