using Cache.Core.Collections.Packed;
using Cache.Core.Operations;
using Cache.Core.Sharding;

namespace Cache.Core;

/// <summary>Keys whose values are collections.</summary>
public sealed partial class CacheStore
{
    internal StoreState State => _state;

    /// <summary>The hash of a key: fields, each with a value. Nothing is read or made yet.</summary>
    /// <param name="key">The key; its bytes are used while the result is.</param>
    public HashKey Hash(ReadOnlySpan<byte> key)
    {
        ThrowIfDisposed();
        return new HashKey(this, KeyOf(key));
    }

    /// <summary>Copies a value of any kind as it is stored in a file, without counting anything.</summary>
    /// <returns>False if there is no live entry, or another thread wrote one of another kind meanwhile.</returns>
    internal bool TryPeekStored<TSink>(ReadOnlySpan<byte> key, ref TSink sink, out EntryInfo info)
        where TSink : struct, IValueSink, allows ref struct
    {
        if (TryPeekRange(key, 0, -1, ref sink, out info))
            return true;
        var entryKey = KeyOf(key);
        return PackedCheck.TryGetShape(info.Kind, out _)
            && ShardOf(entryKey).PeekStored(entryKey, info.Kind, ref sink, out info) == ReadStatus.Found;
    }

    /// <summary>Writes a value of any kind as it was in a file.</summary>
    /// <remarks>bytes: Of a collection; they were checked by <see cref="PackedCheck"/>.</remarks>
    internal WriteStatus SetStored(
        ReadOnlySpan<byte> key, EntryKind kind, ReadOnlySpan<byte> bytes, in EntryOptions options) =>
        kind == EntryKind.String
            ? Set(key, bytes, options)
            : Counted(EntryWriter.SetPacked(_state, KeyOf(key), kind, bytes, options));
}
