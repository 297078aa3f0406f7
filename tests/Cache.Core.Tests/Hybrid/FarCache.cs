using System.Collections.Concurrent;
using Microsoft.Extensions.Caching.Distributed;

namespace Cache.Core.Tests.Hybrid;

/// <summary>A second level in memory that can fail, and that tells what it was asked for.</summary>
internal sealed class FarCache : IDistributedCache
{
    private readonly ConcurrentDictionary<string, byte[]> _entries = [];

    public bool IsBroken { get; set; }

    public int Reads { get; private set; }

    public TimeSpan? LastExpiration { get; private set; }

    public ICollection<string> Keys => _entries.Keys;

    public byte[]? Get(string key) => _entries.GetValueOrDefault(key);

    public Task<byte[]?> GetAsync(string key, CancellationToken token = default) => Run(() =>
    {
        Reads++;
        return Get(key);
    });

    public void Set(string key, byte[] value, DistributedCacheEntryOptions options) => _entries[key] = value;

    public Task SetAsync(
        string key, byte[] value, DistributedCacheEntryOptions options, CancellationToken token = default) =>
        Run<byte[]?>(() =>
        {
            LastExpiration = options.AbsoluteExpirationRelativeToNow;
            return _entries[key] = value;
        });

    public void Refresh(string key)
    {
    }

    public Task RefreshAsync(string key, CancellationToken token = default) => Task.CompletedTask;

    public void Remove(string key) => _entries.TryRemove(key, out _);

    public Task RemoveAsync(string key, CancellationToken token = default) => Run<byte[]?>(() =>
    {
        Remove(key);
        return null;
    });

    private async Task<T> Run<T>(Func<T> operation)
    {
        await Task.Yield();
        return IsBroken ? throw new IOException("The second level is down.") : operation();
    }
}
