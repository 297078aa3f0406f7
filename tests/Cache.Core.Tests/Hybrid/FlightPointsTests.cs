using Cache.Core.Hybrid;
using Cache.Testing;
using Microsoft.Extensions.Caching.Hybrid;

namespace Cache.Core.Tests.Hybrid;

/// <summary>
/// Flights at each of whose points the store ends, the key goes, or callers leave: one run for each point.
/// </summary>
public sealed class FlightPointsTests
{
    // Of a flight with a second level there are about fifty.
    private const int PointsMax = 1_000;

    // What takes so long on the slowest machine does not happen.
    private static readonly TimeSpan _patience = TimeSpan.FromSeconds(20);

    private static readonly Dictionary<string, Func<Run, Task>> _removals = new()
    {
        ["RemoveAsync"] = static run => run.Cache.RemoveAsync("k").AsTask(),
        ["RemoveByTagAsync"] = static run => run.Cache.RemoveByTagAsync("t").AsTask(),
        ["RemoveByTagAsync of all"] = static run => run.Cache.RemoveByTagAsync("*").AsTask(),
        ["Remove by the store"] = static run => Task.FromResult(run.Store.Remove("k"u8)),
        ["Clear"] = static run =>
        {
            run.Store.Clear();
            return Task.CompletedTask;
        },
    };

    /// <summary>With a second level; as a renewal; with callers that can leave.</summary>
    public static TheoryData<bool, bool, bool> Kinds
    {
        get
        {
            var kinds = new TheoryData<bool, bool, bool>();
            for (int i = 0; i < 8; i++)
                kinds.Add((i & 1) != 0, (i & 2) != 0, (i & 4) != 0);
            return kinds;
        }
    }

    public static TheoryData<string, bool> Removals
    {
        get
        {
            var removals = new TheoryData<string, bool>();
            foreach (string name in _removals.Keys)
            {
                removals.Add(name, false);
                // A removal by the store alone does not concern what is behind the hybrid cache.
                if (name.StartsWith("RemoveByTag", StringComparison.Ordinal) || name == "RemoveAsync")
                    removals.Add(name, true);
            }

            return removals;
        }
    }

    [Theory]
    [MemberData(nameof(Kinds))]
    public Task Dispose_AtAnyPoint_EndsEachCallWithItsValueOrTheException(
        bool hasFar, bool isRenewal, bool mayLeave) => AtEachPointAsync(withClock: true, async run =>
    {
        run.Points.Act = run.Store.Dispose;

        var calls = await run.StartAsync();

        foreach (var call in calls)
        {
            try
            {
                Assert.Equal("older", (await call.WaitAsync(_patience)).Text);
            }
            catch (ObjectDisposedException)
            {
                Assert.True(run.Store.IsDisposed);
            }
        }
    }, hasFar, isRenewal, mayLeave);

    [Theory]
    [MemberData(nameof(Removals))]
    public Task Removal_AtAnyPoint_KeepsTheOlderValueOut(string removal, bool hasFar) =>
        AtEachPointAsync(withClock: false, async run =>
        {
            var removed = Task.CompletedTask;
            run.Points.Act = () =>
            {
                run.Source = "newer"; // As who changes a source does: first there, then here.
                removed = _removals[removal](run);
            };

            var calls = await run.StartAsync();

            foreach (var call in calls)
                Assert.Contains((await call.WaitAsync(_patience)).Text, (string[])["older", "newer"]);
            await run.EndAsync();
            if (run.Points.Name is null)
                return;
            await removed.WaitAsync(_patience);
            Assert.Equal("newer", (await run.GetAsync(default).AsTask().WaitAsync(_patience)).Text);
            if (run.Far is null)
                return;
            await HybridFixture.Until(() => run.Cache.IsIdle);
            using var otherStore = new CacheStore(new CacheOptions { MemoryLimitBytes = 16 << 20 });
            var other = new StoreHybridCache(otherStore, run.Options);
            Assert.Equal("newer", (await run.GetAsync(default, other).AsTask().WaitAsync(_patience)).Text);
        }, hasFar, isRenewal: false, mayLeave: false);

    [Theory]
    [InlineData(1, false)]
    [InlineData(2, false)]
    [InlineData(1, true)]
    [InlineData(2, true)]
    public Task Leaving_AtAnyPoint_DisturbsNobodyElse(int leaverCount, bool hasFar) =>
        AtEachPointAsync(withClock: true, async run =>
        {
            run.Points.Act = () =>
            {
                for (int i = 0; i < leaverCount; i++)
                    run.Leaving[i].Cancel();
            };

            var calls = await run.StartAsync();

            for (int i = 0; i < calls.Length; i++)
            {
                try
                {
                    Assert.Equal("older", (await calls[i].WaitAsync(_patience)).Text);
                }
                catch (OperationCanceledException)
                {
                    Assert.InRange(i, 0, leaverCount - 1);
                }
            }

            await run.EndAsync();
            Assert.Equal("older", (await run.GetAsync(default).AsTask().WaitAsync(_patience)).Text);
        }, hasFar, isRenewal: false, mayLeave: true);

