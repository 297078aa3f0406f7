using System.Buffers;
using System.IO.Pipelines;
using System.Runtime.CompilerServices;
using Cache.Core;
using Microsoft.AspNetCore.OutputCaching;

namespace Cache.AspNetCore;

/// <summary>ASP.NET Core's output cache on a store.</summary>
/// <remarks>
/// Thread-safe, like the store; only the flush of a pipe waits. A response whose tag was evicted is removed when it is
/// next asked for, or evicted or expired like any entry. A response that cannot be stored (no room, too long, a key
/// without a UTF-8 form) is dropped silently, together with the response that it should replace: an outdated response
/// is never served.
/// All output caches over one store see the same evictions.
/// </remarks>
internal sealed class StoreOutputCache(CacheStore store) : IOutputCacheBufferStore
{
    // For the store 0 means never; this is a moment that has passed.
    private const long LongPastMs = 1;

    private static readonly long _lastMomentMs = DateTimeOffset.MaxValue.ToUnixTimeMilliseconds();
    private static readonly ConditionalWeakTable<CacheStore, TagTable> _evictionsByStore = [];

    private readonly CacheStore _store = store;
    private readonly TagTable _evictions =
        _evictionsByStore.GetValue(store, static _ => new TagTable());

    public ValueTask<byte[]?> GetAsync(string key, CancellationToken cancellationToken)
    {
        ArgumentNullException.ThrowIfNull(key);
        return cancellationToken.IsCancellationRequested
            ? ValueTask.FromCanceled<byte[]?>(cancellationToken)
            : ValueTask.FromResult(Get(key));
    }

    public ValueTask<bool> TryGetAsync(string key, PipeWriter destination, CancellationToken cancellationToken)
    {
        ArgumentNullException.ThrowIfNull(key);
        ArgumentNullException.ThrowIfNull(destination);
        if (cancellationToken.IsCancellationRequested)
            return ValueTask.FromCanceled<bool>(cancellationToken);
        return TryGet(key, destination) ? FlushAsync(destination, cancellationToken) : ValueTask.FromResult(false);
    }

    public ValueTask SetAsync(
        string key, byte[] value, string[]? tags, TimeSpan validFor, CancellationToken cancellationToken)
    {
        ArgumentNullException.ThrowIfNull(value);
        return SetAsync(key, new ReadOnlySequence<byte>(value), tags, validFor, cancellationToken);
    }

    public ValueTask SetAsync(
        string key,
        ReadOnlySequence<byte> value,
        ReadOnlyMemory<string> tags,
        TimeSpan validFor,
        CancellationToken cancellationToken)
    {
        ArgumentNullException.ThrowIfNull(key);
        if (cancellationToken.IsCancellationRequested)
            return ValueTask.FromCanceled(cancellationToken);
        foreach (string tag in tags.Span)
            ArgumentNullException.ThrowIfNull(tag, nameof(tags));
        Set(key, value, tags.Span, validFor);
        return ValueTask.CompletedTask;
    }

    public ValueTask EvictByTagAsync(string tag, CancellationToken cancellationToken)
    {
        ArgumentNullException.ThrowIfNull(tag);
        if (cancellationToken.IsCancellationRequested)
            return ValueTask.FromCanceled(cancellationToken);
        ThrowIfDisposed();
        _evictions.Evict(tag);
        return ValueTask.CompletedTask;
    }

    private static async ValueTask<bool> FlushAsync(PipeWriter destination, CancellationToken cancellationToken)
    {
        await destination.FlushAsync(cancellationToken).ConfigureAwait(false);
        return true;
    }

    // A disposed store is an error even if the key or tag never reaches it.
    private void ThrowIfDisposed() => ObjectDisposedException.ThrowIf(_store.IsDisposed, _store);

    private byte[]? Get(string key)
    {
        using var storeKey = new StoreKey(key, stackalloc byte[StoreKey.StackBytes]);
        if (storeKey.IsNone)
        {
            ThrowIfDisposed();
            return null;
        }

        var sink = new ResponseArraySink(_evictions);
        try
        {
            if (_store.TryGet(storeKey.Bytes, ref sink, out var info) && sink.Response is null)
                RemoveStale(storeKey.Bytes, info.Version);
            return sink.Response;
        }
        finally
        {
            sink.Release();
        }
    }

    private bool TryGet(string key, PipeWriter destination)
    {
        using var storeKey = new StoreKey(key, stackalloc byte[StoreKey.StackBytes]);
        if (storeKey.IsNone)
        {
            ThrowIfDisposed();
            return false;
        }

        var sink = new ResponsePipeSink(_evictions, destination);
        if (_store.TryGet(storeKey.Bytes, ref sink, out var info) && !sink.IsTaken)
            RemoveStale(storeKey.Bytes, info.Version);
        return sink.IsTaken;
    }

    // Unless the key was written meanwhile.
    private void RemoveStale(ReadOnlySpan<byte> key, EntryVersion version) =>
        _store.SetIfUnchanged(key, default, new EntryOptions { ExpiresAtMs = LongPastMs }, version);

    private void Set(string key, in ReadOnlySequence<byte> value, ReadOnlySpan<string> tags, TimeSpan validFor)
    {
        using var storeKey = new StoreKey(key, stackalloc byte[StoreKey.StackBytes]);
        if (storeKey.IsNone)
        {
            ThrowIfDisposed();
            return;
        }

        long size = Entry.SizeOf(value.Length, tags);
        if (size > CacheStore.ValueLengthMax || !TryWrite(storeKey.Bytes, value, tags, (int)size, ExpiryOf(validFor)))
            _store.Remove(storeKey.Bytes);
    }

    private bool TryWrite(
        ReadOnlySpan<byte> key,
        in ReadOnlySequence<byte> value,
        ReadOnlySpan<string> tags,
        int size,
        in EntryOptions options)
    {
        long number = _evictions.Now;
        var pooled = ArrayPool<byte>.Shared.Rent(size);
        try
        {
            var entry = pooled.AsSpan(0, size);
            Entry.Write(value, tags, number, entry);
            return _store.Set(key, entry, options) == WriteStatus.Done;
        }
        finally
        {
            ArrayPool<byte>.Shared.Return(pooled);
        }
    }

    // Rounded up to a millisecond: no response expires early.
    private EntryOptions ExpiryOf(TimeSpan validFor)
    {
        if (validFor <= TimeSpan.Zero)
            return new EntryOptions { ExpiresAtMs = LongPastMs };
        long validMs = (validFor.Ticks - 1) / TimeSpan.TicksPerMillisecond + 1;
        return new EntryOptions { ExpiresAtMs = Math.Min(_lastMomentMs, _store.NowMs + validMs) };
    }
}
