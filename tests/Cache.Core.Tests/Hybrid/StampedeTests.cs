using Cache.Core.Hybrid;

namespace Cache.Core.Tests.Hybrid;

/// <summary>Many calls for one key: one factory, whatever its callers do.</summary>
public sealed class StampedeTests : IDisposable
{
    private readonly HybridFixture _fixture = new();

    [Fact]
    public async Task ThousandConcurrentMisses_RunOneFactory()
    {
        const int callers = 1_000;
        var gate = new Gate<string>();
        var calls = new Task<string>[callers];
        for (int i = 0; i < callers; i++)
            calls[i] = Task.Run(() => _fixture.Cache.GetOrCreateAsync("k", gate.Run).AsTask(), HybridFixture.Token);
        await HybridFixture.Until(() => _fixture.Statistics.Joins == callers - 1);
        gate.Open("v");
        Assert.All(await Task.WhenAll(calls), value => Assert.Equal("v", value));
        Assert.Equal(1, gate.Calls);
        Assert.Equal(1, _fixture.Statistics.FactoryCalls);
    }

    [Fact]
    public async Task CallersThatComeWhenItEnds_FindTheValue()
    {
        // The factory does not wait, so that each call races with the end of the one before.
        for (int round = 0; round < 200; round++)
        {
            int runs = 0;
            string key = $"k{round}";
            await Task.WhenAll(Enumerable.Range(0, 16).Select(_ => Task.Run(
                () => _fixture.Cache.GetOrCreateAsync(
                    key, _ => ValueTask.FromResult(Interlocked.Increment(ref runs))).AsTask(),
                HybridFixture.Token)));
            Assert.Equal(1, runs);
        }
    }

    [Fact]
    public async Task MutableValue_IsAnObjectOfItsOwnForEachCaller()
    {
        var gate = new Gate<Order>();
        var first = _fixture.Cache.GetOrCreateAsync("k", gate.Run).AsTask();
        var second = _fixture.Cache.GetOrCreateAsync("k", gate.Run).AsTask();
        var third = _fixture.Cache.GetOrCreateAsync("k", gate.Run).AsTask();
        var made = Order.Example();
        gate.Open(made);
        Assert.Same(made, await first);
        Assert.Equivalent(made, await second, strict: true);
        Assert.NotSame(made, await second);
        Assert.NotSame(await second, await third);
    }

    [Fact]
    public async Task ImmutableValue_IsSharedByTheCallers()
    {
        var gate = new Gate<Price>();
        var first = _fixture.Cache.GetOrCreateAsync("k", gate.Run).AsTask();
        var second = _fixture.Cache.GetOrCreateAsync("k", gate.Run).AsTask();
        gate.Open(new Price("EUR", 1));
        Assert.Same(await first, await second);
    }

    [Theory]
    [InlineData(0)]
    [InlineData(1)]
    [InlineData(2)]
    public async Task OneCallerThatLeaves_DisturbsNoOther(int leaver)
    {
        var gate = new Gate<string>();
        using var leaving = new CancellationTokenSource();
        var calls = new Task<string>[3];
        for (int i = 0; i < calls.Length; i++)
        {
            var token = i == leaver ? leaving.Token : CancellationToken.None;
            calls[i] = _fixture.Cache.GetOrCreateAsync("k", gate.Run, cancellationToken: token).AsTask();
        }

        await gate.Started;
        await leaving.CancelAsync();
        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => calls[leaver]);
        Assert.False(gate.Token.IsCancellationRequested);
        gate.Open("v");
        for (int i = 0; i < calls.Length; i++)
        {
            if (i != leaver)
                Assert.Equal("v", await calls[i]);
        }

