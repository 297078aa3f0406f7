using System.Buffers;
using Cache.Core.Collections;
using Cache.Core.Collections.Packed;
using Cache.Core.Operations;
using Cache.Core.Sharding;

namespace Cache.Core;

/// <summary>Writes of a whole list over whatever the key had.</summary>
internal static class ListReplacer
{
    public static WriteStatus Replace<TElements>(CacheStore store, in EntryKey key, ref TElements elements)
        where TElements : struct, IKeySource, allows ref struct
    {
        if (elements.Count == 0)
        {
            store.Remove(key.Bytes);
            return WriteStatus.Done;
        }

        byte[] memory = ArrayPool<byte>.Shared.Rent(PackedEditor.MemorySize + PackedTable.LengthMax);
        try
        {
            var editor = new PackedEditor(PackedShape.List, memory.AsSpan(0, PackedEditor.MemorySize));
            editor.TryRead(default);
            for (int i = 0; i < elements.Count; i++)
            {
                if (!editor.TryAdd(elements.GetKey(i), default))
                    return WriteStatus.CollectionTooLong;
            }

            var shard = store.State.ShardOf(key.Hash);
            if (!CollectionLimits.MayBecome(shard, key, lengthBefore: 0, editor.Length))
                return WriteStatus.CollectionTooLong;
            var packed = memory.AsSpan(PackedEditor.MemorySize, editor.Length);
            editor.WriteTo(packed);
            return EntryWriter.SetPacked(store.State, key, EntryKind.List, packed, default);
        }
        finally // The caller's elements may throw.
        {
            ArrayPool<byte>.Shared.Return(memory);
        }
    }
}
