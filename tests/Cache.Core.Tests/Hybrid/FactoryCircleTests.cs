using Cache.Core.Hybrid;

namespace Cache.Core.Tests.Hybrid;

/// <summary>Factories that ask for what they make themselves.</summary>
public sealed class FactoryCircleTests : IDisposable
{
    private readonly HybridFixture _fixture = new();

    private StoreHybridCache Cache => _fixture.Cache;

    public void Dispose() => _fixture.Dispose();

    [Fact]
    public async Task FactoryThatAsksForItsOwnKey_Throws()
    {
        var thrown = await Assert.ThrowsAsync<InvalidOperationException>(async () =>
            await Cache.GetOrCreateAsync("k", async _ => "outer " + await _fixture.Get("k", "inner")));

        Assert.Contains("'k'", thrown.Message, StringComparison.Ordinal);
        Assert.Equal("v", await _fixture.Get("k", "v"));
    }

    [Fact]
    public async Task FactoriesOfTwoKeysThatAskForEachOther_Throw()
    {
        await Assert.ThrowsAsync<InvalidOperationException>(async () => await Ask(Cache, "x", Cache, "y"));
        await Assert.ThrowsAsync<InvalidOperationException>(
            async () => await Ask(Cache, "x", new StoreHybridCache(_fixture.Store, new()), "x"));
    }

    [Fact]
    public async Task FactoriesThatWereBegunApart_ThrowWhenTheyMeet()
    {
        var bothRun = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
        int running = 0;
        async ValueTask<string> Run(string other)
        {
            if (Interlocked.Increment(ref running) == 2)
                bothRun.SetResult();
            await bothRun.Task;
            return await Cache.GetOrCreateAsync<string>(other, _ => throw new NotSupportedException());
        }

        var one = Cache.GetOrCreateAsync("x", _ => Run("y")).AsTask();
        var other = Cache.GetOrCreateAsync("y", _ => Run("x")).AsTask();

        await Assert.ThrowsAsync<InvalidOperationException>(() => one);
        await Assert.ThrowsAsync<InvalidOperationException>(() => other);
    }

    [Fact]
    public async Task FactoryThatAsksForOtherKeys_GetsThem()
    {
        var gate = new Gate<string>();
        var held = Cache.GetOrCreateAsync("a", gate.Run).AsTask();
        var call = Cache.GetOrCreateAsync("k", async _ =>
        {
            var one = _fixture.Get("a", "other").AsTask();
            var two = _fixture.Get("a", "other").AsTask();
            var three = _fixture.Get("b", "b").AsTask();
            return string.Concat(await Task.WhenAll(one, two, three));
        }).AsTask();
        gate.Open("a");

        Assert.Equal("aab", await call);
        Assert.Equal("a", await held);
    }

    private static ValueTask<string> Ask(StoreHybridCache one, string key, StoreHybridCache other, string otherKey) =>
        one.GetOrCreateAsync(key, async _ =>
        {
            await Task.Yield();
            return await Ask(other, otherKey, one, key);
        });
}
