using Cache.Core.Collections.Objects;

namespace Cache.Core.Collections.Streams;

/// <summary>Plans elements of a stream that are no entries.</summary>
internal static class StreamChanges
{
    public static void PutHeader(ElementChanges changes, in StreamHeader header)
    {
        Span<byte> value = stackalloc byte[StreamHeader.Size];
        header.Write(value);
        changes.Put([StreamElement.Header], value);
    }

    public static void DropEntry(ElementChanges changes, StreamId id)
    {
        Span<byte> name = stackalloc byte[StreamElement.EntryNameSize];
        StreamElement.NameEntry(name, id);
        changes.DropOfStream(name);
    }

    public static void PutGroup(ElementChanges changes, scoped ReadOnlySpan<byte> group, in StreamGroup value)
    {
        Span<byte> bytes = stackalloc byte[StreamGroup.Size];
        value.Write(bytes);
        Span<byte> name = stackalloc byte[1 + StreamElement.NameLengthMax];
        name[0] = StreamElement.Group;
        group.CopyTo(name[1..]);
        changes.Put(name[..(1 + group.Length)], bytes);
    }

    public static void DropGroup(ElementChanges changes, scoped ReadOnlySpan<byte> group)
    {
        Span<byte> name = stackalloc byte[1 + StreamElement.NameLengthMax];
        name[0] = StreamElement.Group;
        group.CopyTo(name[1..]);
        changes.DropOfStream(name[..(1 + group.Length)]);
    }

    /// <summary>Notes that a group has gone, of which elements are left.</summary>
    public static void PutGone(ElementChanges changes, uint group)
    {
        Span<byte> name = stackalloc byte[StreamElement.GroupPrefixSize];
        StreamElement.NameOfGroup(name, StreamElement.Gone, group);
        changes.Put(name, default);
    }

    /// <summary>Nothing is left of a group that has gone.</summary>
    public static void DropGone(ElementChanges changes, uint group)
    {
        Span<byte> name = stackalloc byte[StreamElement.GroupPrefixSize];
        StreamElement.NameOfGroup(name, StreamElement.Gone, group);
        changes.DropOfStream(name);
    }

    public static void PutConsumer(
        ElementChanges changes, uint group, scoped ReadOnlySpan<byte> consumer, in StreamConsumer value)
    {
        Span<byte> bytes = stackalloc byte[StreamConsumer.Size];
        value.Write(bytes);
        Span<byte> name = stackalloc byte[StreamElement.GroupPrefixSize + StreamElement.NameLengthMax];
        changes.Put(NameConsumer(name, group, consumer), bytes);
    }

    public static void DropConsumer(ElementChanges changes, uint group, scoped ReadOnlySpan<byte> consumer)
    {
        Span<byte> name = stackalloc byte[StreamElement.GroupPrefixSize + StreamElement.NameLengthMax];
        changes.DropOfStream(NameConsumer(name, group, consumer));
    }

    public static void PutPending(ElementChanges changes, uint group, StreamId id, in StreamPending value)
    {
        Span<byte> bytes = stackalloc byte[StreamPending.Size];
        value.Write(bytes);
        Span<byte> name = stackalloc byte[StreamElement.PendingNameSize];
        StreamElement.NamePending(name, group, id);
        changes.Put(name, bytes);
    }

    public static void DropPending(ElementChanges changes, uint group, StreamId id)
    {
        Span<byte> name = stackalloc byte[StreamElement.PendingNameSize];
        StreamElement.NamePending(name, group, id);
        changes.DropOfStream(name);
    }

    /// <summary>Finds what the changes make of a pending entry.</summary>
    /// <param name="changes">The changes.</param>
    /// <param name="group">The group.</param>
    /// <param name="id">The entry.</param>
    /// <param name="pending">Null: it is dropped.</param>
    /// <returns>False: nothing.</returns>
    public static bool TryFindPlanned(ElementChanges changes, uint group, StreamId id, out StreamPending? pending)
    {
        Span<byte> name = stackalloc byte[StreamElement.PendingNameSize];
        StreamElement.NamePending(name, group, id);
        bool isPlanned = changes.TryFindLast(name, out ReadOnlySpan<byte> value);
        pending = value.IsEmpty ? null : StreamPending.Read(value);
        return isPlanned;
    }

    private static ReadOnlySpan<byte> NameConsumer(Span<byte> at, uint group, scoped ReadOnlySpan<byte> consumer)
    {
        StreamElement.NameOfGroup(at, StreamElement.Consumer, group);
        consumer.CopyTo(at[StreamElement.GroupPrefixSize..]);
        return at[..(StreamElement.GroupPrefixSize + consumer.Length)];
    }
}
