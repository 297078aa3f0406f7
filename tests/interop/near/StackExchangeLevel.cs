using System.Diagnostics;
using Microsoft.Extensions.Caching.Distributed;
using StackExchange.Redis;

namespace NearRig;

/// <summary>
/// What Microsoft.Extensions.Caching.StackExchangeRedis does, on the version of its client that can be had here: a hash
/// with absexp, sldexp and data, and its expiry.
/// </summary>
internal sealed class StackExchangeLevel : IDistributedCache, IDisposable
{
    // A client of that version at times has no connection any more, for ever (its issue 269). Applications then take a
    // new one, as its makers tell them; no fault of the rig is as long.
    private static readonly TimeSpan _lostAfter = TimeSpan.FromSeconds(10);

    private readonly string _servers;
    private readonly string _prefix;
    private volatile ConnectionMultiplexer _multiplexer;
    private long _lastReply = Stopwatch.GetTimestamp();
    private int _isReplaced; // 1: by a thread, just now.

    private StackExchangeLevel(string servers, ConnectionMultiplexer multiplexer, string prefix)
    {
        _servers = servers;
        _multiplexer = multiplexer;
        _prefix = prefix;
    }

    public static async Task<StackExchangeLevel> ConnectAsync(string servers, string prefix) =>
        new(servers, await ConnectAsync(servers), prefix);

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
            var reply = await call(_multiplexer.GetDatabase()).WaitAsync(TimeSpan.FromSeconds(2));
            Volatile.Write(ref _lastReply, Stopwatch.GetTimestamp());
            return reply;
        }
        catch (Exception failure) when (failure is RedisException or OperationCanceledException or TimeoutException
            or ObjectDisposedException)
        {
            await ReplaceIfLostAsync();
            throw new TimeoutException(failure.Message, failure);
        }
    }

    private async Task ReplaceIfLostAsync()
    {
        if (Stopwatch.GetElapsedTime(Volatile.Read(ref _lastReply)) < _lostAfter
            || Interlocked.Exchange(ref _isReplaced, 1) != 0)
        {
            return;
        }

        var lost = _multiplexer;
        Console.WriteLine($"       no reply for {_lostAfter.TotalSeconds} s, a new client: {lost.GetStatus()}");
        _multiplexer = await ConnectAsync(_servers);
        lost.Dispose();
        Volatile.Write(ref _lastReply, Stopwatch.GetTimestamp());
        Volatile.Write(ref _isReplaced, 0);
    }

    private static Task<ConnectionMultiplexer> ConnectAsync(string servers) => ConnectionMultiplexer.ConnectAsync(
        ConfigurationOptions.Parse($"{servers},abortConnect=false,syncTimeout=1000"));
}
