using System.Collections.Concurrent;
using System.Diagnostics.Tracing;
using System.Runtime.CompilerServices;
using Cache.Core.Diagnostics;

namespace Cache.Core.Tests.Diagnostics;

/// <summary>
/// The counters as dotnet-counters gets them. The source is one for the process, so that others add to it.
/// </summary>
public sealed class CacheEventSourceTests : IDisposable
{
    private readonly StoreFixture _fixture = new();
    private readonly CacheMetrics _metrics = new();

    public CacheEventSourceTests() => _metrics.Observe(_fixture.Store, "counted");

    [Fact]
    public async Task Counters_AreWrittenAtTheListenersInterval()
    {
        using var listener = new CounterListener();
        var names = new HashSet<string>(
            ["hits", "misses", "hit-ratio", "evictions", "expirations", "refused-writes", "entries", "size"]);
        while (names.Count > 0)
            names.Remove(await listener.NextNameAsync(TestContext.Current.CancellationToken));
    }

    [Fact]
    public void Sum_HoldsEveryObservedStore()
    {
        for (int i = 0; i < 1_000; i++)
            _fixture.Set($"k{i}", "v");
        Assert.True(CacheEventSource.Log.Sum().Count >= 1_000);
        long limit = CacheEventSource.Log.Sum().MemoryBytes;
        Assert.True(limit >= _fixture.Store.GetStatistics().MemoryBytes);
    }

    [Fact]
    public void Sum_LeavesOutAStore_OnceItsObservationHasEnded()
    {
        // More than all other tests of the process write together, whenever they come and go.
        const int entries = 100_000;
        using var large = new StoreFixture(static options => options.MemoryLimitBytes = 64 << 20);
        for (int i = 0; i < entries; i++)
            large.Set($"k{i}", "v");
        using (var metrics = new CacheMetrics())
        {
            metrics.Observe(large.Store, "large");
            Assert.True(CacheEventSource.Log.Sum().Count >= entries);
        }

        Assert.True(CacheEventSource.Log.Sum().Count < entries);
        Assert.Equal(entries, large.Store.Count);
    }

    [Fact]
    public void Sum_OfADisposedStore_HoldsItsLastCounters()
    {
        for (int i = 0; i < 1_000; i++)
            _fixture.Set($"k{i}", "v");
        long count = _fixture.Store.GetStatistics().Count;
        _fixture.Store.Dispose();
        Assert.Equal(count, _fixture.Store.GetStatistics().Count);
        Assert.True(CacheEventSource.Log.Sum().Count >= count);
    }

    [Fact]
    public void Observation_KeepsNoStoreAlive()
    {
        var store = ForgetAStore();
        for (int i = 0; i < 10 && IsAlive(store); i++)
        {
            GC.Collect();
            GC.WaitForPendingFinalizers();
        }

        Assert.False(IsAlive(store));
    }

    public void Dispose()
    {
        _metrics.Dispose();
        _fixture.Dispose();
    }

    // Frames of their own, so that no local of the test holds the store.
    [MethodImpl(MethodImplOptions.NoInlining)]
    private static bool IsAlive(WeakReference<CacheStore> store) => store.TryGetTarget(out _);

    [MethodImpl(MethodImplOptions.NoInlining)] // As above.
    private static WeakReference<CacheStore> ForgetAStore()
    {
        using var fixture = new StoreFixture();
        CacheEventSource.Log.Add(fixture.Store);
        return new WeakReference<CacheStore>(fixture.Store);
    }

    private sealed class CounterListener : EventListener
    {
        private readonly ConcurrentQueue<string> _names = new();
        private readonly SemaphoreSlim _written = new(0);

        public async Task<string> NextNameAsync(CancellationToken token)
        {
            await _written.WaitAsync(token);
            Assert.True(_names.TryDequeue(out string? name));
            return name;
        }

        protected override void OnEventSourceCreated(EventSource source)
        {
            if (source.Name != CacheMetrics.EventSourceName)
                return;
            var interval = new Dictionary<string, string?> { ["EventCounterIntervalSec"] = "0.05" };
            EnableEvents(source, EventLevel.Informational, EventKeywords.All, interval);
        }

        protected override void OnEventWritten(EventWrittenEventArgs written)
        {
            if (written.Payload is not [IDictionary<string, object> counter])
                return;
            _names.Enqueue((string)counter["Name"]);
            _written.Release();
        }
    }
}
