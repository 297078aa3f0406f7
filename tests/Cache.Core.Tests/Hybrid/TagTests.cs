using Cache.Core.Hybrid;
using Microsoft.Extensions.Caching.Hybrid;

namespace Cache.Core.Tests.Hybrid;

/// <summary>Values that are void because a tag of theirs, or everything, was invalidated.</summary>
public sealed class TagTests : IDisposable
{
    private readonly HybridFixture _fixture = new();

    [Fact]
    public async Task RemoveByTag_VoidsTheValuesOfTheTagAlone()
    {
        await _fixture.Get("a", "v", tags: ["x", "y"]);
        await _fixture.Get("b", "v", tags: ["y"]);
        await _fixture.Get("c", "v");
        await _fixture.Cache.RemoveByTagAsync("x", HybridFixture.Token);
        Assert.Equal("w", await _fixture.Get("a", "w"));
        Assert.Equal("v", await _fixture.GetPresent<string>("b"));
        Assert.Equal("v", await _fixture.GetPresent<string>("c"));
    }

    [Fact]
    public async Task RemoveByTag_ValuesAfterIt_AreValidWithinTheSameMillisecond()
    {
        for (int i = 0; i < 10; i++)
        {
            Assert.Equal(i, await _fixture.Get("k", i, tags: ["t"]));
            Assert.Equal(i, await _fixture.GetPresent<int>("k"));
            await _fixture.Cache.RemoveByTagAsync("t", HybridFixture.Token);
        }
    }

    [Fact]
    public async Task RemoveByTag_ReadyObject_IsVoidToo()
    {
        await _fixture.Get("k", "v", tags: ["t"]);
        await _fixture.GetPresent<string>("k");
        await _fixture.GetPresent<string>("k");
        Assert.Equal(1, _fixture.Statistics.ReadyHits);
        await _fixture.Cache.RemoveByTagAsync(["other", "t"], HybridFixture.Token);
        Assert.Equal("w", await _fixture.Get("k", "w"));
    }

    [Fact]
    public async Task RemoveByTag_OfAnotherTag_LeavesReadyObjectsServed()
    {
        await _fixture.Get("k", "v", tags: ["t"]);
        await _fixture.GetPresent<string>("k");
        await _fixture.Cache.RemoveByTagAsync("other", HybridFixture.Token);
        await _fixture.GetPresent<string>("k");
        await _fixture.GetPresent<string>("k");
        Assert.Equal(1, _fixture.Statistics.ReadyHits);
    }

    [Theory]
    [InlineData("t")]
    [InlineData("*")]
    public async Task RemoveByTag_WhileAFactoryRuns_VoidsItsValueForLaterCalls(string tag)
    {
        var gate = new Gate<string>();
        var call = _fixture.Cache.GetOrCreateAsync("k", gate.Run, tags: ["t"]).AsTask();
        await _fixture.Cache.RemoveByTagAsync(tag, HybridFixture.Token);
        var next = _fixture.Get("k", "newer", tags: ["t"]).AsTask();
        gate.Open("older");
        Assert.Equal("older", await call);
        Assert.Equal("newer", await next);
        Assert.Equal("newer", await _fixture.GetPresent<string>("k"));
    }

    [Fact]
    public async Task RemoveByTag_Everything_VoidsPlainAndTaggedValues()
    {
        await _fixture.Get("plain", "v");
        await _fixture.Get("tagged", "v", tags: ["t"]);
        await _fixture.Get("order", Order.Example());
        await _fixture.GetPresent<string>("plain");
        await _fixture.Cache.RemoveByTagAsync("*", HybridFixture.Token);
        Assert.Equal("w", await _fixture.Get("plain", "w"));
        Assert.Equal("w", await _fixture.Get("tagged", "w"));
        Assert.Equal(2, (await _fixture.Get("order", Order.Example(2))).Id);
        Assert.Equal("w", await _fixture.GetPresent<string>("plain"));
        Assert.Equal("w", await _fixture.GetPresent<string>("tagged"));
    }

    [Fact]
    public async Task RemoveByTag_Everything_WhileAFactoryOfAPlainValueRuns_VoidsIt()
    {
        var gate = new Gate<string>();
        var call = _fixture.Cache.GetOrCreateAsync("k", gate.Run).AsTask();
        await _fixture.Cache.RemoveByTagAsync("*", HybridFixture.Token);
        gate.Open("older");
        await call;
        Assert.Equal("newer", await _fixture.Get("k", "newer"));
    }

    [Fact]
    public async Task RemoveByTag_Everything_LeavesOtherDoorsEntriesAlone()
    {
        await _fixture.Get("k", "v");
        _fixture.Store.Set("session"u8, "s"u8);
        await _fixture.Cache.RemoveByTagAsync("*", HybridFixture.Token);
        Assert.Equal("s"u8.ToArray(), _fixture.Store.GetArray("session"u8));
        Assert.Equal("s", await _fixture.GetPresent<string>("session"));
    }

    [Fact]
    public async Task RemoveByTag_Everything_ShorterLivedValueAfterIt_IsValid()
    {
        await _fixture.Get("long", "v", new() { Expiration = TimeSpan.FromHours(1) });
        await _fixture.Cache.RemoveByTagAsync("*", HybridFixture.Token);
        Assert.Equal("w", await _fixture.Get("short", "w", HybridFixture.Minute));
        Assert.Equal("w", await _fixture.GetPresent<string>("short"));
        Assert.Equal("w", await _fixture.Get("long", "w"));
        await _fixture.Cache.RemoveByTagAsync("*", HybridFixture.Token);
        Assert.Equal("x", await _fixture.Get("short", "x", HybridFixture.Minute));
    }

