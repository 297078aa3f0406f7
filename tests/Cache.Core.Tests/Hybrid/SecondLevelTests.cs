using Cache.Core.Hybrid;
using Microsoft.Extensions.Caching.Hybrid;

namespace Cache.Core.Tests.Hybrid;

/// <summary>Two processes with a second level that they share: each is a store and a cache of its own.</summary>
public sealed class SecondLevelTests : IDisposable
{
    private static readonly HybridCacheEntryOptions _farOnly = new()
    {
        Expiration = TimeSpan.FromMinutes(1),
        Flags = HybridCacheEntryFlags.DisableLocalCacheWrite,
    };

    private readonly FarCache _far = new();
    private readonly HybridFixture _here;
    private readonly HybridFixture _there;

    public SecondLevelTests()
    {
        _here = new HybridFixture(o => o.SecondLevel = _far);
        _there = new HybridFixture(o => o.SecondLevel = _far);
    }

    [Fact]
    public async Task ValueOfAnotherProcess_IsFoundWithoutTheFactory()
    {
        await _here.Get("text", "v");
        await _here.Get("bytes", new byte[] { 1, 2 });
        await _here.Get("order", Order.Example());
        await _here.Get("null", (string?)null);
        await HybridFixture.Until(() => _far.Keys.Count == 4);
        Assert.Equal("v", await _there.GetPresent<string>("text"));
        Assert.Equal([1, 2], await _there.GetPresent<byte[]>("bytes"));
        Assert.Equivalent(Order.Example(), await _there.GetPresent<Order>("order"), strict: true);
        Assert.Null(await _there.GetPresent<string?>("null"));
        Assert.Equal(4, _there.Statistics.SecondLevelHits);
    }

    [Fact]
    public async Task ValueThatWasFound_IsInTheStoreFromThenOn()
    {
        await _here.Get("k", "v");
        await HybridFixture.Until(() => _far.Keys.Count == 1);
        await _there.GetPresent<string>("k");
        int reads = _far.Reads;
        Assert.Equal("v", await _there.GetPresent<string>("k"));
        Assert.Equal(reads, _far.Reads);
        Assert.Equal("v"u8.ToArray(), _there.Store.GetArray("k"u8));
    }

    [Fact]
    public async Task LocalExpiration_EndsBeforeThatOfTheSecondLevel()
    {
        var options = new HybridCacheEntryOptions
        {
            Expiration = TimeSpan.FromMinutes(1),
            LocalCacheExpiration = TimeSpan.FromSeconds(1),
        };
        await _here.Get("k", "v", options);
        await HybridFixture.Until(() => _far.Keys.Count == 1);
        Assert.Equal(TimeSpan.FromMinutes(1), _far.LastExpiration);
        _here.Time.Advance(1_000);
        Assert.Equal(0, _here.Statistics.SecondLevelHits);
        Assert.Equal("v", await _here.Get("k", "w", options));
        Assert.Equal(1, _here.Statistics.SecondLevelHits);
    }

    [Fact]
    public async Task ValueThatWasFound_NeverOutlivesItsExpiration()
    {
        await _here.Get("k", "v", HybridFixture.Minute);
        await HybridFixture.Until(() => _far.Keys.Count == 1);
        _there.Time.Advance(59_000);
        Assert.Equal("v", await _there.Get("k", "w"));
        _there.Time.Advance(999);
        Assert.Equal("v", await _there.GetPresent<string>("k"));
        _there.Time.Advance(1);
        Assert.Equal("w", await _there.Get("k", "w"));
    }

    [Fact]
    public async Task SetAndRemove_ReachTheSecondLevel()
    {
        await _here.Cache.SetAsync("k", "v", cancellationToken: HybridFixture.Token);
        Assert.Equal("v", await _there.GetPresent<string>("k"));
        await _here.Cache.RemoveAsync("k", HybridFixture.Token);
        Assert.Empty(_far.Keys);
    }

    [Fact]
    public async Task SetThatIsNotKept_RemovesTheOlderValueThere()
    {
        await _here.Cache.SetAsync("k", "v", cancellationToken: HybridFixture.Token);
        await _here.Cache.SetAsync("k", new byte[(1 << 20) + 1], cancellationToken: HybridFixture.Token);
        Assert.Empty(_far.Keys);
        await _here.Cache.SetAsync("k", "v", cancellationToken: HybridFixture.Token);
        await _here.Cache.SetAsync(
            "k", "w", new() { Expiration = TimeSpan.Zero }, cancellationToken: HybridFixture.Token);
        Assert.Empty(_far.Keys);
    }

