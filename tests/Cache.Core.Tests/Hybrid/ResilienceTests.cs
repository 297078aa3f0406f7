using Cache.Core.Hybrid;

namespace Cache.Core.Tests.Hybrid;

/// <summary>Fail-safe, factory timeouts and eager refresh.</summary>
public sealed class ResilienceTests
{
    private static readonly InvalidOperationException _failure = new("source");

    [Fact]
    public async Task FailSafe_FactoryFailsAfterExpiration_ServesTheStaleValue()
    {
        using var fixture = WithFailSafe();
        await fixture.Get("k", "v", HybridFixture.Minute);
        fixture.Time.Advance(60_000);
        Assert.Equal("v", await GetFailing(fixture));
        Assert.Equal((1, 1), (fixture.Statistics.StaleHits, fixture.Statistics.FactoryFailures));
        Assert.Same(_failure, Assert.Single(fixture.Failures));
    }

    [Fact]
    public async Task FailSafe_AfterAFailure_AsksTheFactoryAgainWhenTheThrottleIsOver()
    {
        using var fixture = WithFailSafe(o => o.FailSafeThrottleDuration = TimeSpan.FromSeconds(10));
        await fixture.Get("k", "v", HybridFixture.Minute);
        fixture.Time.Advance(60_000);
        await GetFailing(fixture);
        fixture.Time.Advance(9_999);
        Assert.Equal("v", await fixture.GetPresent<string>("k"));
        fixture.Time.Advance(1);
        Assert.Equal("w", await fixture.Get("k", "w", HybridFixture.Minute));
        Assert.Equal("w", await fixture.GetPresent<string>("k"));
    }

    [Fact]
    public async Task FailSafe_IsBounded()
    {
        using var fixture = WithFailSafe(o => o.FailSafeThrottleDuration = TimeSpan.FromHours(2));
        await fixture.Get("k", "v", HybridFixture.Minute);
        fixture.Time.Advance(60_000);
        await GetFailing(fixture);
        fixture.Time.Advance(TimeSpan.FromHours(1) - TimeSpan.FromMilliseconds(1));
        Assert.Equal("v", await fixture.GetPresent<string>("k"));
        fixture.Time.Advance(1);
        await Assert.ThrowsAsync<InvalidOperationException>(() => GetFailing(fixture));
    }

    [Fact]
    public async Task FailSafe_FactoryWorks_ReplacesTheStaleValue()
    {
        using var fixture = WithFailSafe();
        await fixture.Get("k", "v", HybridFixture.Minute);
        fixture.Time.Advance(60_000);
        Assert.Equal("w", await fixture.Get("k", "w", HybridFixture.Minute));
        Assert.Equal(0, fixture.Statistics.StaleHits);
    }

    [Fact]
    public async Task FailSafe_Off_ThrowsAfterExpiration()
    {
        using var fixture = new HybridFixture();
        await fixture.Get("k", "v", HybridFixture.Minute);
        fixture.Time.Advance(60_000);
        await Assert.ThrowsAsync<InvalidOperationException>(() => GetFailing(fixture));
        Assert.Equal(0, fixture.Store.Count);
    }

    [Theory]
    [InlineData("remove")]
    [InlineData("tag")]
    [InlineData("everything")]
    [InlineData("another door")]
    public async Task FailSafe_NeverServesWhatWasRemoved(string how)
    {
        using var fixture = WithFailSafe();
        await fixture.Get("k", "v", HybridFixture.Minute, ["t"]);
        switch (how)
        {
            case "remove":
                await fixture.Cache.RemoveAsync("k", HybridFixture.Token);
                break;
            case "another door":
                fixture.Store.Remove("k"u8);
                break;
            default:
                await fixture.Cache.RemoveByTagAsync(how == "tag" ? "t" : "*", HybridFixture.Token);
                break;
        }

        await Assert.ThrowsAsync<InvalidOperationException>(() => GetFailing(fixture));
    }

    [Fact]
    public async Task FailSafe_RemovedByAnotherDoorWhileTheFactoryRuns_IsNotRevived()
    {
        using var fixture = WithFailSafe();
        await fixture.Get("k", "v", HybridFixture.Minute);
        fixture.Time.Advance(60_000);
        var gate = new Gate<string>();
        var call = fixture.Cache.GetOrCreateAsync("k", gate.Run).AsTask();
        fixture.Store.Remove("k"u8);
        gate.Fail(_failure);
        Assert.Equal("v", await call);
        Assert.Equal(0, fixture.Store.Count);
    }

