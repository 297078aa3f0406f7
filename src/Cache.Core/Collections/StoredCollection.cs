using Cache.Core.Collections.Objects;
using Cache.Core.Collections.Packed;
using Cache.Core.Sharding;

namespace Cache.Core.Collections;

/// <summary>A whole collection as it is stored in a file, small or large.</summary>
internal static class StoredCollection
{
    /// <summary>Copies it into a sink, without counting anything.</summary>
    /// <exception cref="IOException">A large one is longer than the sink can take in one piece.</exception>
    public static ReadStatus Peek<TSink>(
        StoreState state, in EntryKey key, EntryKind kind, ref TSink sink, out EntryInfo info)
        where TSink : struct, IValueSink, allows ref struct
    {
        using var copy = CollectionCopy.Peek(state, key, kind, out var status, out info);
        if (status != ReadStatus.Found)
            return status;
        if (!copy.IsObject)
        {
            copy.Bytes.CopyTo(sink.GetSpan(copy.Bytes.Length));
            sink.Advance(copy.Bytes.Length);
            return status;
        }

        long length = StoredObject.LengthOf(copy.View);
        if (length > Array.MaxLength)
            throw new IOException($"A collection of {length} bytes is too long for a file.");
        StoredObject.Write(copy.View, sink.GetSpan((int)length));
        state.ThrowIfDisposed();
        sink.Advance((int)length);
        return status;
    }

    /// <summary>Whether bytes of a file are a whole collection that the store could have made.</summary>
    public static bool IsWhole(EntryKind kind, ReadOnlySpan<byte> stored) =>
        ElementReader.IsStored(stored)
            ? IsWhole(kind, stored[ElementReader.PrefixSize..], isCollection: true)
            : PackedCheck.IsWhole(kind, stored);

    /// <summary>Whether bytes of a file say what became of some elements.</summary>
    public static bool AreChanges(EntryKind kind, ReadOnlySpan<byte> changes) =>
        IsWhole(kind, changes, isCollection: false);

    private static bool IsWhole(EntryKind kind, ReadOnlySpan<byte> elements, bool isCollection) =>
        ElementReader.IsWhole(kind, elements, isCollection)
        && (kind != EntryKind.List || StoredListChanges.AreWhole(elements, isCollection));
}
