using Cache.Core.Layout;
using Cache.Core.Operations;

namespace Cache.Core;

/// <summary>
/// Reads of one entry. Each counts as a hit or a miss and renews a sliding expiry, unless stated otherwise.
/// </summary>
/// <remarks>
/// Only strings are copied. An entry of another kind is a hit that copies nothing: false, or
/// <see cref="ReadStatus.WrongType"/>, and <see cref="EntryInfo.Kind"/> is its kind.
/// </remarks>
public sealed partial class CacheStore
{
    /// <summary>Copies the value of a key into the sink.</summary>
    /// <returns>False if there is no live entry, or it is not a string; the sink is then untouched.</returns>
    public bool TryGet<TSink>(ReadOnlySpan<byte> key, ref TSink sink)
        where TSink : struct, IValueSink, allows ref struct
    {
        ulong hash = _state.HashOf(key, _keyspace);
        var status = _transaction is null
            ? _state.ShardOf(hash).Read(key, hash, _keyspace, ref sink)
            : ReadLocked(key, hash, ref sink);
        return status == ReadStatus.Found;
    }

    /// <summary>
    /// Copies the value of a key into the sink, and returns the entry's other properties, all atomically.
    /// </summary>
    /// <returns>
    /// False if there is no live entry: <see cref="EntryInfo.Version"/> is then the version of its absence; or if it is
    /// not a string: see <see cref="EntryInfo.Kind"/>.
    /// </returns>
    public bool TryGet<TSink>(ReadOnlySpan<byte> key, ref TSink sink, out EntryInfo info)
        where TSink : struct, IValueSink, allows ref struct
    {
        var entryKey = KeyOf(key);
        return ShardOf(entryKey).Read(entryKey, ByteRange.All, ref sink, out info) == ReadStatus.Found;
    }

    /// <summary>Copies a part of the value into the sink.</summary>
    /// <param name="key">The key.</param>
    /// <param name="first">The first byte, from 0; negative: from the end, −1 being the last byte.</param>
    /// <param name="last">The last byte, in the same way. Bytes outside of the value are omitted.</param>
    /// <param name="sink">Receives the bytes, perhaps none.</param>
    /// <returns>False if there is no live entry, or it is not a string.</returns>
    public bool TryGetRange<TSink>(ReadOnlySpan<byte> key, long first, long last, ref TSink sink)
        where TSink : struct, IValueSink, allows ref struct =>
        TryGetRange(key, first, last, ref sink, out _);

    /// <summary>Copies a part of the value into the sink, and returns the entry's other properties.</summary>
    /// <param name="key">The key.</param>
    /// <param name="first">The first byte, from 0; negative: from the end, −1 being the last byte.</param>
    /// <param name="last">The last byte, in the same way. Bytes outside of the value are omitted.</param>
    /// <param name="sink">Receives the bytes, perhaps none.</param>
    /// <param name="info">The entry's properties; the length is that of the whole value.</param>
    /// <returns>False if there is no live entry, or it is not a string.</returns>
    public bool TryGetRange<TSink>(
        ReadOnlySpan<byte> key, long first, long last, ref TSink sink, out EntryInfo info)
        where TSink : struct, IValueSink, allows ref struct
    {
        var entryKey = KeyOf(key);
        return ShardOf(entryKey).Read(entryKey, new ByteRange(first, last), ref sink, out info) == ReadStatus.Found;
    }

    /// <summary>
    /// Copies a part of the value into the sink, and returns the entry's other properties, without counting a hit, a
    /// miss or a use, and without renewing the expiry.
    /// </summary>
    /// <param name="key">The key.</param>
    /// <param name="first">
    /// See <see cref="TryGetRange{TSink}(ReadOnlySpan{byte}, long, long, ref TSink, out EntryInfo)"/>.
    /// </param>
    /// <param name="last">The same.</param>
    /// <param name="sink">Receives the bytes, perhaps none.</param>
    /// <param name="info">The entry's properties; the length is that of the whole value.</param>
    /// <returns>False if there is no live entry, or it is not a string; the sink is then untouched.</returns>
    public bool TryPeekRange<TSink>(
        ReadOnlySpan<byte> key, long first, long last, ref TSink sink, out EntryInfo info)
        where TSink : struct, IValueSink, allows ref struct
    {
        var entryKey = KeyOf(key);
        return ShardOf(entryKey).Peek(entryKey, new ByteRange(first, last), ref sink, out info) == ReadStatus.Found;
    }

