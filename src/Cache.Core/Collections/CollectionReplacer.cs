using System.Buffers;
using Cache.Core.Collections.Packed;
using Cache.Core.Operations;
using Cache.Core.Sharding;

namespace Cache.Core.Collections;

/// <summary>Writes of a whole collection over whatever a key has; the key has no expiry then.</summary>
internal static class CollectionReplacer
{
    public static WriteStatus Write(StoreState state, in EntryKey key, EntryKind kind, in PackedEditor collection)
    {
        int length = collection.Length;
        if (!CollectionLimits.MayBecome(state.ShardOf(key.Hash), key, lengthBefore: 0, length))
            return WriteStatus.CollectionTooLong;
        byte[] packed = ArrayPool<byte>.Shared.Rent(PackedTable.LengthMax);
        try
        {
            collection.WriteTo(packed.AsSpan(0, length));
            return EntryWriter.SetPacked(state, key, kind, packed.AsSpan(0, length), default);
        }
        finally // The store may have been disposed.
        {
            ArrayPool<byte>.Shared.Return(packed);
        }
    }
}
