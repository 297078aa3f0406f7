using System.Diagnostics;
using Cache.Core.Operations;

namespace Cache.Core;

/// <summary>
/// Reads and writes of keys that are known in advance, so that the memory of many is prefetched at once.
/// </summary>
/// <remarks>
/// <see cref="BeginPrefetch"/> for each of up to 32 keys, then <see cref="EndPrefetch"/> for each, then the operations
/// in order, each as usual: prefetching changes nothing and promises nothing, also when the store was disposed.
/// </remarks>
public sealed partial class CacheStore
{
    /// <summary>Hashes a key and begins to prefetch its place in the index.</summary>
    public KeyHash BeginPrefetch(ReadOnlySpan<byte> key)
    {
        ulong hash = _state.HashOf(key, _keyspace);
        _state.ShardOf(hash).PrefetchBucket(hash);
        return new KeyHash(hash);
    }

    /// <summary>Begins to prefetch the entry of a key whose place in the index was prefetched before.</summary>
    /// <param name="hash">The result of <see cref="BeginPrefetch"/> for the key.</param>
    /// <param name="expectedBytes">The likely length of key and value; a wrong guess costs little.</param>
    public void EndPrefetch(KeyHash hash, int expectedBytes) =>
        _state.ShardOf(hash.Value).PrefetchRecord(hash.Value, expectedBytes);

    /// <summary>
    /// As <see cref="TryGet{TSink}(ReadOnlySpan{byte}, ref TSink)"/>, for a key whose hash is known.
    /// </summary>
    /// <param name="key">The key of the hash.</param>
    /// <param name="hash">Its hash in this keyspace.</param>
    /// <param name="sink">Receives the value.</param>
    public bool TryGet<TSink>(ReadOnlySpan<byte> key, KeyHash hash, ref TSink sink)
        where TSink : struct, IValueSink, allows ref struct
    {
        Debug.Assert(hash.Value == _state.HashOf(key, _keyspace));
        var status = _transaction is null
            ? _state.ShardOf(hash.Value).Read(key, hash.Value, _keyspace, ref sink)
            : ReadLocked(key, hash.Value, ref sink);
        return status == ReadStatus.Found;
    }

    /// <summary>
    /// As <see cref="TryGet{TSink}(ReadOnlySpan{byte}, KeyHash, ref TSink)"/>, but a large value is lent instead of
    /// copied.
    /// </summary>
    /// <param name="key">The key of the hash.</param>
    /// <param name="hash">Its hash in this keyspace.</param>
    /// <param name="sink">Receives a value that is not lent.</param>
    /// <param name="lentLengthMin">
    /// The shortest value in bytes that is lent. A value that shares memory with others is copied in any case.
    /// </param>
    /// <param name="lent">The value, which the caller must dispose; null if it was copied, or there is none.</param>
    /// <returns>False if there is no live entry, or it is not a string; the sink is then untouched.</returns>
    public bool TryGet<TSink>(
        ReadOnlySpan<byte> key, KeyHash hash, ref TSink sink, int lentLengthMin, out LentValue? lent)
        where TSink : struct, IValueSink, allows ref struct =>
        Read(key, hash, ref sink, lentLengthMin, out lent) == ReadStatus.Found;

    /// <summary>
    /// As <see cref="TryGet{TSink}(ReadOnlySpan{byte}, KeyHash, ref TSink, int, out LentValue)"/>, but distinguishes an
    /// absent entry from one of another kind.
    /// </summary>
    /// <param name="key">The key of the hash.</param>
    /// <param name="hash">Its hash in this keyspace.</param>
    /// <param name="sink">Receives a value that is not lent; untouched unless the status is Found.</param>
    /// <param name="lentLengthMin">The shortest value in bytes that is lent.</param>
    /// <param name="lent">The value, which the caller must dispose; null if it was copied, or there is none.</param>
    public ReadStatus Read<TSink>(
        ReadOnlySpan<byte> key, KeyHash hash, ref TSink sink, int lentLengthMin, out LentValue? lent)
        where TSink : struct, IValueSink, allows ref struct
    {
        Debug.Assert(hash.Value == _state.HashOf(key, _keyspace));
        var status = _transaction is null
            ? _state.ShardOf(hash.Value).Read(key, hash.Value, _keyspace, ref sink, lentLengthMin, out var block)
            : ReadLocked(key, hash.Value, ref sink, lentLengthMin, out block);
        lent = block.IsNull ? null : new LentValue(_state, block);
        return status;
    }

    /// <summary>
    /// As <see cref="Set(ReadOnlySpan{byte}, ReadOnlySpan{byte})"/>, for a key whose hash is known.
    /// </summary>
    /// <param name="key">The key of the hash.</param>
    /// <param name="hash">Its hash in this keyspace.</param>
    /// <param name="value">The new value.</param>
    public WriteStatus Set(ReadOnlySpan<byte> key, KeyHash hash, ReadOnlySpan<byte> value)
    {
        Debug.Assert(hash.Value == _state.HashOf(key, _keyspace));
        return Counted(EntryWriter.Set(_state, KeyOf(key, hash.Value), value, default));
    }
}
