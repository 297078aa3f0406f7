using Cache.Core;
using Microsoft.Extensions.Caching.Distributed;
using Microsoft.Extensions.Caching.Hybrid;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Hosting;
using Microsoft.Extensions.Logging;

namespace Cache.Hosting.Tests;

/// <summary>Hosts that stop, and dispose of their services, while everything uses the store.</summary>
public sealed class HostStopTests
{
    // As many as find a call at each point of its way, in some ten seconds.
    private const int Hosts = 100;

    // Of each host, beside its clients.
    private const int Loops = 4;

    // What each loop does before its host stops.
    private const int UsesBefore = 100;

    // Long enough to be lent to the reply.
    private const int LargeLength = 300_000;

    private static readonly DistributedCacheEntryOptions _sliding = new()
    {
        SlidingExpiration = TimeSpan.FromSeconds(1),
    };

    private static readonly HybridCacheEntryOptions _renewed = new() { Expiration = TimeSpan.FromMilliseconds(200) };

    private static CancellationToken Token => TestContext.Current.CancellationToken;

    [Fact]
    public async Task Stop_UnderLoad_EndsEachUserOfTheStoreWithAnExceptionOrAValue()
    {
        int unobserved = 0;
        void Count(object? sender, UnobservedTaskExceptionEventArgs e)
        {
            // Other tests of the process may leave others.
            if (e.Exception.Flatten().InnerExceptions.Any(
                x => x is ObjectDisposedException { ObjectName: "CacheStore" }))
            {
                Interlocked.Increment(ref unobserved);
            }
        }

        TaskScheduler.UnobservedTaskException += Count;
        try
        {
            for (int i = 0; i < Hosts; i++)
                await RunOneAsync(i);
            GC.Collect();
            GC.WaitForPendingFinalizers();
        }
        finally
        {
            TaskScheduler.UnobservedTaskException -= Count;
        }

        Assert.Equal(0, unobserved);
    }

    [Fact]
    public async Task Stop_OfAContainerThatHasAView_LeavesTheStore()
    {
        using var store = new CacheStore(new CacheOptions { MemoryLimitBytes = 16 << 20 });
        for (int keyspace = 0; keyspace < 2; keyspace++)
        {
            int index = keyspace;
            using (var host = TestHost.Build(services => services.AddSingleton(_ => store.SelectKeyspace(index))))
            {
                await host.StartAsync(Token);
                host.Services.GetRequiredService<CacheStore>().Set("k"u8, "v"u8);
                await host.StopAsync(Token);
            }

            Assert.Equal("v"u8.ToArray(), store.SelectKeyspace(index).GetArray("k"u8));
        }
    }

    private static async Task RunOneAsync(int round)
    {
        var release = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
        var log = new LogLines();
        var host = TestHost.Build(services => services
            .AddLogging(logging => logging.SetMinimumLevel(LogLevel.Warning).AddProvider(log))
            .AddCache(o => o.MemoryLimitBytes = 8 << 20)
            .AddCacheHybridCache(o => o.EagerRefreshThreshold = 0.01)
            .AddCacheServer(o => o.Port = 0));
        await host.StartAsync(Token);
        var store = host.Services.GetRequiredService<CacheStore>();
        var distributed = host.Services.GetRequiredService<IDistributedCache>();
        var hybrid = host.Services.GetRequiredService<HybridCache>();
        store.Set("large"u8, new byte[LargeLength]);
        var started = new CountdownEvent(Loops);
        var loops = new[]
        {
            Start(() => Loop(i => Use(distributed, i, new byte[100]), started)),
            Start(() => Loop(i => Use(distributed, i, new byte[40_000]), started)),
            Start(() => Loop(_ => ScanAll(store), started)),
            Start(() => Loop(i => Renew(hybrid, i), started)),
        };
        var factories = Enumerable.Range(0, 4).Select(i => HoldAsync(hybrid, i % 2, release.Task)).ToArray();
        var endPoint = TestHost.EndPointOf(host);
        var clients = await Task.WhenAll(
            TalkingClient.StartAsync(endPoint, "SET client:1 value\r\nGET client:1\r\n"),
            TalkingClient.StartAsync(endPoint, "KEYS *\r\nSCAN 0 COUNT 100\r\n"), // The first waits for a worker.
            TalkingClient.StartAsync(endPoint, "GET large\r\n")); // Lent.
        var arrivals = Task.Run(() => TalkingClient.ArriveAsync(endPoint));
        started.Wait(Token);

        if (round % 4 != 2)
            await host.StopAsync(Token);
        if (round % 2 == 0)
            host.Dispose();
        else
            await Task.WhenAll(Task.Run(host.Dispose), Task.Run(release.SetResult));
        release.TrySetResult();

        foreach (var loop in loops)
            Assert.IsType<ObjectDisposedException>(await loop);
        foreach (var factory in factories)
            Assert.Equal("made", await factory);
        foreach (var client in clients)
            await client.AssertServedToTheEndAsync();
        await arrivals;
        await Assert.ThrowsAsync<ObjectDisposedException>(
            async () => await hybrid.GetOrCreateAsync("later", static _ => new ValueTask<int>(1)));
        Assert.Empty(log.Lines);
    }

    // On a thread of its own: the pool's are the clients'.
    private static Task<Exception> Start(Func<Exception> loop) =>
        Task.Factory.StartNew(loop, Token, TaskCreationOptions.LongRunning, TaskScheduler.Default);

    // A loop that nobody told to stop.
    private static Exception Loop(Action<int> use, CountdownEvent started)
    {
        try
        {
            for (int i = 0; ; i++)
            {
                use(i);
                if (i == UsesBefore)
                    started.Signal();
                Thread.Yield(); // To the clients' threads, of which the machine may have more than processors.
            }
        }
        catch (Exception exception)
        {
            return exception;
        }
    }

    private static void Use(IDistributedCache cache, int i, byte[] value)
    {
        string key = $"key:{i % 500}";
        cache.Set(key, value, _sliding);
        cache.Get(key);
        cache.Remove($"key:{i % 77}");
    }

    private static void ScanAll(CacheStore store)
    {
        var sink = default(CountingSink);
        ulong cursor = 0;
        do
            cursor = store.Scan(cursor, 100, ref sink);
        while (cursor != 0);
    }

    private static Task<string> HoldAsync(HybridCache cache, int index, Task release) =>
        cache.GetOrCreateAsync($"held:{index}", async _ =>
        {
            await release;
            return "made";
        }, tags: ["tag"]).AsTask();

    // Of ten keys that are nearly always due, so that renewals are under way at any time.
    private static void Renew(HybridCache cache, int i) =>
        cache.GetOrCreateAsync($"renewed:{i % 10}", i, static async (value, _) =>
        {
            await Task.Yield();
            return value;
        }, _renewed).AsTask().GetAwaiter().GetResult();

    private struct CountingSink : IKeySink
    {
        public int Count { get; private set; }

        public readonly bool IsFull => false;

        public void Take(ReadOnlySpan<byte> key) => Count++;
    }
}