    [Fact]
    public async Task Set_WithTags_ReplacesThoseOfBefore()
    {
        await _fixture.Get("k", "v", tags: ["old"]);
        await _fixture.Cache.SetAsync("k", "w", tags: ["new"], cancellationToken: HybridFixture.Token);
        await _fixture.Cache.RemoveByTagAsync("old", HybridFixture.Token);
        Assert.Equal("w", await _fixture.GetPresent<string>("k"));
        await _fixture.Cache.RemoveByTagAsync("new", HybridFixture.Token);
        Assert.Equal("x", await _fixture.Get("k", "x"));
    }

    [Fact]
    public async Task TagsOfAllKindsOfValues_AreKept()
    {
        await _fixture.Get("bytes", new byte[] { 1 }, tags: ["t"]);
        await _fixture.Get("order", Order.Example(), tags: ["t"]);
        await _fixture.Get("null", (string?)null, tags: ["t"]);
        Assert.Equal([1], await _fixture.GetPresent<byte[]>("bytes"));
        Assert.Equal(17, (await _fixture.GetPresent<Order>("order")).Id);
        Assert.Null(await _fixture.GetPresent<string?>("null"));
        await _fixture.Cache.RemoveByTagAsync("t", HybridFixture.Token);
        Assert.Equal([2], await _fixture.Get("bytes", new byte[] { 2 }));
        Assert.Equal(2, (await _fixture.Get("order", Order.Example(2))).Id);
        Assert.Equal("v", await _fixture.Get("null", "v"));
    }

    [Theory]
    [InlineData("*")]
    [InlineData("")]
    [InlineData(" ")]
    [InlineData(null)]
    public async Task TagThatNoValueCanHave_IsRefused(string? tag)
    {
        await Assert.ThrowsAnyAsync<ArgumentException>(async () => await _fixture.Get("k", "v", tags: [tag!]));
        await Assert.ThrowsAnyAsync<ArgumentException>(
            async () => await _fixture.Cache.SetAsync("k", "v", tags: [tag!]));
        Assert.Equal(0, _fixture.Store.Count);
    }

    [Fact]
    public async Task MoreTagsThanAValueCanHave_AreRefused()
    {
        string[] tags = [.. Enumerable.Range(0, TagHashes.CountMax + 1).Select(i => $"t{i}")];
        await _fixture.Get("k", "v", tags: tags[1..]);
        var refused = await Assert.ThrowsAsync<ArgumentException>(
            async () => await _fixture.Get("l", "v", tags: tags));
        Assert.Contains("There are 1025 tags; a value has at most 1024.", refused.Message, StringComparison.Ordinal);
    }

    [Fact]
    public void Invalidations_MoreTagsThanTheirBound_AreForgottenWhenNothingNeedsThem()
    {
        var invalidations = new Invalidations(_fixture.Store, tagsMax: 10);
        for (ulong tag = 0; tag < 1_000; tag++)
        {
            invalidations.TryAnnounceStamped(_fixture.Store.NowMs + 100, invalidations.Now(), [tag]);
            invalidations.Invalidate(tag);
            _fixture.Time.Advance(50);
            Assert.InRange(invalidations.TagCount, 1, 10);
        }

        Assert.True(invalidations.IsValid(invalidations.Now(), [5]));
    }

    [Fact]
    public void Invalidations_MoreTagsThanTheirBoundAndAllNeeded_VoidTaggedValuesSoFar()
    {
        var invalidations = new Invalidations(_fixture.Store, tagsMax: 10);
        long before = invalidations.Now();
        invalidations.TryAnnounceStamped(long.MaxValue, before, [1]);
        for (ulong tag = 0; tag < 25; tag++)
            invalidations.Invalidate(tag);
        Assert.InRange(invalidations.TagCount, 0, 10);
        for (ulong tag = 0; tag < 25; tag++)
            Assert.False(invalidations.IsValid(before, [tag]));
        Assert.True(invalidations.IsValid(before, []));
        Assert.True(invalidations.IsValid(invalidations.Now(), [1]));
    }

    [Fact]
    public void Invalidations_LearntFromTheSecondLevel_KeepTheirBound()
    {
        var invalidations = new Invalidations(_fixture.Store, tagsMax: 10);
        long before = invalidations.Now();
        invalidations.TryAnnounceStamped(long.MaxValue, before, [1]);
        for (ulong tag = 0; tag < 25; tag++)
            invalidations.Learn(tag, before + 1);
        Assert.InRange(invalidations.TagCount, 0, 10);
        for (ulong tag = 0; tag < 25; tag++)
            Assert.False(invalidations.IsValid(before, [tag]));
        Assert.True(invalidations.IsValid(invalidations.Now(), [1]));
    }

    [Theory]
    [InlineData(1UL)]
    [InlineData(null)]
    public void Invalidations_MomentThatNoClockShows_IsNotLearnt(ulong? tag)
    {
        var invalidations = new Invalidations(_fixture.Store, tagsMax: 10);
        long before = invalidations.Now();
        invalidations.Learn(tag, long.MaxValue);
        Assert.True(invalidations.IsValid(before, [1]));
        invalidations.Invalidate(1);
        Assert.False(invalidations.IsValid(before, [1]));
        Assert.True(invalidations.IsValid(invalidations.Now(), [1]));
    }

    public void Dispose() => _fixture.Dispose();
}
