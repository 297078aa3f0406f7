using Cache.Testing;
using Microsoft.Extensions.Caching.Distributed;

namespace Cache.Core.Tests.Distributed;

/// <summary>What the store's distributed cache has in common with the framework's in-memory one; both run it.</summary>
public abstract class DistributedCacheContract
{
    private const string Key = "key";
    private static readonly byte[] _value = [1, 2, 3];
    private static readonly DistributedCacheEntryOptions _noExpiry = new();

    private readonly FakeTimeProvider _time = new();
    private readonly IDistributedCache _cache;

    protected DistributedCacheContract() => _cache = CreateCache(_time);

    [Fact]
    public void NullKey_IsRefusedByEveryMember()
    {
        Assert.Throws<ArgumentNullException>("key", () => _cache.Get(null!));
        Assert.Throws<ArgumentNullException>("key", () => _cache.Set(null!, _value, _noExpiry));
        Assert.Throws<ArgumentNullException>("key", () => _cache.Refresh(null!));
        Assert.Throws<ArgumentNullException>("key", () => _cache.Remove(null!));
    }

    [Fact]
    public void NullKey_IsRefusedByEveryAsynchronousMemberBeforeItReturns()
    {
        var canceled = new CancellationToken(canceled: true);
        Assert.Throws<ArgumentNullException>("key", () => { _ = _cache.GetAsync(null!, canceled); });
        Assert.Throws<ArgumentNullException>("key", () => { _ = _cache.SetAsync(null!, _value, _noExpiry, canceled); });
        Assert.Throws<ArgumentNullException>("key", () => { _ = _cache.RefreshAsync(null!, canceled); });
        Assert.Throws<ArgumentNullException>("key", () => { _ = _cache.RemoveAsync(null!, canceled); });
    }

    [Fact]
    public void Set_SeveralNulls_NamesTheFirst()
    {
        Assert.Throws<ArgumentNullException>("key", () => _cache.Set(null!, null!, null!));
        Assert.Throws<ArgumentNullException>("value", () => _cache.Set(Key, null!, null!));
        Assert.Throws<ArgumentNullException>("options", () => _cache.Set(Key, _value, null!));
    }

    [Fact]
    public void SetAsync_SeveralNulls_NamesTheFirst()
    {
        var token = TestContext.Current.CancellationToken;
        Assert.Throws<ArgumentNullException>("value", () => { _ = _cache.SetAsync(Key, null!, null!, token); });
        Assert.Throws<ArgumentNullException>("options", () => { _ = _cache.SetAsync(Key, _value, null!, token); });
    }

    [Fact]
    public async Task Get_MissingKey_IsNull()
    {
        Assert.Null(_cache.Get(Key));
        Assert.Null(await _cache.GetAsync(Key, TestContext.Current.CancellationToken));
    }

    [Fact]
    public void Set_ThenGet_ReturnsTheValue()
    {
        _cache.Set(Key, _value, _noExpiry);
        Assert.Equal(_value, _cache.Get(Key));
    }

    [Fact]
    public async Task SetAsync_ThenGetAsync_ReturnsTheValue()
    {
        var token = TestContext.Current.CancellationToken;
        await _cache.SetAsync(Key, _value, _noExpiry, token);
        Assert.Equal(_value, await _cache.GetAsync(Key, token));
    }

    [Fact]
    public void Get_EmptyKey_IsAKeyLikeAnother()
    {
        _cache.Set("", _value, _noExpiry);
        Assert.Equal(_value, _cache.Get(""));
    }

    [Fact]
    public void Get_EmptyValue_IsNoMiss()
    {
        _cache.Set(Key, [], _noExpiry);
        Assert.Equal(Array.Empty<byte>(), _cache.Get(Key));
    }

    [Fact]
    public void Get_KeysThatDifferInCaseOrAccent_AreDifferent()
    {
        _cache.Set("ä", [1], _noExpiry);
        Assert.Null(_cache.Get("Ä"));
        Assert.Null(_cache.Get("a\u0308"));
    }

    [Fact]
    public async Task Remove_TakesTheEntryAway()
    {
        _cache.Set(Key, _value, _noExpiry);
        _cache.Remove(Key);
        Assert.Null(_cache.Get(Key));
        _cache.Set(Key, _value, _noExpiry);
        await _cache.RemoveAsync(Key, TestContext.Current.CancellationToken);
        Assert.Null(_cache.Get(Key));
    }

    [Fact]
    public async Task RefreshAndRemove_MissingKey_AreSilent()
    {
        _cache.Refresh(Key);
        await _cache.RefreshAsync(Key, TestContext.Current.CancellationToken);
        _cache.Remove(Key);
        await _cache.RemoveAsync(Key, TestContext.Current.CancellationToken);
        Assert.Null(_cache.Get(Key));
    }

    [Fact]
    public void Set_RelativeExpiry_IsHonouredBelowASecond()
    {
        _cache.Set(Key, _value, new() { AbsoluteExpirationRelativeToNow = TimeSpan.FromMilliseconds(250) });
        _time.Advance(249);
        Assert.NotNull(_cache.Get(Key));
        _time.Advance(1);
        Assert.Null(_cache.Get(Key));
    }

