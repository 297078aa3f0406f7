using System.Buffers;
using Cache.Core.Collections.Packed;
using Cache.Core.Sharding;

namespace Cache.Core.Collections;

/// <summary>Writes of one collection.</summary>
internal static class CollectionWriter
{
    /// <summary>Writes a collection of a kind that is always small.</summary>
    public static WriteStatus Write<TEdit>(StoreState state, in EntryKey key, ref TEdit edit)
        where TEdit : struct, IPackedEdit, allows ref struct =>
        Write(state, key, ref edit, out _);

    /// <summary>Writes a collection that is small, or absent.</summary>
    /// <remarks>isObject: Whether it is large, so that nothing was done.</remarks>
    public static WriteStatus Write<TEdit>(StoreState state, in EntryKey key, ref TEdit edit, out bool isObject)
        where TEdit : struct, IPackedEdit, allows ref struct
    {
        byte[] memory = ArrayPool<byte>.Shared.Rent(PackedEditor.MemorySize); // Not under the lock.
        try
        {
            var operation = new PackedOperation<TEdit>(edit, memory);
            var status = state.ShardOf(key.Hash).Write(key, ref operation);
            if (status == WriteStatus.OutOfMemory && operation.MayStayInPlace)
            {
                operation.StaysInPlace = true; // What removes elements needs no room: it is how a full store gets some.
                status = state.ShardOf(key.Hash).Write(key, ref operation);
            }

            edit = operation.Edit;
            isObject = operation.IsObject;
            return status;
        }
        finally // The store may have been disposed.
        {
            ArrayPool<byte>.Shared.Return(memory);
        }
    }
}
