using System.Buffers.Binary;
using Cache.Core.Collections.Trees;
using Cache.Core.Layout;

namespace Cache.Core.Collections.Objects;

/// <summary>A whole large collection as it is stored in a file.</summary>
internal static class StoredObject
{
    /// <summary>The bytes that a large one takes.</summary>
    public static long LengthOf(in ObjectView view) => view.Kind switch
    {
        EntryKind.Set => LengthOf(view.First<ByHash>(), view.Count),
        EntryKind.Stream => StoredStream.LengthOf(view),
        EntryKind.List => ListChange.FirstNameSize + LengthOf(view.First<ByPosition>(), view.Count),
        _ => LengthOf(view.First<ByHashWithValue>(), view.Count),
    };

    private static long LengthOf<TOrder>(TreeReader<TOrder> tree, uint count)
        where TOrder : struct, ITreeOrder
    {
        long length = ElementReader.PrefixSize;
        var cursor = tree.At(0);
        for (uint i = 0; i < count && cursor.IsValid; i++, cursor.MoveNext())
        {
            var entry = cursor.Entry;
            length += ElementReader.HeaderSize + entry.NameLength + entry.ValueLength;
            if (entry.Moment != 0)
                length += ElementReader.HeaderSize + entry.NameLength + sizeof(long);
        }

        return length;
    }

    /// <summary>Writes a large one into exactly its bytes.</summary>
    public static void Write(in ObjectView view, Span<byte> stored)
    {
        if (view.Kind == EntryKind.Set)
            Write(view, view.First<ByHash>(), stored);
        else if (view.Kind == EntryKind.List)
            Write(view, view.First<ByPosition>(), stored);
        else if (view.Kind == EntryKind.Stream)
            StoredStream.Write(view, stored);
        else
            Write(view, view.First<ByHashWithValue>(), stored);
    }

    private static void Write<TOrder>(in ObjectView view, TreeReader<TOrder> tree, Span<byte> stored)
        where TOrder : struct, ITreeOrder
    {
        stored[..ElementReader.PrefixSize].Clear();
        int at = ElementReader.PrefixSize;
        var cursor = tree.At(0);
        for (uint i = 0; i < view.Count && cursor.IsValid; i++, cursor.MoveNext())
        {
            at += view.Kind == EntryKind.List
                ? WriteElement(view, cursor.Entry, isFirst: i == 0, stored[at..])
                : Write(view, cursor.Entry, stored[at..]);
        }
    }

    // Added at the right end, as a write does that has the number of the list's last change.
    private static int WriteElement(in ObjectView view, in TreeEntry entry, bool isFirst, Span<byte> at)
    {
        Span<byte> name = stackalloc byte[ListChange.FirstNameSize];
        name = name[..ListChange.Name(name, isFirst, ListChange.AtEnd, view.Marks.Change)];
        if (!entry.IsNameStub)
            return ElementChanges.Write(at, ElementAction.Put, name, entry.Name);
        using var loan = view.Borrow(entry);
        return ElementChanges.Write(at, ElementAction.Put, name, loan.Value);
    }

    private static int Write(in ObjectView view, in TreeEntry entry, Span<byte> at)
    {
        if (!entry.HasStub)
            return Write(at, entry.Name, entry.Value, entry.Moment);
        using var loan = view.Borrow(entry);
        return Write(
            at, entry.IsNameStub ? loan.Name : entry.Name, entry.IsValueStub ? loan.Value : entry.Value, entry.Moment);
    }

    private static int Write(Span<byte> at, ReadOnlySpan<byte> name, ReadOnlySpan<byte> value, long expiresAtMs)
    {
        int length = ElementChanges.Write(at, ElementAction.Put, name, value);
        if (expiresAtMs == 0)
            return length;
        Span<byte> moment = stackalloc byte[sizeof(long)];
        BinaryPrimitives.WriteInt64LittleEndian(moment, expiresAtMs);
        return length + ElementChanges.Write(at[length..], ElementAction.Expire, name, moment);
    }
}
