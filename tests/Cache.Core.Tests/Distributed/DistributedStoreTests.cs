using System.Buffers;
using Cache.Core.Distributed;
using Cache.Testing;
using Microsoft.Extensions.Caching.Distributed;

namespace Cache.Core.Tests.Distributed;

/// <summary>The store's distributed cache: the contract, and what it promises beyond.</summary>
public sealed class DistributedStoreTests : DistributedCacheContract, IDisposable
{
    private static readonly DistributedCacheEntryOptions _noExpiry = new();
    private readonly CacheStore _store =
        new(new CacheOptions { MemoryLimitBytes = 16 << 20, ValueLengthMax = 1 << 20 });
    private readonly DistributedStore _cache;

    public DistributedStoreTests() => _cache = new DistributedStore(_store);

    [Fact]
    public void Set_TheCallersArrayChangesLater_TheEntryDoesNot()
    {
        byte[] value = [1, 2];
        _cache.Set("k", value, _noExpiry);
        value[0] = 9;
        Assert.Equal([1, 2], _cache.Get("k"));
    }

    [Fact]
    public void Get_TheCallerChangesTheResult_TheEntryDoesNot()
    {
        _cache.Set("k", [1, 2], _noExpiry);
        _cache.Get("k")![0] = 9;
        Assert.Equal([1, 2], _cache.Get("k"));
    }

    [Fact]
    public void Set_KeyIsUtf8OfTheString()
    {
        _cache.Set("Grüße \U0001F600", "hej"u8.ToArray(), _noExpiry);
        Assert.Equal("hej"u8.ToArray(), _store.GetArray("Grüße 😀"u8));
        _store.Set("ключ"u8, "there"u8);
        Assert.Equal("there"u8.ToArray(), _cache.Get("ключ"));
    }

    [Theory]
    [InlineData("", 0xD800, "")]
    [InlineData("ab", 0xDC00, "cd")]
    [InlineData("ab", 0xD83D, "")]
    [InlineData("a key of more than one vector ", 0xDFFF, " and more")]
    public void UnpairedSurrogate_IsRefusedByEveryMember(string before, int unit, string after)
    {
        // A literal could not hold it: metadata is UTF-8.
        string key = before + (char)unit + after;
        var refused = Assert.Throws<ArgumentException>("key", () => _cache.Set(key, [1], _noExpiry));
        Assert.Contains($"U+{unit:X4}, at index {before.Length};", refused.Message, StringComparison.Ordinal);
        Assert.Throws<ArgumentException>("key", () => _cache.Get(key));
        Assert.Throws<ArgumentException>("key", () => _cache.TryGet(key, new ArrayBufferWriter<byte>()));
        Assert.Throws<ArgumentException>("key", () => _cache.Refresh(key));
        Assert.Throws<ArgumentException>("key", () => _cache.Remove(key));
    }

    [Theory]
    [InlineData(65_536, "a", "65536")]
    [InlineData(40_000, "ä", "80000")]
    public void KeyTooLong_IsRefusedWithLengthAndRange(int count, string character, string length)
    {
        string key = string.Concat(Enumerable.Repeat(character, count));
        var refused = Assert.Throws<ArgumentException>("key", () => _cache.Set(key, [1], _noExpiry));
        Assert.StartsWith($"The key is {length} bytes long", refused.Message, StringComparison.Ordinal);
        Assert.Contains("at most 65535", refused.Message, StringComparison.Ordinal);
    }

    [Fact]
    public void Set_ValueTooLong_IsRefusedWithLengthAndRange()
    {
        var value = new byte[(1 << 20) + 1];
        var refused = Assert.Throws<ArgumentException>("value", () => _cache.Set("k", value, _noExpiry));
        Assert.StartsWith(
            "The value is 1048577 bytes long; it must be at most 1048576.", refused.Message, StringComparison.Ordinal);
        var joined = Split(value, 7);
        Assert.Throws<ArgumentException>("value", () => _cache.Set("k", joined, _noExpiry));
    }

    [Fact]
    public void CanceledToken_IsHonouredAtEntryByEveryMember()
    {
        var token = new CancellationToken(canceled: true);
        _cache.Set("k", [1], _noExpiry);
        Assert.True(_cache.GetAsync("k", token).IsCanceled);
        Assert.True(_cache.TryGetAsync("k", new ArrayBufferWriter<byte>(), token).IsCanceled);
        Assert.True(_cache.SetAsync("k", [2], _noExpiry, token).IsCanceled);
        Assert.True(_cache.SetAsync("k", new ReadOnlySequence<byte>([2]), _noExpiry, token).IsCanceled);
        Assert.True(_cache.RefreshAsync("k", token).IsCanceled);
        Assert.True(_cache.RemoveAsync("k", token).IsCanceled);
        Assert.Equal([1], _cache.Get("k"));
    }

