using Microsoft.Extensions.Caching.Distributed;
using StackExchange.Redis;

namespace NearRig;

/// <summary>
/// What Microsoft.Extensions.Caching.StackExchangeRedis does, on the version of its client that can be had here: a hash
/// with absexp, sldexp and data, and its expiry.
/// </summary>
internal sealed class StackExchangeLevel : IDistributedCache, IDisposable
{
    private readonly ConnectionMultiplexer _multiplexer;
    private readonly string _prefix;

    private StackExchangeLevel(ConnectionMultiplexer multiplexer, string prefix)
    {
        _multiplexer = multiplexer;
        _prefix = prefix;
    }

    public static async Task<StackExchangeLevel> ConnectAsync(string servers, string prefix)
    {
        var options = ConfigurationOptions.Parse($"{servers},abortConnect=false,syncTimeout=1000");
        return new StackExchangeLevel(await ConnectionMultiplexer.ConnectAsync(options), prefix);
    }

    public Task<byte[]?> GetAsync(string key, CancellationToken token = default) => OrTimeoutAsync<byte[]?>(
        async database => await database.HashGetAsync(_prefix + key, "data"));

    public Task SetAsync(
        string key, byte[] value, DistributedCacheEntryOptions options, CancellationToken token = default) =>
        OrTimeoutAsync(async database =>
        {
            var written = database.HashSetAsync(
                _prefix + key, [new("absexp", -1), new("sldexp", -1), new("data", value)]);
            var expires = database.KeyExpireAsync(_prefix + key, options.AbsoluteExpirationRelativeToNow);
            await Task.WhenAll(written, expires);
            return true;
        });

    public Task RemoveAsync(string key, CancellationToken token = default) =>
        OrTimeoutAsync(database => database.KeyDeleteAsync(_prefix + key));

    public Task RefreshAsync(string key, CancellationToken token = default) => Task.CompletedTask;

    public byte[]? Get(string key) => throw new NotSupportedException();

    public void Set(string key, byte[] value, DistributedCacheEntryOptions options) =>
        throw new NotSupportedException();

    public void Refresh(string key) => throw new NotSupportedException();

    public void Remove(string key) => throw new NotSupportedException();

    /// <summary>What its client says of its connections.</summary>
    public override string ToString() => _multiplexer.GetStatus();

    public void Dispose() => _multiplexer.Dispose();

    // What the checker takes for a write of which nobody knows whether it was made.
    private async Task<T> OrTimeoutAsync<T>(Func<IDatabase, Task<T>> call)
    {
        try
        {
            return await call(_multiplexer.GetDatabase()).WaitAsync(TimeSpan.FromSeconds(2));
        }
        catch (Exception failure) when (failure is RedisException or OperationCanceledException)
        {
            throw new TimeoutException(failure.Message, failure);
        }
    }
}