    [Theory]
    [InlineData("t")]
    [InlineData("*")]
    public async Task RemoveByTag_InAnotherProcess_VoidsWhatComesFromThere(string tag)
    {
        await _here.Cache.SetAsync("k", "v", tags: ["t"], cancellationToken: HybridFixture.Token);
        _here.Time.Advance(1);
        await _here.Cache.RemoveByTagAsync(tag, HybridFixture.Token);
        Assert.Equal("w", await _there.Get("k", "w"));
        Assert.Equal(0, _there.Statistics.SecondLevelHits);
    }

    [Fact]
    public async Task RemoveByTag_BeforeARestart_IsRemembered()
    {
        await _here.Cache.SetAsync("k", "v", tags: ["t"], cancellationToken: HybridFixture.Token);
        await _here.Cache.RemoveByTagAsync("t", HybridFixture.Token);
        using var restarted = new HybridFixture(o => o.SecondLevel = _far);
        Assert.Equal("w", await restarted.Get("k", "w", tags: ["t"]));
    }

    [Fact]
    public async Task BrokenSecondLevel_IsCountedAndReportedAndTheCallGoesOn()
    {
        _far.IsBroken = true;
        Assert.Equal("v", await _here.Get("k", "v"));
        await HybridFixture.Until(() => _here.FailureCount == 2);
        Assert.Equal(2, _here.Statistics.SecondLevelFailures);
        Assert.Equal("v", await _here.GetPresent<string>("k"));
        await Assert.ThrowsAsync<IOException>(async () => await _here.Cache.SetAsync("k", "w"));
        Assert.Equal("w", await _here.GetPresent<string>("k"));
        await Assert.ThrowsAsync<IOException>(async () => await _here.Cache.RemoveAsync("k"));
        Assert.Equal(0, _here.Store.Count);
    }

    [Fact]
    public async Task WhatNoHybridCacheWroteThere_IsAMiss()
    {
        _far.Set("k", "foreign"u8.ToArray(), new());
        Assert.Equal("v", await _here.Get("k", "v"));
        Assert.Equal(1, _here.Statistics.SecondLevelMisses);
    }

    [Fact]
    public async Task Flags_SayWhichLevelIsReadAndWritten()
    {
        await _here.Get("a", "v", new() { Flags = HybridCacheEntryFlags.DisableDistributedCacheWrite });
        await _here.Cache.SetAsync(
            "b", "v", new() { Flags = HybridCacheEntryFlags.DisableDistributedCache }, null, HybridFixture.Token);
        Assert.Empty(_far.Keys);
        await _here.Cache.SetAsync("c", "v", cancellationToken: HybridFixture.Token);
        Assert.Equal(
            "w", await _there.Get("c", "w", new() { Flags = HybridCacheEntryFlags.DisableDistributedCacheRead }));
        using var third = new HybridFixture(o => o.SecondLevel = _far);
        await HybridFixture.Until(() => _far.Get("c")![0] == 'w');
        Assert.Equal(
            "w", await third.Get("c", "x", new() { Flags = HybridCacheEntryFlags.DisableUnderlyingData }));
        Assert.Null(await third.Get("d", "x", new() { Flags = HybridCacheEntryFlags.DisableUnderlyingData }));
    }

    [Fact]
    public async Task FailSafe_ServesAStaleValueOfTheSecondLevel()
    {
        using var here = new HybridFixture(Configure);
        using var there = new HybridFixture(Configure);
        await here.Cache.SetAsync("k", "v", HybridFixture.Minute, cancellationToken: HybridFixture.Token);
        there.Time.Advance(60_000);
        Assert.Equal("v", await there.Cache.GetOrCreateAsync<string>(
            "k", _ => throw new InvalidOperationException("source"), HybridFixture.Minute));
        Assert.Equal("v", await there.GetPresent<string>("k"));

        void Configure(HybridStoreOptions options) =>
            (options.SecondLevel, options.FailSafeMaximumDuration) = (_far, TimeSpan.FromHours(1));
    }

