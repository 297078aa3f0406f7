using System.Text;
using System.Text.Json;
using Cache.Core.Tests.Distributed;
using Microsoft.Extensions.Caching.Hybrid;

namespace Cache.Core.Tests.Hybrid;

/// <summary>What a caller of the hybrid cache sees, one call after the other.</summary>
public sealed class StoreHybridCacheTests : IDisposable
{
    private readonly HybridFixture _fixture = new();

    [Fact]
    public async Task GetOrCreate_MissThenHit_RunsTheFactoryOnce()
    {
        int calls = 0;
        for (int i = 0; i < 3; i++)
        {
            Assert.Equal(1, await _fixture.Cache.GetOrCreateAsync(
                "k", _ => ValueTask.FromResult(++calls), cancellationToken: HybridFixture.Token));
        }

        Assert.Equal(1, calls);
        Assert.Equal(
            (1, 2), (_fixture.Statistics.Misses, _fixture.Statistics.ReadyHits + _fixture.Statistics.StoreHits));
    }

    [Fact]
    public async Task GetOrCreate_KeyAsSpan_IsTheSameKey()
    {
        await _fixture.Get("key:17", "v");
        char[] key = "key:17".ToCharArray();
        string found = await _fixture.Cache.GetOrCreateAsync(
            key.AsSpan(), _ => ValueTask.FromResult("other"), cancellationToken: HybridFixture.Token);
        Assert.Equal("v", found);
        int number = 18;
        await _fixture.Cache.GetOrCreateAsync(
            $"key:{number}", _ => ValueTask.FromResult("w"), cancellationToken: HybridFixture.Token);
        Assert.Equal("w", await _fixture.GetPresent<string>("key:18"));
    }

    [Fact]
    public async Task ValuesOfManyKinds_ComeBackEqual()
    {
        await AssertComesBack("text");
        await AssertComesBack("");
        await AssertComesBack("Grüße \U0001F600");
        await AssertComesBack(42);
        await AssertComesBack((int?)7);
        await AssertComesBack(Guid.Parse("8d5d1f70-55b7-44a0-9d1c-0f6d3a4a9f11"));
        await AssertComesBack(new DateTime(2026, 3, 4, 5, 6, 7, DateTimeKind.Utc));
        await AssertComesBack(new Price("EUR", 1.10m));
        byte[] bytes = [0, 1, 255];
        await _fixture.Get("bytes", bytes);
        Assert.Equal(bytes, await _fixture.GetPresent<byte[]>("bytes"));
        await _fixture.Get("no bytes", Array.Empty<byte>());
        Assert.Empty(await _fixture.GetPresent<byte[]>("no bytes"));
        await _fixture.Get("order", Order.Example());
        Assert.Equivalent(Order.Example(), await _fixture.GetPresent<Order>("order"), strict: true);
    }

    [Fact]
    public async Task NullOfEveryKind_IsAValue()
    {
        await AssertComesBack<string?>(null);
        await AssertComesBack<byte[]?>(null);
        await AssertComesBack<Order?>(null);
        await AssertComesBack<int?>(null);
    }

    [Theory]
    [InlineData(0xD800)]
    [InlineData(0xDC00)]
    public async Task StringWithoutUtf8Form_ComesBackAsItWas(int unit)
    {
        string value = "before" + (char)unit + "after";
        await AssertComesBack(value);
    }

    [Fact]
    public async Task BytesAndStrings_LieInTheStoreAsTheyAre()
    {
        await _fixture.Get("text", "Grüße");
        await _fixture.Get("bytes", new byte[] { 1, 2, 3 });
        await _fixture.Get("order", Order.Example());
        byte[] text = Encoding.UTF8.GetBytes("Grüße");
        Assert.Equal(text, _fixture.Store.GetArray("text"u8));
        byte[] bytes = [1, 2, 3];
        Assert.Equal(bytes, _fixture.Store.GetArray("bytes"u8));
        Assert.Equal(
            JsonSerializer.SerializeToUtf8Bytes(Order.Example()), _fixture.Store.GetArray("order"u8));
    }

    [Fact]
    public async Task WhatAnotherDoorWrote_IsTheValue()
    {
        _fixture.Store.Set("text"u8, "from redis"u8);
        _fixture.Store.Set("order"u8, JsonSerializer.SerializeToUtf8Bytes(Order.Example(3)));
        Assert.Equal("from redis", await _fixture.GetPresent<string>("text"));
        Assert.Equal(3, (await _fixture.GetPresent<Order>("order")).Id);
    }

