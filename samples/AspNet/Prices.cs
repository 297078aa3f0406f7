using Microsoft.Extensions.Caching.Hybrid;

namespace AspNet;

/// <summary>A list that takes long to make, kept by the hybrid cache until its tag is removed.</summary>
internal sealed class Prices(HybridCache cache)
{
    private static readonly string[] _fruits = ["Apples", "Pears", "Quinces", "Medlars"];
    private static readonly HybridCacheEntryOptions _options = new() { Expiration = TimeSpan.FromMinutes(5) };

    public ValueTask<Price[]> ListAsync(CancellationToken cancellationToken) =>
        cache.GetOrCreateAsync("prices", AskTheShopAsync, _options, ["prices"], cancellationToken);

    // A service that is far away.
    private static async ValueTask<Price[]> AskTheShopAsync(CancellationToken cancellationToken)
    {
        await Task.Delay(TimeSpan.FromMilliseconds(400), cancellationToken);
        return [.. _fruits.Select(static fruit => new Price(fruit, Random.Shared.Next(100, 400)))];
    }
}