    [Fact]
    public void NullArguments_AreRefusedByTheBufferMembers()
    {
        var writer = new ArrayBufferWriter<byte>();
        Assert.Throws<ArgumentNullException>("key", () => _cache.TryGet(null!, writer));
        Assert.Throws<ArgumentNullException>("destination", () => _cache.TryGet("k", null!));
        Assert.Throws<ArgumentNullException>(
            "key", () => _cache.Set(null!, default(ReadOnlySequence<byte>), _noExpiry));
        Assert.Throws<ArgumentNullException>("options", () => _cache.Set("k", default(ReadOnlySequence<byte>), null!));
    }

    [Fact]
    public async Task TryGet_WritesTheValueBehindWhatTheWriterHolds()
    {
        _cache.Set("k", [1, 2, 3], _noExpiry);
        var writer = new ArrayBufferWriter<byte>();
        writer.Write("\0"u8);
        Assert.True(_cache.TryGet("k", writer));
        Assert.True(await _cache.TryGetAsync("k", writer, TestContext.Current.CancellationToken));
        Assert.Equal([0, 1, 2, 3, 1, 2, 3], writer.WrittenSpan.ToArray());
    }

    [Fact]
    public void TryGet_MissingKey_LeavesTheWriterAlone()
    {
        var writer = new ArrayBufferWriter<byte>();
        Assert.False(_cache.TryGet("k", writer));
        Assert.Equal(0, writer.WrittenCount);
    }

    [Fact]
    public void TryGet_EmptyValue_IsNoMiss()
    {
        _cache.Set("k", ReadOnlySequence<byte>.Empty, _noExpiry);
        var writer = new ArrayBufferWriter<byte>();
        Assert.True(_cache.TryGet("k", writer));
        Assert.Equal(0, writer.WrittenCount);
    }

    [Fact]
    public void TryGet_RenewsASlidingExpiry()
    {
        var time = new FakeTimeProvider();
        using var store = new CacheStore(new CacheOptions { MemoryLimitBytes = 16 << 20 }, time);
        var cache = new DistributedStore(store);
        cache.Set("k", [1], new() { SlidingExpiration = TimeSpan.FromMilliseconds(300) });
        time.Advance(200);
        Assert.True(cache.TryGet("k", new ArrayBufferWriter<byte>()));
        time.Advance(200);
        Assert.NotNull(cache.Get("k"));
    }

    [Theory]
    [InlineData(1)]
    [InlineData(2)]
    [InlineData(1000)]
    public void Set_SequenceOfSegments_IsJoined(int segmentLength)
    {
        byte[] value = [.. Enumerable.Range(0, 2500).Select(i => (byte)(i * 7))];
        _cache.Set("k", Split(value, segmentLength), _noExpiry);
        Assert.Equal(value, _cache.Get("k"));
    }

    [Fact]
    public void Set_RelativeExpiryBeyondAllTime_IsTaken()
    {
        _cache.Set("k", [1], new() { AbsoluteExpirationRelativeToNow = TimeSpan.MaxValue });
        _cache.Set("l", [1], new() { SlidingExpiration = TimeSpan.MaxValue });
        Assert.NotNull(_cache.Get("k"));
        Assert.NotNull(_cache.Get("l"));
    }

    [Fact]
    public void Set_SubMillisecondExpiry_IsRoundedUp()
    {
        _cache.Set("k", [1], new() { SlidingExpiration = TimeSpan.FromTicks(15_000_000_001) });
        Assert.True(_store.TryPeekInfo("k"u8, out var info));
        Assert.Equal(1_500_001, info.SlidingMs);
    }

    public void Dispose() => _store.Dispose();

    private protected override IDistributedCache CreateCache(FakeTimeProvider time) =>
        new DistributedStore(new CacheStore(new CacheOptions { MemoryLimitBytes = 16 << 20 }, time));

    private protected override IDistributedCache CreateFullCache(FakeTimeProvider time, long limitBytes)
    {
        var options = new CacheOptions { MemoryLimitBytes = limitBytes, Eviction = EvictionPolicy.None };
        return new DistributedStore(new CacheStore(options, time));
    }

    private static ReadOnlySequence<byte> Split(byte[] bytes, int segmentLength) =>
        SegmentedBytes.Split(bytes, segmentLength);
}