    [Fact]
    public async Task ValueThatCannotBeRead_IsAMissAndIsReplaced()
    {
        _fixture.Store.Set("k"u8, "no JSON"u8);
        Assert.Equal(5, (await _fixture.Get("k", Order.Example(5))).Id);
        Assert.Equal(5, (await _fixture.GetPresent<Order>("k")).Id);
        Assert.Equal(2, _fixture.Statistics.UnusableValues);
        Assert.IsType<JsonException>(_fixture.Failures[0]);
    }

    [Fact]
    public async Task MutableValues_AreObjectsOfTheirOwn()
    {
        var made = Order.Example();
        Assert.Same(made, await _fixture.Get("order", made));
        var first = await _fixture.GetPresent<Order>("order");
        first.Lines[0] = "changed";
        Assert.Equal("a", (await _fixture.GetPresent<Order>("order")).Lines[0]);
        await _fixture.Get("bytes", new byte[] { 1 });
        (await _fixture.GetPresent<byte[]>("bytes"))[0] = 9;
        Assert.Equal([1], await _fixture.GetPresent<byte[]>("bytes"));
    }

    [Fact]
    public async Task Expiration_OfTheCall_IsExactToTheMillisecond()
    {
        await _fixture.Get("k", "v", new() { Expiration = TimeSpan.FromMilliseconds(250) });
        _fixture.Time.Advance(249);
        Assert.Equal("v", await _fixture.GetPresent<string>("k"));
        Assert.Equal("v", await _fixture.GetPresent<string>("k"));
        _fixture.Time.Advance(1);
        Assert.Equal("w", await _fixture.Get("k", "w"));
    }

    [Fact]
    public async Task Expiration_LocalOne_CountsIfItIsTheShorter()
    {
        await _fixture.Get("k", "v", new()
        {
            Expiration = TimeSpan.FromSeconds(9),
            LocalCacheExpiration = TimeSpan.FromSeconds(1),
        });
        await _fixture.Get("l", "v", new()
        {
            Expiration = TimeSpan.FromSeconds(1),
            LocalCacheExpiration = TimeSpan.FromSeconds(9),
        });
        _fixture.Time.Advance(1_000);
        Assert.Equal("w", await _fixture.Get("k", "w"));
        Assert.Equal("w", await _fixture.Get("l", "w"));
    }

    [Fact]
    public async Task Expiration_WithoutAny_IsFiveMinutes()
    {
        await _fixture.Get("k", "v");
        _fixture.Time.Advance(TimeSpan.FromMinutes(5) - TimeSpan.FromMilliseconds(1));
        Assert.Equal("v", await _fixture.GetPresent<string>("k"));
        _fixture.Time.Advance(1);
        Assert.Equal("w", await _fixture.Get("k", "w"));
    }

    [Fact]
    public async Task DefaultEntryOptions_StandForWhatTheCallLeavesOpen()
    {
        using var fixture = new HybridFixture(o => o.DefaultEntryOptions = new()
        {
            Expiration = TimeSpan.FromSeconds(1),
            Flags = HybridCacheEntryFlags.DisableLocalCacheRead,
        });
        await fixture.Get("k", "v");
        Assert.Equal("w", await fixture.Get("k", "w"));
        Assert.Equal("w", await fixture.Get("k", "x", new() { Flags = HybridCacheEntryFlags.None }));
        fixture.Time.Advance(1_000);
        Assert.Equal("y", await fixture.Get("k", "y", new() { Flags = HybridCacheEntryFlags.None }));
    }

    [Theory]
    [InlineData(0)]
    [InlineData(-1)]
    public async Task Expiration_ThatIsNone_KeepsNothingAndRemovesWhatWasThere(int seconds)
    {
        var none = new HybridCacheEntryOptions { Expiration = TimeSpan.FromSeconds(seconds) };
        Assert.Equal("v", await _fixture.Get("k", "v", none));
        Assert.Equal(0, _fixture.Store.Count);
        await _fixture.Get("k", "w");
        await _fixture.Cache.SetAsync("k", "x", none, cancellationToken: HybridFixture.Token);
        Assert.Equal(0, _fixture.Store.Count);
    }