    /// <summary>The value of a key as a new array.</summary>
    /// <returns>Null if there is no live entry, or it is not a string.</returns>
    public byte[]? GetArray(ReadOnlySpan<byte> key)
    {
        var sink = default(ArraySink);
        return TryGet(key, ref sink) ? sink.Array : null;
    }

    /// <summary>Copies the value of a key into the sink and gives the entry another expiry, atomically.</summary>
    /// <param name="key">The key.</param>
    /// <param name="expiresAtMs">
    /// Unix milliseconds of the store's clock; 0: never; a moment in the past removes the entry.
    /// </param>
    /// <param name="sink">Receives the value.</param>
    /// <returns>
    /// False if there is no live entry, it is not a string, or there is no room for the expiry: nothing is copied or
    /// changed.
    /// </returns>
    public bool TryGetAndExpire<TSink>(ReadOnlySpan<byte> key, long expiresAtMs, ref TSink sink)
        where TSink : struct, IValueSink, allows ref struct =>
        TryGetAndExpire(key, expiresAtMs, ref sink, out _);

    /// <summary>Copies the value of a key into the sink and gives the entry another expiry, atomically.</summary>
    /// <param name="key">The key.</param>
    /// <param name="expiresAtMs">
    /// Unix milliseconds of the store's clock; 0: never; a moment in the past removes the entry.
    /// </param>
    /// <param name="sink">Receives the value.</param>
    /// <param name="status">
    /// Done; NotFound; WrongType; or OutOfMemory if no entry may be evicted to make room for the expiry.
    /// </param>
    /// <returns>Whether the status is Done; otherwise nothing is copied or changed.</returns>
    public bool TryGetAndExpire<TSink>(
        ReadOnlySpan<byte> key, long expiresAtMs, ref TSink sink, out WriteStatus status)
        where TSink : struct, IValueSink, allows ref struct
    {
        bool found = EntryTaker.TryGetAndExpire(
            _state, KeyOf(key), Deadline.OfStore(expiresAtMs), ref sink, out status);
        Counted(status);
        return found;
    }

    /// <summary>The same with a moment of the wall clock, which is honoured even if that clock is set later.</summary>
    /// <param name="key">The key.</param>
    /// <param name="unixMs">Unix milliseconds; a moment that has passed removes the entry.</param>
    /// <param name="sink">Receives the value.</param>
    /// <param name="status">
    /// Done; NotFound; WrongType; or OutOfMemory if no entry may be evicted to make room for the expiry.
    /// </param>
    public bool TryGetAndExpireAtUnixMs<TSink>(
        ReadOnlySpan<byte> key, long unixMs, ref TSink sink, out WriteStatus status)
        where TSink : struct, IValueSink, allows ref struct
    {
        bool found = EntryTaker.TryGetAndExpire(_state, KeyOf(key), Deadline.OfWall(unixMs), ref sink, out status);
        Counted(status);
        return found;
    }

    /// <summary>Whether a key has a live entry, of any kind, and its properties.</summary>
    public bool TryGetInfo(ReadOnlySpan<byte> key, out EntryInfo info)
    {
        var entryKey = KeyOf(key);
        return ShardOf(entryKey).TryGetInfo(entryKey, touch: true, out info);
    }

    /// <summary>As <see cref="TryGetInfo"/>, but without counting a hit or miss or renewing the expiry.</summary>
    public bool TryPeekInfo(ReadOnlySpan<byte> key, out EntryInfo info)
    {
        var entryKey = KeyOf(key);
        return ShardOf(entryKey).TryGetInfo(entryKey, touch: false, out info);
    }

    /// <summary>Whether a key has a live entry, of any kind.</summary>
    public bool Contains(ReadOnlySpan<byte> key) => TryGetInfo(key, out _);
}
