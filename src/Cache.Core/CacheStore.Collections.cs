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
    /// <returns>False if there is no live entry, or no file can hold its kind.</returns>
    internal bool TryPeekStored<TSink>(ReadOnlySpan<byte> key, ref TSink sink, out EntryInfo info)
        where TSink : struct, IValueSink, allows ref struct
    {
        while (true)
        {
            if (TryPeekRange(key, 0, -1, ref sink, out info))
                return true;
            if (!PackedCheck.TryGetShape(info.Kind, out _))
                return false;
            var entryKey = KeyOf(key);
            var status = ShardOf(entryKey).PeekStored(entryKey, info.Kind, ref sink, out info);
            if (status != ReadStatus.WrongType)
                return status == ReadStatus.Found;
            // Another thread has made another kind of it in between: the key is there, and is asked again.
        }
    }

    /// <summary>Writes a value of any kind as it was in a file.</summary>
    /// <remarks>bytes: Of a collection; they were checked by <see cref="PackedCheck"/>.</remarks>
    internal WriteStatus SetStored(
        ReadOnlySpan<byte> key, EntryKind kind, ReadOnlySpan<byte> bytes, in EntryOptions options) =>
        kind == EntryKind.String
            ? Set(key, bytes, options)
            : Counted(EntryWriter.SetPacked(_state, KeyOf(key), kind, bytes, options));
}