    [Fact]
    public async Task Expiration_BeyondAllTime_IsTaken()
    {
        await _fixture.Get("k", "v", new() { Expiration = TimeSpan.MaxValue });
        Assert.Equal("v", await _fixture.GetPresent<string>("k"));
    }

    [Fact]
    public async Task Flags_DisableLocalCacheWrite_KeepsNothing()
    {
        var flags = new HybridCacheEntryOptions { Flags = HybridCacheEntryFlags.DisableLocalCacheWrite };
        await _fixture.Get("k", "v", flags);
        Assert.Equal(0, _fixture.Store.Count);
        await _fixture.Get("k", "w");
        await _fixture.Cache.SetAsync("k", "x", flags, cancellationToken: HybridFixture.Token);
        Assert.Equal("y", await _fixture.Get("k", "y"));
    }

    [Fact]
    public async Task Flags_DisableUnderlyingData_NeverRunsTheFactory()
    {
        var flags = new HybridCacheEntryOptions { Flags = HybridCacheEntryFlags.DisableUnderlyingData };
        Assert.Null(await _fixture.Get("k", "v", flags));
        await _fixture.Get("k", "w");
        Assert.Equal("w", await _fixture.Get("k", "x", flags));
        Assert.Null(await _fixture.Get(" ", "v", flags));
    }

    [Fact]
    public async Task Set_ReplacesValueAndExpiration()
    {
        await _fixture.Get("k", "v", new() { Expiration = TimeSpan.FromSeconds(1) });
        await _fixture.Cache.SetAsync("k", "w", HybridFixture.Minute, cancellationToken: HybridFixture.Token);
        _fixture.Time.Advance(30_000);
        Assert.Equal("w", await _fixture.GetPresent<string>("k"));
    }

    [Fact]
    public async Task Remove_TakesTheEntryAway()
    {
        await _fixture.Get("k", "v");
        await _fixture.Get("l", "v");
        await _fixture.Get("m", "v");
        await _fixture.Cache.RemoveAsync("k", HybridFixture.Token);
        await _fixture.Cache.RemoveAsync(["l", "m", "none"], HybridFixture.Token);
        Assert.Equal(0, _fixture.Store.Count);
    }

    [Theory]
    [InlineData("")]
    [InlineData(" \t")]
    [InlineData("a key that is longer than thirty-two characters")]
    public async Task KeyThatCannotBeCached_RunsTheFactoryForEachCall(string key)
    {
        using var fixture = new HybridFixture(o => o.MaximumKeyLength = 32);
        await AssertBypasses(fixture, key);
    }

    [Fact]
    public async Task KeyWithoutUtf8Form_RunsTheFactoryForEachCall()
    {
        string key = "k" + (char)0xD800;
        await AssertBypasses(_fixture, key);
    }

    [Theory]
    [MemberData(nameof(DistributedKeyTests.Kinds), MemberType = typeof(DistributedKeyTests))]
    public async Task KeyOfEveryKind_IsItsUtf8(string key)
    {
        await _fixture.Get(key, "value");
        Assert.Equal(
            string.IsNullOrWhiteSpace(key) ? null : "value"u8.ToArray(),
            _fixture.Store.GetArray(Encoding.UTF8.GetBytes(key)));
    }

    [Fact]
    public async Task KeyOfMaximumLength_IsCached()
    {
        string key = new('k', 1024);
        await _fixture.Get(key, "v");
        Assert.Equal("v", await _fixture.GetPresent<string>(key));
        await AssertBypasses(_fixture, key + "k");
    }

    [Fact]
    public async Task PayloadThatIsTooLong_IsReturnedAndNotKept()
    {
        using var fixture = new HybridFixture(o => o.MaximumPayloadBytes = 10);
        await fixture.Get("k", new string('v', 10));
        Assert.Equal(1, fixture.Store.Count);
        Assert.Equal(11, (await fixture.Get("l", new string('v', 11))).Length);
        Assert.Equal(1, fixture.Store.Count);
        await fixture.Cache.SetAsync("k", new string('w', 11), cancellationToken: HybridFixture.Token);
        Assert.Equal(0, fixture.Store.Count);
        Assert.Equal(2, fixture.Statistics.RejectedPayloads);
        Assert.Contains("A value of 11 bytes was not cached", fixture.Failures[0].Message, StringComparison.Ordinal);
    }

