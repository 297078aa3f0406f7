using System.Buffers;
using Cache.Core.Collections;
using Cache.Core.Collections.Lists;
using Cache.Core.Collections.Objects;
using Cache.Core.Collections.Packed;
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

        byte[] memory = ArrayPool<byte>.Shared.Rent(PackedEditor.MemorySize);
        try
        {
            var editor = new PackedEditor(PackedShape.List, memory);
            editor.TryRead(default);
            if (TryPack(ref elements, ref editor)
                && CollectionLimits.MayBecome(store.State.ShardOf(key.Hash), key, lengthBefore: 0, editor.Length))
            {
                return CollectionReplacer.Write(store.State, key, EntryKind.List, editor);
            }
        }
        finally // The caller's elements may throw.
        {
            ArrayPool<byte>.Shared.Return(memory);
        }

        return ReplaceLarge(store.State, key, store.FirstListChange, ref elements);
    }

    private static bool TryPack<TElements>(ref TElements elements, scoped ref PackedEditor editor)
        where TElements : struct, IKeySource, allows ref struct
    {
        for (int i = 0; i < elements.Count; i++)
        {
            if (!editor.TryAdd(elements.GetKey(i), default))
                return false;
        }

        return true;
    }

    private static WriteStatus ReplaceLarge<TElements>(
        StoreState state, in EntryKey key, ulong firstChange, ref TElements elements)
        where TElements : struct, IKeySource, allows ref struct
    {
        byte[] name = new byte[ListChange.FirstNameSize];
        ListChange.Name(name, isFirst: true, ListChange.AtEnd, firstChange);
        using var large = new LargeResult(state, EntryKind.List);
        var source = new ListSource<TElements>(elements, name);
        var status = large.Make(key, ref source);
        elements = source.Elements;
        return status == WriteStatus.Done ? large.Link(key) : status;
    }
}
