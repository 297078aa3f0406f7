using System.Runtime.CompilerServices;
using Cache.Core.Hybrid;
using Cache.Testing;
using Microsoft.Extensions.Caching.Hybrid;

namespace Cache.Core.Tests.Hybrid;

/// <summary>A hybrid cache on a store with a clock that a test moves.</summary>
internal sealed class HybridFixture : IDisposable
{
    // What takes so long on the slowest machine does not happen.
    private static readonly TimeSpan _patience = TimeSpan.FromSeconds(20);

    public static readonly HybridCacheEntryOptions Minute = new() { Expiration = TimeSpan.FromMinutes(1) };

    public HybridFixture(Action<HybridStoreOptions>? configure = null, Action<CacheOptions>? configureStore = null)
    {
        var storeOptions = new CacheOptions { MemoryLimitBytes = 16 << 20 };
        configureStore?.Invoke(storeOptions);
        Store = new CacheStore(storeOptions, Time);
        Options.OnFailure = failure =>
        {
            lock (Failures)
                Failures.Add(failure);
        };
        configure?.Invoke(Options);
        Cache = new StoreHybridCache(Store, Options);
    }

    public FakeTimeProvider Time { get; } = new();

    public HybridStoreOptions Options { get; } = new();

    public CacheStore Store { get; }

    public StoreHybridCache Cache { get; }

    /// <summary>What was reported to nobody in particular; guarded by itself.</summary>
    public List<Exception> Failures { get; } = [];

    public int FailureCount
    {
        get
        {
            lock (Failures)
                return Failures.Count;
        }
    }

    public static CancellationToken Token => TestContext.Current.CancellationToken;

    public HybridStatistics Statistics => Cache.GetStatistics();

    /// <summary>Asks for a value whose factory gives it at once.</summary>
    public ValueTask<T> Get<T>(
        string key, T value, HybridCacheEntryOptions? options = null, IEnumerable<string>? tags = null) =>
        Cache.GetOrCreateAsync(key, value, static (v, _) => new ValueTask<T>(v), options, tags);

    /// <summary>Asks for a value that must be there.</summary>
    public ValueTask<T> GetPresent<T>(string key) =>
        Cache.GetOrCreateAsync<T>(key, static _ => throw new InvalidOperationException("The factory ran."));

    /// <summary>Waits, for real, until something that runs in the background has taken place.</summary>
    public static async Task Until(
        Func<bool> condition, [CallerArgumentExpression(nameof(condition))] string text = "")
    {
        long start = TimeProvider.System.GetTimestamp();
        while (!condition())
        {
            Assert.True(TimeProvider.System.GetElapsedTime(start) < _patience, $"This never came true: {text}");
            await Task.Yield();
        }
    }

    public void Dispose()
    {
        Store.AssertValid();
        Store.Dispose();
    }
}
