using Cache.Core.Hybrid;
using Cache.Near;
using Microsoft.Extensions.Caching.Distributed;
using Microsoft.Extensions.Caching.Hybrid;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Hosting;

namespace NearRig;

/// <summary>A process with a hybrid cache and StackExchange.Redis behind it.</summary>
internal sealed class HybridSubject : ISubject, IAsyncDisposable
{
    private static readonly HybridCacheEntryOptions _localOnly = new()
    {
        Flags = HybridCacheEntryFlags.DisableDistributedCache | HybridCacheEntryFlags.DisableUnderlyingData,
    };

    private readonly ServiceProvider _provider;
    private readonly StackExchangeLevel _level;
    private readonly HybridCache _cache;

    private HybridSubject(ServiceProvider provider, StackExchangeLevel level)
    {
        _provider = provider;
        _level = level;
        _cache = provider.GetRequiredService<HybridCache>();
    }

    public HybridCoherenceStatus Status => _provider.GetRequiredService<IHybridCoherence>().Status;

    /// <summary>What there is to know where it is not coherent.</summary>
    public string Told
    {
        get
        {
            var status = Status;
            return $"proved: {status.IsProved}, {status.LastProofFailure ?? "no failure"};"
                + $" links: {string.Join(", ", status.Nodes)}; second level: {_level}";
        }
    }

    /// <summary>Reads that were answered in the process.</summary>
    public long Hits
    {
        get
        {
            var statistics = ((StoreHybridCache)_cache).GetStatistics();
            return statistics.StoreHits + statistics.ReadyHits;
        }
    }

    public static Task<HybridSubject> StartAsync(
        int dataPort, int trackingPort, NearCoherence coherence = NearCoherence.Tracking, string user = "") =>
        StartAsync($"127.0.0.1:{dataPort}", $"127.0.0.1:{trackingPort}{user}", "k:", coherence);

    /// <param name="data">The servers of StackExchange.Redis.</param>
    /// <param name="tracking">Those that tell.</param>
    /// <param name="prefix">What is put before keys.</param>
    /// <param name="coherence">What keeps values true.</param>
    public static async Task<HybridSubject> StartAsync(
        string data, string tracking, string prefix, NearCoherence coherence = NearCoherence.Tracking)
    {
        var level = await StackExchangeLevel.ConnectAsync(data, prefix);
        var services = new ServiceCollection();
        services.AddSingleton<IDistributedCache>(level);
        services.AddCacheHybridCache(static options =>
        {
            options.UseSecondLevel = true;
            options.DefaultEntryOptions = new() { Expiration = TimeSpan.FromMinutes(10) };
        });
        services.AddCacheHybridCoherence($"{tracking},connectTimeout=2000", options =>
        {
            options.KeyPrefix = prefix;
            options.StalenessBound = TimeSpan.FromMilliseconds(NearCaches.BoundMs);
            options.MaximumAge = TimeSpan.FromMinutes(10);
            options.Coherence = coherence;
        });
        var subject = new HybridSubject(services.BuildServiceProvider(), level);
        try
        {
            foreach (var service in subject._provider.GetServices<IHostedService>())
                await service.StartAsync(default);
            return subject;
        }
        catch
        {
            await subject.DisposeAsync();
            throw;
        }
    }

    public async ValueTask<byte[]?> GetAsync(string key)
    {
        try
        {
            return await _cache.GetOrCreateAsync<byte[]>(key, static _ => throw new KeyNotFoundException());
        }
        catch (KeyNotFoundException)
        {
            return null;
        }
    }

    public ValueTask<byte[]?> GetLocalAsync(string key) => _cache.GetOrCreateAsync<byte[]?>(
        key, static _ => ValueTask.FromResult<byte[]?>(null), _localOnly);

    public ValueTask SetAsync(string key, byte[] value) => _cache.SetAsync(key, value);

    public async ValueTask DisposeAsync()
    {
        await _provider.DisposeAsync();
        _level.Dispose();
    }
}
