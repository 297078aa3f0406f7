using Microsoft.Extensions.Caching.Distributed;
using Microsoft.Extensions.Caching.StackExchangeRedis;
using StackExchange.Redis;

namespace NearRig;

/// <summary>What AddStackExchangeRedisCache adds, with a patience.</summary>
internal sealed class StackExchangeLevel : IDistributedCache, IDisposable
{
    private static readonly TimeSpan _patience = TimeSpan.FromSeconds(2);

    private readonly ConnectionMultiplexer _multiplexer;
    private readonly RedisCache _cache;

    private StackExchangeLevel(ConnectionMultiplexer multiplexer, string prefix)
    {
        _multiplexer = multiplexer;
        _cache = new RedisCache(new RedisCacheOptions
        {
            ConnectionMultiplexerFactory = () => Task.FromResult<IConnectionMultiplexer>(multiplexer),
            InstanceName = prefix,
        });
    }

    public static async Task<StackExchangeLevel> ConnectAsync(string servers, string prefix) =>
        new(
            await ConnectionMultiplexer.ConnectAsync(
                ConfigurationOptions.Parse($"{servers},abortConnect=false,syncTimeout=1000")),
            prefix);

    public Task<byte[]?> GetAsync(string key, CancellationToken token = default) =>
        OrTimeoutAsync(_cache.GetAsync(key, token));

    public Task SetAsync(
        string key, byte[] value, DistributedCacheEntryOptions options, CancellationToken token = default) =>
        OrTimeoutAsync(DoneAsync(_cache.SetAsync(key, value, options, token)));

    public Task RemoveAsync(string key, CancellationToken token = default) =>
        OrTimeoutAsync(DoneAsync(_cache.RemoveAsync(key, token)));

    public Task RefreshAsync(string key, CancellationToken token = default) => Task.CompletedTask;

    public byte[]? Get(string key) => throw new NotSupportedException();

    public void Set(string key, byte[] value, DistributedCacheEntryOptions options) =>
        throw new NotSupportedException();

    public void Refresh(string key) => throw new NotSupportedException();

    public void Remove(string key) => throw new NotSupportedException();

    /// <summary>What its client says of its connections.</summary>
    public override string ToString() => _multiplexer.GetStatus();

    public void Dispose()
    {
        _cache.Dispose();
        _multiplexer.Dispose();
    }

    private static async Task<bool> DoneAsync(Task write)
    {
        await write;
        return true;
    }

    // What the checker takes for a write of which nobody knows whether it was made.
    private static async Task<T> OrTimeoutAsync<T>(Task<T> call)
    {
        try
        {
            return await call.WaitAsync(_patience);
        }
        catch (Exception failure) when (failure is RedisException or OperationCanceledException or TimeoutException
            or ObjectDisposedException)
        {
            throw new TimeoutException(failure.Message, failure);
        }
    }
}
