using System.Collections.Concurrent;
using Microsoft.Extensions.Caching.Distributed;

namespace Cache.Core.Tests.Hybrid;

/// <summary>A second level in memory that can fail or wait, and that tells what it was asked for.</summary>
internal sealed class FarCache : IDistributedCache
{
    private readonly ConcurrentDictionary<string, byte[]> _entries = [];

    private TaskCompletionSource? _hold;
    private int _changesBegun;
    private int _changesDone;

    public bool IsBroken { get; set; }

    public int Reads { get; private set; }

    public TimeSpan? LastExpiration { get; private set; }

    public ICollection<string> Keys => _entries.Keys;

    /// <summary>Writes and removals.</summary>
    public int ChangesBegun => Volatile.Read(ref _changesBegun);

    public int ChangesDone => Volatile.Read(ref _changesDone);

    /// <summary>Lets the next write or removal wait until the result is complete.</summary>
    public TaskCompletionSource HoldNextChange() => _hold = new(TaskCreationOptions.RunContinuationsAsynchronously);

    public byte[]? Get(string key) => _entries.GetValueOrDefault(key);

    public Task<byte[]?> GetAsync(string key, CancellationToken token = default) => Run(() =>
    {
        Reads++;
        return Get(key);
    });

    public void Set(string key, byte[] value, DistributedCacheEntryOptions options) => _entries[key] = value;

    public Task SetAsync(
        string key, byte[] value, DistributedCacheEntryOptions options, CancellationToken token = default) =>
        Change(() =>
        {
            LastExpiration = options.AbsoluteExpirationRelativeToNow;
            Set(key, value, options);
        });

    public void Refresh(string key)
    {
    }

    public Task RefreshAsync(string key, CancellationToken token = default) => Task.CompletedTask;

    public void Remove(string key) => _entries.TryRemove(key, out _);

    public Task RemoveAsync(string key, CancellationToken token = default) => Change(() => Remove(key));

    private async Task Change(Action change)
    {
        var hold = Interlocked.Exchange(ref _hold, null);
        Interlocked.Increment(ref _changesBegun);
        if (hold is not null)
            await hold.Task;
        await Run(() =>
        {
            change();
            return Interlocked.Increment(ref _changesDone);
        });
    }

    private async Task<T> Run<T>(Func<T> operation)
    {
        await Task.Yield();
        return IsBroken ? throw new IOException("The second level is down.") : operation();
    }
}
