using Cache.Core.Hybrid;

namespace Cache.Core.Tests.Hybrid;

/// <summary>Factories that run while their store ends, or while their key goes by another door.</summary>
public sealed class FlightOwnershipTests
{
    private static readonly Dictionary<string, Action<CacheStore>> _removals = new()
    {
        ["Remove"] = static store => store.Remove("k"u8),
        ["TryRemove"] = static store => TryRemove(store),
        ["Set in the past"] = static store => store.Set("k"u8, "v"u8, new EntryOptions { ExpiresAtMs = 1 }),
        ["Expire in the past"] = static store => Expire(store),
        ["Rename"] = static store => Rename(store),
        ["Clear"] = static store => store.Clear(),
        ["ClearAll"] = static store => store.ClearAll(),
    };

    public static TheoryData<string> Removals => [.. _removals.Keys];

    [Theory]
    [MemberData(nameof(Removals))]
    public async Task RemovalByTheStore_WhileAFactoryRuns_KeepsItsValueOut(string removal)
    {
        using var fixture = new HybridFixture();
        var gate = new Gate<string>();
        var call = fixture.Cache.GetOrCreateAsync("k", gate.Run).AsTask();
        _removals[removal](fixture.Store);

        var next = fixture.Get("k", "newer").AsTask();
        gate.Open("older");

        Assert.Equal("older", await call);
        Assert.Equal("newer", await next);
        Assert.Equal("newer", await fixture.GetPresent<string>("k"));
    }

    [Fact]
    public async Task RemovalByAnotherHybridCache_WhileAFactoryRuns_KeepsItsValueOut()
    {
        using var fixture = new HybridFixture();
        var other = new StoreHybridCache(fixture.Store.SelectKeyspace(0), new());
        var gate = new Gate<string>();
        var call = fixture.Cache.GetOrCreateAsync("k", gate.Run).AsTask();

        await other.RemoveAsync("k", HybridFixture.Token);
        gate.Open("older");

        Assert.Equal("older", await call);
        Assert.Equal("newer", await fixture.Get("k", "newer"));
    }

    [Fact]
    public async Task RemovalInAnotherKeyspace_WhileAFactoryRuns_IsNone()
    {
        using var fixture = new HybridFixture();
        var gate = new Gate<string>();
        var call = fixture.Cache.GetOrCreateAsync("k", gate.Run).AsTask();

        fixture.Store.SelectKeyspace(1).Remove("k"u8);
        fixture.Store.SelectKeyspace(1).Clear();
        fixture.Store.Remove("l"u8);
        gate.Open("value");

        Assert.Equal("value", await call);
        Assert.Equal("value", await fixture.GetPresent<string>("k"));
    }

    [Fact]
    public async Task StoreDisposed_WhileAFactoryRuns_ItsCallersGetTheValue()
    {
        var fixture = new HybridFixture();
        var gate = new Gate<string>();
        var call = fixture.Cache.GetOrCreateAsync("k", gate.Run).AsTask();
        var joiner = fixture.Cache.GetOrCreateAsync("k", gate.Run).AsTask();

        fixture.Store.Dispose();
        gate.Open("value");

        Assert.Equal("value", await call);
        Assert.Equal("value", await joiner);
        Assert.Empty(fixture.Failures);
    }

    [Fact]
    public async Task StoreDisposed_WhileARenewalRuns_EndsItInSilence()
    {
        var fixture = new HybridFixture(o => o.EagerRefreshThreshold = 0.5);
        await fixture.Get("k", "v", HybridFixture.Minute);
        fixture.Time.Advance(40_000);
        var gate = new Gate<string>();
        Assert.Equal("v", await fixture.Cache.GetOrCreateAsync("k", gate.Run, HybridFixture.Minute));
        await gate.Started;
        var left = fixture.Cache.GetOrCreateAsync("k", gate.Run, HybridFixture.Minute);
        Assert.Equal("v", await left);

        fixture.Store.Dispose();
        gate.Open("w");

        await HybridFixture.Until(() => fixture.Cache.FlightCount == 0);
        Assert.Empty(fixture.Failures);
    }

    [Fact]
    public async Task EveryMember_AfterTheStoresDisposal_Throws()
    {
        var fixture = new HybridFixture();
        await fixture.Get("k", "v");
        fixture.Store.Dispose();

        await Assert.ThrowsAsync<ObjectDisposedException>(async () => await fixture.Get("k", "w"));
        await Assert.ThrowsAsync<ObjectDisposedException>(async () => await fixture.Get("absent", 1));
        await Assert.ThrowsAsync<ObjectDisposedException>(async () => await fixture.Get("absent", Order.Example()));
        await Assert.ThrowsAsync<ObjectDisposedException>(async () => await fixture.Get("", "w"));
        foreach (string key in (string[])["k", "absent", ""])
        {
            await Assert.ThrowsAsync<ObjectDisposedException>(
                async () => await fixture.Cache.SetAsync(key, "w", cancellationToken: HybridFixture.Token));
            await Assert.ThrowsAsync<ObjectDisposedException>(
                async () => await fixture.Cache.RemoveAsync(key, HybridFixture.Token));
        }

        await Assert.ThrowsAsync<ObjectDisposedException>(
            async () => await fixture.Cache.RemoveByTagAsync("t", HybridFixture.Token));
        Assert.Equal(1, fixture.Statistics.FactoryCalls);
    }

    private static void TryRemove(CacheStore store)
    {
        var sink = default(ArraySink);
        Assert.False(store.TryRemove("k"u8, ref sink));
    }

    private static void Expire(CacheStore store)
    {
        store.Set("k"u8, "other"u8);
        Assert.Equal(WriteStatus.Done, store.Expire("k"u8, 1, ExpireConditions.None));
    }

    private static void Rename(CacheStore store)
    {
        store.Set("k"u8, "other"u8);
        Assert.Equal(WriteStatus.Done, store.Rename("k"u8, "l"u8, SetCondition.Always));
    }
}
