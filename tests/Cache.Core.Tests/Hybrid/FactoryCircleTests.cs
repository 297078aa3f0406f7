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

    [Fact]
    public async Task FactoriesOfThreeKeysThatAskInACircle_Throw() =>
        await Assert.ThrowsAsync<InvalidOperationException>(async () =>
            await Cache.GetOrCreateAsync("x", async _ =>
                await Cache.GetOrCreateAsync("y", async _ =>
                    await Cache.GetOrCreateAsync("z", async _ =>
                        await _fixture.Get("x", "inner")))));

    // Nor does one wait for another because it did before.
    [Fact]
    public async Task FactoryThatGaveUpWaiting_MayBeWaitedFor()
    {
        var gaveUp = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
        var both = new Gate<string>();
        var second = Cache.GetOrCreateAsync("second", async _ =>
        {
            await gaveUp.Task;
            var first = Cache.GetOrCreateAsync<string>("first", _ => throw new NotSupportedException()).AsTask();
            both.Open("value");
            return await first;
        }).AsTask();
        var first = Cache.GetOrCreateAsync("first", async token =>
        {
            using var leaving = new CancellationTokenSource();
            var waiting = Cache.GetOrCreateAsync<string>(
                "second", _ => throw new NotSupportedException(), cancellationToken: leaving.Token).AsTask();
            await leaving.CancelAsync();
            await Assert.ThrowsAnyAsync<OperationCanceledException>(() => waiting);
            gaveUp.SetResult();
            return await both.Run(token);
        }).AsTask();

        Assert.Equal("value", await first);
        Assert.Equal("value", await second);
    }

    // Each factory asks for the two before it, as a sum of Fibonacci's: there are more ways down than can be walked.
    [Fact]
    public async Task FactoriesThatShareWhatTheyAskFor_EndInTimeForEachOfThem()
    {
        var bottom = new Gate<string>();
        async ValueTask<string> Make(int number, CancellationToken token)
        {
            if (number == 0)
                return await bottom.Run(token);
            var one = Ask(number - 1);
            var other = Ask(Math.Max(0, number - 2));
            return (await one)[..1] + (await other)[..1];
        }

        Task<string> Ask(int number) => Cache.GetOrCreateAsync($"{number}", token => Make(number, token)).AsTask();

        var asked = Task.Run(
            () =>
            {
                Task<string>[] calls = [.. Enumerable.Range(0, 100).Select(Ask)];
                bottom.Open("v");
                return Task.WhenAll(calls);
            },
            TestContext.Current.CancellationToken);

        string[] values = await asked.WaitAsync(TimeSpan.FromSeconds(30), TestContext.Current.CancellationToken);
        Assert.Equal("vv", values[^1]);
    }

    private static ValueTask<string> Ask(StoreHybridCache one, string key, StoreHybridCache other, string otherKey) =>
        one.GetOrCreateAsync(key, async _ =>
        {
            await Task.Yield();
            return await Ask(other, otherKey, one, key);
        });
}
