using Cache.Core;
using Cache.Core.Hybrid;
using Microsoft.Extensions.Caching.Hybrid;
using Microsoft.Extensions.DependencyInjection;

namespace Cache.Bench.Subjects;

/// <summary>A cache behind the framework's <see cref="HybridCache"/>, without a second level.</summary>
internal sealed class HybridSubject(string name, HybridCache cache) : IHybridSubject
{
    private static readonly HybridCacheEntryOptions _options = new() { Expiration = TimeSpan.FromDays(1) };

    public string Name => name;

    public static HybridSubject OfStore(CacheStore store) =>
        new("ours", new StoreHybridCache(store, new HybridStoreOptions()));

    /// <summary>Microsoft's: objects of immutable types as they are, others by its serializer of JSON.</summary>
    public static HybridSubject OfMicrosoft()
    {
        var services = new ServiceCollection();
        services.AddHybridCache();
        return new HybridSubject("Microsoft", services.BuildServiceProvider().GetRequiredService<HybridCache>());
    }

    public ValueTask SetAsync<T>(string key, T value) => cache.SetAsync(key, value, _options);

    public T? Get<T>(string key) => cache.GetOrCreateAsync(key, 0, Factory<T>()).Result;

    public int Read<T>(string[] keys)
    {
        var factory = Factory<T>();
        int wrong = 0;
        foreach (string key in keys)
        {
            var hit = cache.GetOrCreateAsync(key, 0, factory);
            wrong += hit.IsCompletedSuccessfully && hit.Result is not null ? 0 : 1;
        }

        return wrong;
    }

    private static Func<int, CancellationToken, ValueTask<T>> Factory<T>() =>
        static (_, _) => throw new WrongAnswerException("A factory ran for a value that is stored.");
}