    [Fact]
    public async Task StoreWithoutRoom_ForgetsAndNeverKeepsTheOldValue()
    {
        using var fixture = new HybridFixture(
            o => o.MaximumPayloadBytes = 8 << 20,
            o => (o.MemoryLimitBytes, o.Eviction) = (CacheOptions.MemoryLimitMin, EvictionPolicy.None));
        await fixture.Get("k", "v");
        var tooLong = new byte[2 << 20];
        await fixture.Cache.SetAsync("k", tooLong, cancellationToken: HybridFixture.Token);
        Assert.Equal(0, fixture.Store.Count);
        Assert.Equal(1, fixture.Statistics.RejectedPayloads);
        Assert.Same(tooLong, await fixture.Get("k", tooLong));
    }

    [Fact]
    public async Task CanceledToken_IsHonouredAtEntryByEveryMember()
    {
        var token = new CancellationToken(canceled: true);
        var cache = _fixture.Cache;
        await _fixture.Get("k", "v", tags: ["t"]);
        Assert.True(cache.GetOrCreateAsync("k", _ => ValueTask.FromResult("w"), cancellationToken: token).IsCanceled);
        Assert.True(cache.GetOrCreateAsync(
            "k".AsSpan(), _ => ValueTask.FromResult("w"), cancellationToken: token).IsCanceled);
        Assert.True(cache.SetAsync("k", "w", cancellationToken: token).IsCanceled);
        Assert.True(cache.RemoveAsync("k", token).IsCanceled);
        Assert.True(cache.RemoveByTagAsync("t", token).IsCanceled);
        Assert.Equal("v", await _fixture.GetPresent<string>("k"));
    }

    [Fact]
    public void NullArguments_AreRefused()
    {
        var cache = _fixture.Cache;
        Assert.Throws<ArgumentNullException>(
            "key", () => { _ = cache.GetOrCreateAsync((string)null!, _ => ValueTask.FromResult(1)); });
        Assert.Throws<ArgumentNullException>(
            "factory", () => { _ = cache.GetOrCreateAsync<object, int>("k", "state", null!); });
        Assert.Throws<ArgumentNullException>("key", () => { _ = cache.SetAsync(null!, 1); });
        Assert.Throws<ArgumentNullException>("key", () => { _ = cache.RemoveAsync((string)null!); });
        Assert.Throws<ArgumentNullException>("tag", () => { _ = cache.RemoveByTagAsync((string)null!); });
    }

    [Fact]
    public async Task FactoryThatThrows_ThrowsAndKeepsNothing()
    {
        var thrown = new InvalidOperationException("source");
        var caught = await Assert.ThrowsAsync<InvalidOperationException>(async () =>
            await _fixture.Cache.GetOrCreateAsync<string>("k", _ => throw thrown));
        Assert.Same(thrown, caught);
        Assert.Equal("v", await _fixture.Get("k", "v"));
        Assert.Equal(1, _fixture.Statistics.FactoryFailures);
    }

    [Fact]
    public async Task PayloadThatEndsLikeATrailer_IsNotTakenForOne()
    {
        await _fixture.Get("k", "v", tags: ["t"]);
        byte[] stamped = _fixture.Store.GetArray("k"u8)!;
        Assert.NotEqual(1, stamped.Length);
        await _fixture.Get("l", stamped);
        Assert.Equal(stamped, await _fixture.GetPresent<byte[]>("l"));
    }

    public void Dispose() => _fixture.Dispose();

    private static async Task AssertBypasses(HybridFixture fixture, string key)
    {
        Assert.Equal("v", await fixture.Get(key, "v"));
        Assert.Equal("w", await fixture.Get(key, "w"));
        await fixture.Cache.SetAsync(key, "x", cancellationToken: HybridFixture.Token);
        await fixture.Cache.RemoveAsync(key, HybridFixture.Token);
        Assert.False(fixture.Store.Contains(Encoding.UTF8.GetBytes(key)));
        Assert.Equal(3, fixture.Statistics.RejectedKeys);
    }

    private async Task AssertComesBack<T>(T value)
    {
        string key = $"{typeof(T)}:{value}".Replace((char)0xD800, '?').Replace((char)0xDC00, '?');
        Assert.Equal(value, await _fixture.Get(key, value));
        for (int i = 0; i < 2; i++)
            Assert.Equal(value, await _fixture.GetPresent<T>(key));
    }
}