    [Fact]
    public void Set_AbsoluteExpiry_IsHonouredBelowASecond()
    {
        _cache.Set(Key, _value, new() { AbsoluteExpiration = _time.GetUtcNow().AddMilliseconds(250) });
        _time.Advance(249);
        Assert.NotNull(_cache.Get(Key));
        _time.Advance(1);
        Assert.Null(_cache.Get(Key));
    }

    [Fact]
    public void Set_AbsoluteExpiryInAnotherTimeZone_IsTheSameMoment()
    {
        var moment = _time.GetUtcNow().AddMilliseconds(250).ToOffset(TimeSpan.FromHours(5));
        _cache.Set(Key, _value, new() { AbsoluteExpiration = moment });
        _time.Advance(249);
        Assert.NotNull(_cache.Get(Key));
        _time.Advance(1);
        Assert.Null(_cache.Get(Key));
    }

    [Fact]
    public void Set_OneTick_IsAnExpiry()
    {
        _cache.Set("relative", _value, new() { AbsoluteExpirationRelativeToNow = TimeSpan.FromTicks(1) });
        _cache.Set("sliding", _value, new() { SlidingExpiration = TimeSpan.FromTicks(1) });
        _time.Advance(1);
        Assert.Null(_cache.Get("relative"));
        Assert.Null(_cache.Get("sliding"));
    }

    [Theory]
    [InlineData(-1)]
    [InlineData(-1_000_000)]
    [InlineData(long.MinValue)]
    public void Set_PastAbsoluteExpiry_RemovesWhatWasThere(long milliseconds)
    {
        var past = milliseconds == long.MinValue
            ? DateTimeOffset.MinValue
            : _time.GetUtcNow().AddMilliseconds(milliseconds);
        _cache.Set(Key, _value, _noExpiry);
        _cache.Set(Key, _value, new() { AbsoluteExpiration = past });
        Assert.Null(_cache.Get(Key));
    }

    [Fact]
    public void Set_AbsoluteExpiryAtTheUnixEpoch_IsPastNotNever()
    {
        _cache.Set(Key, _value, new() { AbsoluteExpiration = DateTimeOffset.UnixEpoch });
        Assert.Null(_cache.Get(Key));
    }

    [Theory]
    [InlineData(100, 5_000)]
    [InlineData(5_000, 100)]
    public void Set_AbsoluteAndRelativeExpiry_TheEarlierCounts(int absoluteMs, int relativeMs)
    {
        _cache.Set(Key, _value, new()
        {
            AbsoluteExpiration = _time.GetUtcNow().AddMilliseconds(absoluteMs),
            AbsoluteExpirationRelativeToNow = TimeSpan.FromMilliseconds(relativeMs),
        });
        _time.Advance(99);
        Assert.NotNull(_cache.Get(Key));
        _time.Advance(1);
        Assert.Null(_cache.Get(Key));
    }

    [Fact]
    public void Get_RenewsASlidingExpiry()
    {
        _cache.Set(Key, _value, new() { SlidingExpiration = TimeSpan.FromMilliseconds(300) });
        for (int i = 0; i < 5; i++)
        {
            _time.Advance(200);
            Assert.NotNull(_cache.Get(Key));
        }

        _time.Advance(300);
        Assert.Null(_cache.Get(Key));
    }

    [Fact]
    public async Task Refresh_RenewsASlidingExpiry()
    {
        _cache.Set(Key, _value, new() { SlidingExpiration = TimeSpan.FromMilliseconds(300) });
        _time.Advance(200);
        _cache.Refresh(Key);
        _time.Advance(200);
        await _cache.RefreshAsync(Key, TestContext.Current.CancellationToken);
        _time.Advance(200);
        Assert.NotNull(_cache.Get(Key));
    }

    [Fact]
    public void Set_SlidingExpiry_NeverOutlivesTheAbsoluteOne()
    {
        _cache.Set(Key, _value, new()
        {
            SlidingExpiration = TimeSpan.FromMilliseconds(300),
            AbsoluteExpirationRelativeToNow = TimeSpan.FromMilliseconds(500),
        });
        _time.Advance(250);
        Assert.NotNull(_cache.Get(Key));
        _time.Advance(249);
        Assert.NotNull(_cache.Get(Key));
        _time.Advance(1);
        Assert.Null(_cache.Get(Key));
    }

    [Fact]
    public void Set_ExistingKey_ReplacesValueAndExpiry()
    {
        _cache.Set(Key, _value, new() { AbsoluteExpirationRelativeToNow = TimeSpan.FromMilliseconds(100) });
        _cache.Set(Key, [9], _noExpiry);
        _time.Advance(1_000);
        Assert.Equal([9], _cache.Get(Key));
    }

    [Fact]
    public void Set_NoRoomAndNothingToEvict_ForgetsSilentlyAndNeverKeepsTheOldValue()
    {
        const int limitBytes = (int)CacheOptions.MemoryLimitMin;
        var cache = CreateFullCache(_time, limitBytes);
        cache.Set(Key, _value, _noExpiry);
        Assert.Equal(_value, cache.Get(Key));
        cache.Set(Key, new byte[limitBytes + 1], _noExpiry);
        Assert.Null(cache.Get(Key));
    }

    private protected abstract IDistributedCache CreateCache(FakeTimeProvider time);

    /// <summary>A cache with a limit that evicts nothing to make room.</summary>
    private protected abstract IDistributedCache CreateFullCache(FakeTimeProvider time, long limitBytes);
}
