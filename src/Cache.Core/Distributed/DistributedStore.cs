using System.Buffers;
using System.Diagnostics;
using System.Globalization;
using System.Runtime.CompilerServices;
using Microsoft.Extensions.Caching.Distributed;

namespace Cache.Core.Distributed;

/// <summary>
/// A store as the framework's distributed cache, so that sessions, output and hybrid caches keep their entries in it.
/// </summary>
/// <remarks>
/// Thread-safe, like the store. Keys are the UTF-8 of the string, values are the caller's bytes, so a client of a
/// server on the same store sees what the application wrote, and vice versa. Nothing here waits: the asynchronous
/// members are complete when they return, and check their token once, at entry. Exceptions are those of the framework's
/// in-memory provider; besides, a key without a UTF-8 form, and a key or value that is too long, is an
/// <see cref="ArgumentException"/>. A write that finds no room is dropped silently, as in the framework's providers
/// with a size limit, together with the entry that it should replace: an outdated value is never returned.
/// </remarks>
internal sealed class DistributedStore(CacheStore store) : IBufferDistributedCache
{
    private readonly CacheStore _store = store;

    [SkipLocalsInit] // The key writes its scratch before reading it; clearing it would cost as much as hashing.
    public byte[]? Get(string key)
    {
        ArgumentNullException.ThrowIfNull(key);
        using var utf8Key = new Utf8Key(key, stackalloc byte[Utf8Key.StackBytes]);
        return _store.GetArray(utf8Key.Bytes);
    }

    public Task<byte[]?> GetAsync(string key, CancellationToken token = default)
    {
        ArgumentNullException.ThrowIfNull(key);
        return token.IsCancellationRequested ? Task.FromCanceled<byte[]?>(token) : Task.FromResult(Get(key));
    }

    [SkipLocalsInit] // As above.
    public bool TryGet(string key, IBufferWriter<byte> destination)
    {
        ArgumentNullException.ThrowIfNull(key);
        ArgumentNullException.ThrowIfNull(destination);
        using var utf8Key = new Utf8Key(key, stackalloc byte[Utf8Key.StackBytes]);
        var sink = new BufferWriterSink(destination);
        return _store.TryGet(utf8Key.Bytes, ref sink);
    }

    public ValueTask<bool> TryGetAsync(string key, IBufferWriter<byte> destination, CancellationToken token = default)
    {
        ArgumentNullException.ThrowIfNull(key);
        ArgumentNullException.ThrowIfNull(destination);
        return token.IsCancellationRequested
            ? ValueTask.FromCanceled<bool>(token)
            : ValueTask.FromResult(TryGet(key, destination));
    }

    public void Set(string key, byte[] value, DistributedCacheEntryOptions options)
    {
        ArgumentNullException.ThrowIfNull(key);
        ArgumentNullException.ThrowIfNull(value);
        ArgumentNullException.ThrowIfNull(options);
        SetCore(key, value, options);
    }

    public Task SetAsync(
        string key, byte[] value, DistributedCacheEntryOptions options, CancellationToken token = default)
    {
        ArgumentNullException.ThrowIfNull(key);
        ArgumentNullException.ThrowIfNull(value);
        ArgumentNullException.ThrowIfNull(options);
        if (token.IsCancellationRequested)
            return Task.FromCanceled(token);
        SetCore(key, value, options);
        return Task.CompletedTask;
    }

    public void Set(string key, ReadOnlySequence<byte> value, DistributedCacheEntryOptions options)
    {
        ArgumentNullException.ThrowIfNull(key);
        ArgumentNullException.ThrowIfNull(options);
        if (value.IsSingleSegment)
            SetCore(key, value.FirstSpan, options);
        else
            SetSegments(key, value, options);
    }

    public ValueTask SetAsync(
        string key,
        ReadOnlySequence<byte> value,
        DistributedCacheEntryOptions options,
        CancellationToken token = default)
    {
        ArgumentNullException.ThrowIfNull(key);
        ArgumentNullException.ThrowIfNull(options);
        if (token.IsCancellationRequested)
            return ValueTask.FromCanceled(token);
        Set(key, value, options);
        return ValueTask.CompletedTask;
    }

    [SkipLocalsInit] // As above.
    public void Refresh(string key)
    {
        ArgumentNullException.ThrowIfNull(key);
        using var utf8Key = new Utf8Key(key, stackalloc byte[Utf8Key.StackBytes]);
        _store.Contains(utf8Key.Bytes);
    }

    public Task RefreshAsync(string key, CancellationToken token = default)
    {
        ArgumentNullException.ThrowIfNull(key);
        if (token.IsCancellationRequested)
            return Task.FromCanceled(token);
        Refresh(key);
        return Task.CompletedTask;
    }

    [SkipLocalsInit] // As above.
    public void Remove(string key)
    {
        ArgumentNullException.ThrowIfNull(key);
        using var utf8Key = new Utf8Key(key, stackalloc byte[Utf8Key.StackBytes]);
        _store.Remove(utf8Key.Bytes);
    }

    public Task RemoveAsync(string key, CancellationToken token = default)
    {
        ArgumentNullException.ThrowIfNull(key);
        if (token.IsCancellationRequested)
            return Task.FromCanceled(token);
        Remove(key);
        return Task.CompletedTask;
    }

    // The store takes a value as one span, to write it atomically: segments are joined in a pooled array.
    private void SetSegments(string key, in ReadOnlySequence<byte> value, DistributedCacheEntryOptions options)
    {
        if (value.Length > CacheStore.ValueLengthMax)
            throw new ArgumentException(TooLong(value.Length), nameof(value));
        int length = (int)value.Length;
        var joined = ArrayPool<byte>.Shared.Rent(length);
        try
        {
            value.CopyTo(joined);
            SetCore(key, joined.AsSpan(0, length), options);
        }
        finally
        {
            ArrayPool<byte>.Shared.Return(joined);
        }
    }

    [SkipLocalsInit] // As above.
    private void SetCore(string key, ReadOnlySpan<byte> value, DistributedCacheEntryOptions options)
    {
        var entryOptions = ExpiryConversion.ToEntryOptions(options, _store);
        using var utf8Key = new Utf8Key(key, stackalloc byte[Utf8Key.StackBytes]);
        var status = _store.Set(utf8Key.Bytes, value, entryOptions);
        if (status == WriteStatus.Done)
            return;
        if (status == WriteStatus.ValueTooLong)
            throw new ArgumentException(TooLong(value.Length), nameof(value));
        Debug.Assert(status == WriteStatus.OutOfMemory, "A set without a condition fails for want of room alone.");
        _store.Remove(utf8Key.Bytes);
    }

    private string TooLong(long length) => string.Create(
        CultureInfo.InvariantCulture,
        $"The value is {length} bytes long; it must be at most {_store.ValueLengthLimit}.");
}
