using System.Buffers;
using Cache.Near.Layouts;
using Microsoft.Extensions.Caching.Distributed;

namespace Cache.Near.Distributed;

/// <summary>A near cache as the framework's distributed cache.</summary>
/// <remarks>
/// Thread-safe. The asynchronous members are the ones to use; the others wait for the server, as those of the
/// framework's cache over Redis do.
/// </remarks>
internal sealed class NearDistributedCache(NearCache cache, TimeProvider time) : IBufferDistributedCache
{
    public byte[]? Get(string key) => cache.GetAsync(key).AsTask().GetAwaiter().GetResult();

    public Task<byte[]?> GetAsync(string key, CancellationToken token = default) => cache.GetAsync(key, token).AsTask();

    public bool TryGet(string key, IBufferWriter<byte> destination) =>
        TryGetAsync(key, destination).AsTask().GetAwaiter().GetResult();

    public ValueTask<bool> TryGetAsync(string key, IBufferWriter<byte> destination, CancellationToken token = default)
    {
        if (token.IsCancellationRequested)
            return ValueTask.FromCanceled<bool>(token);
        return cache.TryGetLocal(key, destination)
            ? ValueTask.FromResult(true)
            : new ValueTask<bool>(CopyAsync(key, destination, token));
    }

    public void Set(string key, byte[] value, DistributedCacheEntryOptions options) =>
        SetAsync(key, value, options).GetAwaiter().GetResult();

    public Task SetAsync(
        string key, byte[] value, DistributedCacheEntryOptions options, CancellationToken token = default)
    {
        ArgumentNullException.ThrowIfNull(key);
        ArgumentNullException.ThrowIfNull(value);
        ArgumentNullException.ThrowIfNull(options);
        long nowMs = time.GetUtcNow().ToUnixTimeMilliseconds();
        long absoluteMs = AbsoluteOf(options, nowMs);
        long slidingMs = options.SlidingExpiration is { } sliding ? Math.Max(1, (long)sliding.TotalMilliseconds) : 0;
        if (slidingMs > 0 && !cache.Layout.HasSliding)
        {
            throw new NotSupportedException(
                "SlidingExpiration needs the layout of the framework's cache over Redis: Layout is Plain.");
        }

        long lifeMs = absoluteMs > 0 ? Math.Max(1, absoluteMs - nowMs) : 0;
        if (slidingMs > 0)
            lifeMs = lifeMs > 0 ? Math.Min(lifeMs, slidingMs) : slidingMs;
        return cache.SetAsync(key, new StoredEntry(value, slidingMs, absoluteMs), lifeMs, token);
    }

    public void Set(string key, ReadOnlySequence<byte> value, DistributedCacheEntryOptions options) =>
        Set(key, value.ToArray(), options);

    public ValueTask SetAsync(
        string key,
        ReadOnlySequence<byte> value,
        DistributedCacheEntryOptions options,
        CancellationToken token = default) => new(SetAsync(key, value.ToArray(), options, token));

    public void Refresh(string key) => Get(key);

    public Task RefreshAsync(string key, CancellationToken token = default) => GetAsync(key, token);

    public void Remove(string key) => RemoveAsync(key).GetAwaiter().GetResult();

    public Task RemoveAsync(string key, CancellationToken token = default) => cache.RemoveAsync(key, token).AsTask();

    private async Task<bool> CopyAsync(string key, IBufferWriter<byte> destination, CancellationToken token)
    {
        if (await cache.GetAsync(key, token).ConfigureAwait(false) is not { } value)
            return false;
        destination.Write(value);
        return true;
    }

    // Of an absolute moment and one relative to now the relative one counts, as in the framework's cache over Redis.
    private static long AbsoluteOf(DistributedCacheEntryOptions options, long nowMs)
    {
        if (options.AbsoluteExpirationRelativeToNow is { } relative)
        {
            long lastMs = DateTimeOffset.MaxValue.ToUnixTimeMilliseconds();
            return Math.Min(lastMs, nowMs + Math.Max(1, (long)relative.TotalMilliseconds));
        }

        if (options.AbsoluteExpiration is not { } absolute)
            return 0;
        long absoluteMs = absolute.ToUnixTimeMilliseconds();
        return absoluteMs > nowMs
            ? absoluteMs
            : throw new ArgumentOutOfRangeException(nameof(options), absolute, "The absolute expiration has passed.");
    }
}
