using System.Buffers;
using Microsoft.AspNetCore.DataProtection;
using Microsoft.AspNetCore.OutputCaching;
using Microsoft.Extensions.Caching.Distributed;
using Microsoft.Extensions.DependencyInjection;
using StackExchange.Redis;

/// <summary>What ASP.NET's own packages do with the client.</summary>
internal static class PackageChecks
{
    private static readonly byte[] _value = [.. Enumerable.Range(0, 20_000).Select(i => (byte)(i * 7))];

    /// <summary>AddStackExchangeRedisCache.</summary>
    public static async Task CacheAsync(ConfigurationOptions configuration)
    {
        var services = new ServiceCollection();
        services.AddStackExchangeRedisCache(options =>
        {
            options.ConfigurationOptions = configuration;
            options.InstanceName = "se:package:";
        });
        await using var provider = services.BuildServiceProvider();
        var cache = provider.GetRequiredService<IDistributedCache>();
        Equal(null, await cache.GetAsync("absent"));
        await cache.SetAsync("plain", _value);
        Same(_value, await cache.GetAsync("plain"));
        await cache.SetAsync("empty", []);
        Equal(0, (await cache.GetAsync("empty"))?.Length);
        await cache.RemoveAsync("plain");
        Equal(null, await cache.GetAsync("plain"));
        await cache.SetStringAsync(
            "sliding", "text", new DistributedCacheEntryOptions { SlidingExpiration = TimeSpan.FromMinutes(20) });
        using var multiplexer = await ConnectionMultiplexer.ConnectAsync(configuration);
        var database = multiplexer.GetDatabase();
        await database.KeyExpireAsync("se:package:sliding", TimeSpan.FromMinutes(1));
        await cache.RefreshAsync("sliding");
        Equal(true, await database.KeyTimeToLiveAsync("se:package:sliding") > TimeSpan.FromMinutes(19));
        var soon = new DistributedCacheEntryOptions { AbsoluteExpirationRelativeToNow = TimeSpan.FromSeconds(1) };
        await cache.SetStringAsync("gone", "text", soon);
        await Checks.UntilTrueAsync(async () => await cache.GetAsync("gone") is null);
        var buffers = (IBufferDistributedCache)cache;
        var halves = new ReadOnlySequence<byte>(_value);
        await buffers.SetAsync("buffer", halves, new DistributedCacheEntryOptions());
        var writer = new ArrayBufferWriter<byte>();
        Equal(true, await buffers.TryGetAsync("buffer", writer));
        Same(_value, writer.WrittenSpan.ToArray());
    }

    /// <summary>AddStackExchangeRedisOutputCache: pages, and their eviction by a tag.</summary>
    public static async Task OutputCacheAsync(ConfigurationOptions configuration)
    {
        var services = new ServiceCollection();
        services.AddLogging();
        services.AddStackExchangeRedisOutputCache(options =>
        {
            options.ConfigurationOptions = configuration;
            options.InstanceName = "se:pages:";
        });
        await using var provider = services.BuildServiceProvider();
        var store = provider.GetRequiredService<IOutputCacheStore>();
        await store.SetAsync("a", _value, ["one", "both"], TimeSpan.FromMinutes(1), default);
        await store.SetAsync("b", [1], ["both"], TimeSpan.FromMinutes(1), default);
        await store.SetAsync("c", [2], null, TimeSpan.FromMinutes(1), default);
        Same(_value, await store.GetAsync("a", default));
        await store.EvictByTagAsync("one", default);
        Equal(null, await store.GetAsync("a", default));
        Same([1], await store.GetAsync("b", default));
        await store.EvictByTagAsync("both", default);
        Equal(null, await store.GetAsync("b", default));
        Same([2], await store.GetAsync("c", default));
    }

    /// <summary>PersistKeysToStackExchangeRedis: what one process protects another one reads.</summary>
    public static async Task DataProtectionAsync(ConfigurationOptions configuration)
    {
        using var multiplexer = await ConnectionMultiplexer.ConnectAsync(configuration);
        await multiplexer.GetDatabase().KeyDeleteAsync("se:protection");
        string text = Protector().Protect("secret");
        Equal("secret", Protector().Unprotect(text));
        Equal(1L, await multiplexer.GetDatabase().ListLengthAsync("se:protection"));

        IDataProtector Protector()
        {
            var services = new ServiceCollection();
            services.AddLogging();
            services.AddDataProtection().SetApplicationName("interop")
                .PersistKeysToStackExchangeRedis(multiplexer, "se:protection");
            return services.BuildServiceProvider().GetRequiredService<IDataProtectionProvider>().CreateProtector("p");
        }
    }

    private static void Same(byte[] expected, byte[]? actual) => Equal(true, expected.AsSpan().SequenceEqual(actual));

    private static void Equal<T>(T expected, T actual) => Checks.Equal(expected, actual);
}
