using System.Text;
using Microsoft.Extensions.Caching.Distributed;

namespace Cache.Near.Tests;

/// <summary>
/// A distributed cache of the application over the fake server: what it reads and writes is not on the connection that
/// is told of changes.
/// </summary>
internal sealed class FakeSecondLevel(FakeRedis redis, string prefix) : IDistributedCache
{
    private volatile TaskCompletionSource? _reads;
    private volatile TaskCompletionSource? _writes;
    private int _readCount;

    /// <summary>The server that its connections are of.</summary>
    public FakeRedis Server { get; set; } = redis;

    /// <summary>Reads of values so far; not of the marks of tags.</summary>
    public int ReadCount => Volatile.Read(ref _readCount);

    /// <summary>Thrown by each operation; null: none is.</summary>
    public Exception? Failure { get; set; }

    /// <summary>Called before each write; null: nothing is.</summary>
    public Action? BeforeWrite { get; set; }

    /// <summary>From now on a read has its value, and does not return it before <see cref="Release"/>.</summary>
    public void HoldReads() => _reads = new(TaskCreationOptions.RunContinuationsAsynchronously);

    /// <summary>From now on a write is made, and does not return before <see cref="Release"/>.</summary>
    public void HoldWrites() => _writes = new(TaskCreationOptions.RunContinuationsAsynchronously);

    public void Release()
    {
        _reads?.TrySetResult();
        _writes?.TrySetResult();
        _reads = _writes = null;
    }

    public async Task<byte[]?> GetAsync(string key, CancellationToken token = default)
    {
        ThrowIfFailing();
        string? value = Server.Get(prefix + key);
        if (!key.StartsWith("__", StringComparison.Ordinal))
        {
            Interlocked.Increment(ref _readCount);
            await (_reads?.Task ?? Task.CompletedTask);
        }

        return value is null ? null : Encoding.Latin1.GetBytes(value);
    }

    public async Task SetAsync(
        string key, byte[] value, DistributedCacheEntryOptions options, CancellationToken token = default)
    {
        ThrowIfFailing();
        BeforeWrite?.Invoke();
        Server.Set(prefix + key, Encoding.Latin1.GetString(value));
        await (_writes?.Task ?? Task.CompletedTask);
    }

    public async Task RemoveAsync(string key, CancellationToken token = default)
    {
        ThrowIfFailing();
        Server.Delete(prefix + key);
        await (_writes?.Task ?? Task.CompletedTask);
    }

    public Task RefreshAsync(string key, CancellationToken token = default) => Task.CompletedTask;

    public byte[]? Get(string key) => throw new NotSupportedException();

    public void Set(string key, byte[] value, DistributedCacheEntryOptions options) =>
        throw new NotSupportedException();

    public void Refresh(string key) => throw new NotSupportedException();

    public void Remove(string key) => throw new NotSupportedException();

    private void ThrowIfFailing()
    {
        if (Failure is { } failure)
            throw failure;
    }
}