    private static async Task AtEachPointAsync(
        bool withClock, Func<Run, Task> test, bool hasFar, bool isRenewal, bool mayLeave)
    {
        for (int target = 1; target < PointsMax; target++)
        {
            using var run = new Run(new FlightPoints(target), withClock, hasFar, isRenewal, mayLeave);
            await run.PrepareAsync();
            try
            {
                await test(run);
                await HybridFixture.Until(() => run.Cache.IsIdle);
                Assert.Empty(run.Failures);
            }
            catch (Exception e)
            {
                throw new InvalidOperationException($"At point {target}, {run.Points.Name}: {e.Message}", e);
            }

            if (run.Points.Name is null)
                return;
        }

        Assert.Fail("The flight has no end.");
    }

    /// <summary>One run: two calls for a key, of which the second joins, or which find it due for renewal.</summary>
    private sealed class Run : IDisposable
    {
        private static readonly HybridCacheEntryOptions _minute = new() { Expiration = TimeSpan.FromMinutes(1) };

        private readonly FakeTimeProvider _time = new();
        private readonly TaskCompletionSource _joined = new(TaskCreationOptions.RunContinuationsAsynchronously);
        private readonly bool _isRenewal;
        private readonly bool _mayLeave;

        public Run(FlightPoints points, bool withClock, bool hasFar, bool isRenewal, bool mayLeave)
        {
            Points = points;
            _isRenewal = isRenewal;
            _mayLeave = mayLeave;
            Far = hasFar ? new FlightPoints.Far(points) : null;
            Options = new HybridStoreOptions
            {
                SecondLevel = Far,
                SerializerFactories = { new FlightPoints.Serializers(points) },
                EagerRefreshThreshold = isRenewal ? 0.5 : null,
                OnFailure = failure =>
                {
                    lock (Failures)
                        Failures.Add(failure);
                },
            };
            TimeProvider time = withClock ? new FlightPoints.Clock(points, _time) : _time;
            Store = new CacheStore(new CacheOptions { MemoryLimitBytes = 16 << 20, ShardCount = 1 }, time);
            Cache = new StoreHybridCache(Store, Options);
        }

        public FlightPoints Points { get; }

        public HybridStoreOptions Options { get; }

        public FlightPoints.Far? Far { get; }

        public CacheStore Store { get; }

        public StoreHybridCache Cache { get; }

        public List<Exception> Failures { get; } = [];

        /// <summary>Let the calls leave.</summary>
        public CancellationTokenSource[] Leaving { get; } = [new(), new(), new()];

        /// <summary>What a factory that begins now makes.</summary>
        public string Source { get; set; } = "older";

        public async Task PrepareAsync()
        {
            if (!_isRenewal)
                return;
            _joined.SetResult();
            await GetAsync(default);
            await EndAsync();
            _time.Advance(40_000);
        }

        public async Task<Task<Made>[]> StartAsync()
        {
            var calls = new Task<Made>[2];
            for (int i = 0; i < calls.Length; i++)
            {
                var token = _mayLeave ? Leaving[i].Token : default;
                calls[i] = Capture(() => GetAsync(token).AsTask());
            }

            _joined.TrySetResult();
            await Task.Yield();
            return calls;
        }

        public ValueTask<Made> GetAsync(CancellationToken token, StoreHybridCache? cache = null) =>
            (cache ?? Cache).GetOrCreateAsync("k", this, static async (run, factoryToken) =>
            {
                run.Points.Pass("factory begins");
                string made = run.Source;
                run.Points.Pass("source read");
                await run._joined.Task.WaitAsync(factoryToken);
                run.Points.Pass("factory ends");
                return new Made(made);
            }, _minute, ["t"], token);

        /// <summary>Waits until no flight is under way any more, but perhaps such as were superseded.</summary>
        public Task EndAsync() => HybridFixture.Until(() => Cache.FlightCount == 0 && !Store.IsWatched);

        public void Dispose()
        {
            Points.Act = null;
            Store.Dispose();
            foreach (var leaving in Leaving)
                leaving.Dispose();
        }

        // A call may throw before it has a task.
        private static Task<Made> Capture(Func<Task<Made>> call)
        {
            try
            {
                return call();
            }
            catch (Exception e)
            {
                return Task.FromException<Made>(e);
            }
        }
    }
}