        Assert.Equal(1, gate.Calls);
        Assert.Equal("v", await _fixture.GetPresent<string>("k"));
    }

    [Fact]
    public async Task AllCallersLeave_CancelsTheFactoryAndTheNextCallBeginsAnew()
    {
        var gate = new Gate<string>();
        using var leaving = new CancellationTokenSource();
        var calls = new Task<string>[3];
        for (int i = 0; i < calls.Length; i++)
            calls[i] = _fixture.Cache.GetOrCreateAsync("k", gate.Run, cancellationToken: leaving.Token).AsTask();
        await gate.Started;
        await leaving.CancelAsync();
        foreach (var call in calls)
            await Assert.ThrowsAnyAsync<OperationCanceledException>(() => call);
        await HybridFixture.Until(() => gate.Token.IsCancellationRequested);
        Assert.Equal("w", await _fixture.Get("k", "w"));
        Assert.Equal(0, _fixture.Statistics.FactoryFailures);
    }

    [Fact]
    public async Task Remove_WhileAFactoryIgnoresThatAllHaveLeft_ItsValueIsNotKept()
    {
        var source = new TaskCompletionSource<string>(); // Its result is processed before SetResult returns.
        using var leaving = new CancellationTokenSource();
        var call = _fixture.Cache.GetOrCreateAsync(
            "k", _ => new ValueTask<string>(source.Task), cancellationToken: leaving.Token).AsTask();
        await HybridFixture.Until(() => _fixture.Statistics.FactoryCalls == 1);
        await leaving.CancelAsync();
        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => call);
        Assert.Equal("w", await _fixture.Get("k", "w"));
        await _fixture.Cache.RemoveAsync("k", HybridFixture.Token);
        await Task.Run(() => source.SetResult("older"), HybridFixture.Token);
        Assert.Equal(0, _fixture.Store.Count);
    }

    [Fact]
    public async Task FactoryThatThrows_ThrowsToEachCallerAndIsForgotten()
    {
        var gate = new Gate<string>();
        var first = _fixture.Cache.GetOrCreateAsync("k", gate.Run).AsTask();
        var second = _fixture.Cache.GetOrCreateAsync("k", gate.Run).AsTask();
        gate.Fail(new InvalidOperationException("source"));
        await Assert.ThrowsAsync<InvalidOperationException>(() => first);
        await Assert.ThrowsAsync<InvalidOperationException>(() => second);
        Assert.Equal("v", await _fixture.Get("k", "v"));
    }

    [Fact]
    public async Task KeysThatDiffer_DoNotWaitForEachOther()
    {
        var gate = new Gate<string>();
        var held = _fixture.Cache.GetOrCreateAsync("k", gate.Run).AsTask();
        Assert.Equal("w", await _fixture.Get("l", "w"));
        gate.Open("v");
        Assert.Equal("v", await held);
    }

    [Fact]
    public async Task SetWhileAFactoryRuns_StaysWhatItIs()
    {
        var gate = new Gate<string>();
        var call = _fixture.Cache.GetOrCreateAsync("k", gate.Run).AsTask();
        await _fixture.Cache.SetAsync("k", "newer", cancellationToken: HybridFixture.Token);
        gate.Open("older");
        Assert.Equal("older", await call);
        Assert.Equal("newer", await _fixture.GetPresent<string>("k"));
    }

    [Fact]
    public async Task WriteByAnotherDoorWhileAFactoryRuns_StaysWhatItIs()
    {
        var gate = new Gate<string>();
        var call = _fixture.Cache.GetOrCreateAsync("k", gate.Run).AsTask();
        _fixture.Store.Set("k"u8, "newer"u8);
        gate.Open("older");
        Assert.Equal("older", await call);
        Assert.Equal("newer", await _fixture.GetPresent<string>("k"));
    }

    [Fact]
    public async Task RemoveWhileAFactoryRuns_KeepsItsValueOut()
    {
        var gate = new Gate<string>();
        var call = _fixture.Cache.GetOrCreateAsync("k", gate.Run).AsTask();
        await _fixture.Cache.RemoveAsync("k", HybridFixture.Token);
        var next = _fixture.Get("k", "newer").AsTask();
        gate.Open("older");
        Assert.Equal("older", await call);
        Assert.Equal("newer", await next);
        Assert.Equal("newer", await _fixture.GetPresent<string>("k"));
    }

    [Fact]
    public async Task ManyWritesOfOtherKeysWhileAFactoryRuns_DoNotKeepItsValueOut()
    {
        var gate = new Gate<string>();
        var call = _fixture.Cache.GetOrCreateAsync("k", gate.Run).AsTask();
        for (int i = 0; i < 20_000; i++)
            _fixture.Store.Set(BitConverter.GetBytes(i), "other"u8);
        gate.Open("v");
        await call;
        Assert.Equal("v", await _fixture.GetPresent<string>("k"));
    }

    [Fact]
    public async Task CallOfAnotherType_RunsAFactoryOfItsOwn()
    {
        var gate = new Gate<string>();
        var text = _fixture.Cache.GetOrCreateAsync("k", gate.Run).AsTask();
        Assert.Equal(1, await _fixture.Get("k", 1));
        gate.Open("v");
        Assert.Equal("v", await text);
        Assert.Equal(1, await _fixture.GetPresent<int>("k"));
    }

    [Fact]
    public async Task TwoCachesOnOneStore_SeeEachOthersValues()
    {
        var other = new StoreHybridCache(_fixture.Store, new());
        await _fixture.Get("k", "v", tags: ["t"]);
        Assert.Equal("v", await other.GetOrCreateAsync("k", _ => ValueTask.FromResult("w")));
        await other.RemoveByTagAsync("t", HybridFixture.Token);
        Assert.Equal("x", await _fixture.Get("k", "x"));
    }

    public void Dispose() => _fixture.Dispose();
}