    [Fact]
    public async Task FailSafe_CallThatJoinsARenewalWhichFails_GetsTheStaleValue()
    {
        using var fixture = WithFailSafe(o => o.EagerRefreshThreshold = 0.5);
        await fixture.Get("k", "v", HybridFixture.Minute);
        fixture.Time.Advance(30_000);
        var gate = new Gate<string>();
        await fixture.Cache.GetOrCreateAsync("k", gate.Run, HybridFixture.Minute);
        await gate.Started;
        fixture.Time.Advance(30_000);
        var joined = fixture.Cache.GetOrCreateAsync("k", gate.Run, HybridFixture.Minute).AsTask();
        gate.Fail(_failure);
        Assert.Equal("v", await joined);
        Assert.Equal((1, 1), (fixture.Statistics.Joins, fixture.Statistics.StaleHits));
    }

    [Fact]
    public async Task FailSafe_ExpiryTakenAwayByAnotherDoor_TheStaleValueIsFreshForTheThrottleAlone()
    {
        using var fixture = WithFailSafe();
        await fixture.Get("k", "v", HybridFixture.Minute);
        fixture.Store.Persist("k"u8);
        fixture.Time.Advance(60_000);
        Assert.Equal("v", await GetFailing(fixture));
        Assert.Equal("v", await fixture.GetPresent<string>("k"));
        fixture.Time.Advance(30_000);
        Assert.Equal("w", await fixture.Get("k", "w", HybridFixture.Minute));
    }

    [Fact]
    public async Task SoftTimeout_StaleValue_IsServedAndTheFactoryGoesOn()
    {
        using var fixture = WithFailSafe(o => o.FactorySoftTimeout = TimeSpan.FromSeconds(1));
        await fixture.Get("k", "v", HybridFixture.Minute);
        fixture.Time.Advance(60_000);
        var gate = new Gate<string>();
        var call = fixture.Cache.GetOrCreateAsync("k", gate.Run).AsTask();
        await gate.Started;
        await AdvanceUntilDone(fixture, call);
        Assert.Equal("v", await call);
        Assert.False(gate.Token.IsCancellationRequested);
        gate.Open("w");
        await HybridFixture.Until(() => fixture.Store.GetArray("k"u8)![0] == 'w');
        Assert.Equal("w", await fixture.GetPresent<string>("k"));
        Assert.Equal((1, 1), (fixture.Statistics.FactoryTimeouts, fixture.Statistics.StaleHits));
    }

    [Fact]
    public async Task HardTimeout_NothingToServe_ThrowsAndTheFactoryGoesOn()
    {
        using var fixture = new HybridFixture(o => o.FactoryHardTimeout = TimeSpan.FromSeconds(2));
        var gate = new Gate<string>();
        var call = fixture.Cache.GetOrCreateAsync("k", gate.Run).AsTask();
        await gate.Started;
        await AdvanceUntilDone(fixture, call);
        var thrown = await Assert.ThrowsAsync<TimeoutException>(() => call);
        Assert.Contains("longer than 00:00:02", thrown.Message, StringComparison.Ordinal);
        gate.Open("w");
        await HybridFixture.Until(() => fixture.Store.Count == 1);
        Assert.Equal("w", await fixture.GetPresent<string>("k"));
    }

    [Fact]
    public async Task HardTimeout_FactoryFailsLater_IsReported()
    {
        using var fixture = new HybridFixture(o => o.FactoryHardTimeout = TimeSpan.FromSeconds(2));
        var gate = new Gate<string>();
        var call = fixture.Cache.GetOrCreateAsync("k", gate.Run).AsTask();
        await gate.Started;
        await AdvanceUntilDone(fixture, call);
        await Assert.ThrowsAsync<TimeoutException>(() => call);
        gate.Fail(_failure);
        await HybridFixture.Until(() => fixture.FailureCount == 1);
    }

    [Fact]
    public async Task HardTimeout_FactoryThrowsTimeoutItself_ReachesTheCaller()
    {
        using var fixture = new HybridFixture(o => o.FactoryHardTimeout = TimeSpan.FromSeconds(2));
        var own = new TimeoutException("own");
        var thrown = await Assert.ThrowsAsync<TimeoutException>(
            async () => await fixture.Cache.GetOrCreateAsync<string>("k", _ => throw own));
        Assert.Same(own, thrown);
        Assert.Equal(0, fixture.Statistics.FactoryTimeouts);
    }