    [Fact]
    public async Task RemoveWhileAFactoryRuns_KeepsItsValueOutOfTheSecondLevelToo()
    {
        var gate = new Gate<string>();
        var call = _here.Cache.GetOrCreateAsync("k", gate.Run).AsTask();
        await gate.Started;
        await _here.Cache.RemoveAsync("k", HybridFixture.Token);
        gate.Open("older");
        await call;
        Assert.Equal("newer", await _here.Get("k", "newer"));
        await HybridFixture.Until(() => _far.Keys.Count == 1);
        Assert.Equal("newer", await _there.GetPresent<string>("k"));
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task Remove_WhileACallsValueIsWrittenThere_RemovesItToo(bool hasLaterCall)
    {
        var held = _far.HoldNextChange();
        Assert.Equal("v", await _here.Get("k", "v", _farOnly));
        await HybridFixture.Until(() => _far.ChangesBegun == 1);
        if (hasLaterCall)
        {
            Assert.Equal("w", await _here.Get("k", "w", _farOnly));
            await HybridFixture.Until(() => _far.ChangesDone == 1);
        }

        await _here.Cache.RemoveAsync("k", HybridFixture.Token);
        held.SetResult();
        await HybridFixture.Until(() => _here.Cache.IsIdle);
        Assert.Empty(_far.Keys);
    }

    [Fact]
    public async Task LaterCall_WhileAnEarlierOnesValueIsWrittenThere_LeavesIt()
    {
        var held = _far.HoldNextChange();
        await _here.Get("k", "v", _farOnly);
        await HybridFixture.Until(() => _far.ChangesBegun == 1);
        var gate = new Gate<string>();
        var later = _here.Cache.GetOrCreateAsync("k", gate.Run, _farOnly).AsTask();
        await gate.Started;
        held.SetResult();
        await HybridFixture.Until(() => _far.Keys.Count == 1);
        Assert.Equal("v", await _there.GetPresent<string>("k"));
        gate.Open("w");
        await later;
        await HybridFixture.Until(() => _here.Cache.IsIdle);
        Assert.Single(_far.Keys);
    }

    [Fact]
    public async Task LaterCallThatAsksTheFactory_WhileAnEarlierOnesValueIsWrittenThere_IsTheLastThere()
    {
        var options = new HybridCacheEntryOptions
        {
            Flags = HybridCacheEntryFlags.DisableLocalCacheRead | HybridCacheEntryFlags.DisableDistributedCacheRead,
        };
        var held = _far.HoldNextChange();
        Assert.Equal("old", await _here.Get("k", "old", options));
        await HybridFixture.Until(() => _far.ChangesBegun == 1);
        Assert.Equal("new", await _here.Get("k", "new", options));
        await HybridFixture.Until(() => _far.ChangesDone == 1);

        held.SetResult();

        await HybridFixture.Until(() => _here.Cache.IsIdle);
        Assert.Equal("new", await _there.GetPresent<string>("k"));
    }

    [Fact]
    public async Task RemoveByTag_AfterAValueOfAProcessWhoseClockIsAhead_VoidsIt()
    {
        _there.Time.Advance(5_000);
        await _there.Get("k", "old", tags: ["t"]);
        await HybridFixture.Until(() => _far.Keys.Count == 1);
        Assert.Equal("old", await _here.Get("k", "made here", tags: ["t"]));

        await _here.Cache.RemoveByTagAsync("t", HybridFixture.Token);

        Assert.Equal("new", await _here.Get("k", "new", tags: ["t"]));
        using var third = new HybridFixture(o => o.SecondLevel = _far);
        Assert.NotEqual("old", await third.Get("k", "newer", tags: ["t"]));
    }

    [Fact]
    public async Task Remove_WhileACallReadsWhatIsStillThere_RemovesWhatThatKept()
    {
        await _here.Cache.SetAsync("k", "old", cancellationToken: HybridFixture.Token);
        var held = _far.HoldNextChange();
        var removal = _here.Cache.RemoveAsync("k", HybridFixture.Token).AsTask();
        Assert.Equal("old", await _here.GetPresent<string>("k"));
        held.SetResult();
        await removal;
        Assert.Equal("new", await _here.Get("k", "new"));
    }

    [Fact]
    public async Task SetThatIsNotKeptHere_WhileACallReadsTheOlderValue_RemovesWhatThatKept()
    {
        await _here.Cache.SetAsync("k", "old", cancellationToken: HybridFixture.Token);
        var held = _far.HoldNextChange();
        var setting = _here.Cache.SetAsync("k", "new", _farOnly, cancellationToken: HybridFixture.Token).AsTask();
        Assert.Equal("old", await _here.GetPresent<string>("k"));
        held.SetResult();
        await setting;
        Assert.Equal("new", await _here.GetPresent<string>("k"));
    }

    public void Dispose()
    {
        _here.Dispose();
        _there.Dispose();
    }
}
