using Cache.Core;
using Cache.Core.Hybrid;
using Cache.Near.Hybrid;
using Microsoft.Extensions.Caching.Hybrid;

namespace Cache.Near.Tests;

/// <summary>A process with a hybrid cache, whose second level is the fake server.</summary>
internal sealed class CoherentHybrid : IAsyncDisposable
{
    private static readonly TimeSpan _patience = TimeSpan.FromSeconds(30);

    private readonly HybridCoherer _coherer;
    private int _made;

    private CoherentHybrid(
        FakeRedis redis, FakeClock clock, Action<HybridCoherenceOptions>? configure, TimeSpan? failSafe)
    {
        var options = new HybridCoherenceOptions
        {
            KeyPrefix = "a:",
            StalenessBound = TimeSpan.FromMilliseconds(300),
            MaximumAge = TimeSpan.FromHours(1),
        };
        options.Servers.EndPoints.Add(redis.EndPoint);
        options.Servers.ReplyTimeout = options.Servers.ConnectTimeout = _patience;
        configure?.Invoke(options);
        Level = new FakeSecondLevel(redis, "a:");
        _coherer = new HybridCoherer(options, clock.Clock);
        Store = new CacheStore(new CacheOptions { MemoryLimitBytes = 4 << 20 });
        Cache = new StoreHybridCache(
            Store,
            new HybridStoreOptions
            {
                SecondLevel = Level,
                Coherence = _coherer,
                DefaultEntryOptions = new() { Expiration = TimeSpan.FromHours(1) },
                FailSafeMaximumDuration = failSafe,
            });
    }

    public CacheStore Store { get; }

    public StoreHybridCache Cache { get; }

    public FakeSecondLevel Level { get; }

    public HybridCoherenceStatus Status => _coherer.Status;

    /// <summary>The calls of the factory.</summary>
    public int Made => Volatile.Read(ref _made);

    private static CancellationToken Cancellation => TestContext.Current.CancellationToken;

    public static async Task<CoherentHybrid> StartAsync(
        FakeRedis redis,
        FakeClock? clock = null,
        Action<HybridCoherenceOptions>? configure = null,
        Action<CoherentHybrid>? before = null,
        TimeSpan? failSafe = null)
    {
        // A clock that stands still unless a test moves it: a loaded machine is no reason to bypass.
        var hybrid = new CoherentHybrid(redis, clock ?? new FakeClock(), configure, failSafe);
        before?.Invoke(hybrid);
        try
        {
            await hybrid._coherer.StartAsync(Cancellation);
            return hybrid;
        }
        catch
        {
            await hybrid.DisposeAsync();
            throw;
        }
    }

    public static async Task UntilAsync(Func<bool> condition)
    {
        using var limit = CancellationTokenSource.CreateLinkedTokenSource(Cancellation);
        limit.CancelAfter(_patience);
        while (!condition())
            await Task.Delay(5, limit.Token);
    }

    /// <summary>A value, which the factory calls "made 1", "made 2" and so on.</summary>
    public ValueTask<string> GetAsync(string key, string[]? tags = null) => Cache.GetOrCreateAsync(
        key,
        _ => ValueTask.FromResult($"made {Interlocked.Increment(ref _made)}"),
        tags: tags,
        cancellationToken: Cancellation);

    /// <summary>What is here, or in the second level.</summary>
    public ValueTask<string?> FindAsync(string key) => Cache.GetOrCreateAsync<string?>(
        key,
        static _ => ValueTask.FromResult<string?>(null),
        new() { Flags = HybridCacheEntryFlags.DisableUnderlyingData },
        cancellationToken: Cancellation);

    /// <summary>Waits until nothing is under way: values go to the second level behind their callers.</summary>
    public Task UntilIdleAsync() => UntilAsync(() => Cache.IsIdle);

    public async ValueTask DisposeAsync()
    {
        Level.Release();
        await _coherer.DisposeAsync();
        Store.Dispose();
    }
}