    [Fact]
    public async Task EagerRefresh_BeyondTheThreshold_RenewsInTheBackground()
    {
        using var fixture = new HybridFixture(o => o.EagerRefreshThreshold = 0.8);
        await fixture.Get("k", "v", HybridFixture.Minute);
        await fixture.Get("k", "too early", HybridFixture.Minute);
        fixture.Time.Advance(47_999);
        Assert.Equal("v", await fixture.Get("k", "too early", HybridFixture.Minute));
        fixture.Time.Advance(1);
        var gate = new Gate<string>();
        Assert.Equal("v", await fixture.Cache.GetOrCreateAsync("k", gate.Run, HybridFixture.Minute));
        Assert.Equal("v", await fixture.Cache.GetOrCreateAsync("k", gate.Run, HybridFixture.Minute));
        await gate.Started.WaitAsync(TimeSpan.FromSeconds(20));
        gate.Open("w");
        await HybridFixture.Until(() => fixture.Store.GetArray("k"u8)![0] == 'w');
        fixture.Time.Advance(40_000);
        Assert.Equal("w", await fixture.Get("k", "too early", HybridFixture.Minute));
        Assert.Equal((1, 1), (gate.Calls, fixture.Statistics.EagerRefreshes));
    }

    [Fact]
    public async Task EagerRefresh_FactoryFails_LeavesTheValueAndIsReported()
    {
        using var fixture = new HybridFixture(
            o => (o.EagerRefreshThreshold, o.FailSafeThrottleDuration) = (0.5, TimeSpan.FromSeconds(10)));
        await fixture.Get("k", "v", HybridFixture.Minute);
        fixture.Time.Advance(30_000);
        Assert.Equal("v", await GetFailing(fixture));
        await HybridFixture.Until(() => fixture.FailureCount == 1);
        fixture.Time.Advance(29_999);
        Assert.Equal("v", await GetFailing(fixture));
        await HybridFixture.Until(() => fixture.FailureCount == 2);
        fixture.Time.Advance(1);
        await Assert.ThrowsAsync<InvalidOperationException>(() => GetFailing(fixture));
    }

    [Fact]
    public async Task EagerRefresh_FactoryFails_IsNotTriedAgainBeforeTheThrottleIsOver()
    {
        using var fixture = new HybridFixture(
            o => (o.EagerRefreshThreshold, o.FailSafeThrottleDuration) = (0.5, TimeSpan.FromSeconds(10)));
        await fixture.Get("k", "v", HybridFixture.Minute);
        fixture.Time.Advance(30_000);
        for (int second = 0; second < 20; second++)
        {
            for (int i = 0; i < 10; i++)
            {
                Assert.Equal("v", await GetFailing(fixture));
                await HybridFixture.Until(() => fixture.Cache.FlightCount == 0);
            }

            fixture.Time.Advance(1_000);
        }

        Assert.Equal(2, fixture.Statistics.FactoryFailures);
    }

    [Fact]
    public async Task EagerRefresh_RemovedMeanwhile_IsNotRevived()
    {
        using var fixture = new HybridFixture(o => o.EagerRefreshThreshold = 0.5);
        await fixture.Get("k", "v", HybridFixture.Minute);
        fixture.Time.Advance(30_000);
        var gate = new Gate<string>();
        await fixture.Cache.GetOrCreateAsync("k", gate.Run, HybridFixture.Minute);
        await gate.Started;
        fixture.Store.Remove("k"u8);
        gate.Open("w");
        await HybridFixture.Until(() => fixture.Cache.FlightCount == 0);
        Assert.Equal(0, fixture.Store.Count);
    }

    private static HybridFixture WithFailSafe(Action<HybridStoreOptions>? configure = null) => new(options =>
    {
        options.FailSafeMaximumDuration = TimeSpan.FromHours(1);
        configure?.Invoke(options);
    });

    private static Task<string> GetFailing(HybridFixture fixture) => fixture.Cache
        .GetOrCreateAsync<string>("k", static _ => throw _failure, HybridFixture.Minute).AsTask();

    // A call begins to wait at a moment of its own, so time goes on until it has waited enough.
    private static async Task AdvanceUntilDone(HybridFixture fixture, Task call)
    {
        for (int i = 0; i < 10_000 && !call.IsCompleted; i++)
        {
            fixture.Time.Advance(1);
            await Task.Yield();
        }
    }
}
