using System.Buffers.Binary;
using System.Diagnostics;
using Cache.Core.Collections.Trees;
using Cache.Core.Layout;

namespace Cache.Core.Collections.Objects;

/// <summary>Changes one element of a stream in its trees: in all that have it, or in none.</summary>
/// <remarks>
/// An entry is added at the end of the last block, if that has room, else it begins one. In the middle, where a journal
/// is replayed over a newer stream, or a removal is undone, the block is made anew, of up to three parts. Where a page
/// is refused, what was made is undone, which may overdraw the budget.
/// </remarks>
internal ref struct StreamTreeWriter(ObjectHeap heap, ref ObjectInfo info, uint number)
{
    private const int Room = 2 * TreeEntry.LengthMax;

    // What lies in a page that is changed: a block, and what becomes of it. A thread has one write at a time.
    [ThreadStatic]
    private static byte[]? _roomOfThread;

    private readonly ref ObjectInfo _info = ref info;

    /// <summary>Whether something was changed and undone.</summary>
    public bool IsRestored { get; private set; }

    private static Span<byte> BlockRoom => (_roomOfThread ??= new byte[2 * Room]).AsSpan(0, Room);

    private static Span<byte> NextRoom => (_roomOfThread ??= new byte[2 * Room]).AsSpan(Room);

    /// <summary>Adds an element, or replaces it.</summary>
    public TreeChange Put(
        scoped ReadOnlySpan<byte> name, scoped ReadOnlySpan<byte> value, bool isStub) => name[0] switch
        {
            StreamElement.Entry => PutEntry(StreamElement.ReadId(name[1..]), value, isStub),
            StreamElement.Consumer => PutConsumer(name, value),
            StreamElement.Pending => PutPending(name, value),
            _ => SetElement(name, value),
        };

    /// <summary>Removes an element.</summary>
    public TreeChange Drop(scoped ReadOnlySpan<byte> name) => name[0] switch
    {
        StreamElement.Entry => DropEntry(StreamElement.ReadId(name[1..])),
        StreamElement.Consumer => DropConsumer(name),
        StreamElement.Pending => DropPending(name),
        _ => RemoveElement(name),
    };

    /// <summary>Finds an element as changes have it; the caller holds the stream.</summary>
    /// <param name="view">The stream.</param>
    /// <param name="name">The element's name.</param>
    /// <param name="entry">Its value alone, valid until the thread's next write.</param>
    public static bool TryFind(StreamView view, scoped ReadOnlySpan<byte> name, out TreeEntry entry)
    {
        if (name[0] != StreamElement.Entry)
            return view.Elements.TryFind(StreamElement.KeyOf(name, out var rest), rest, out entry);
        var id = StreamElement.ReadId(name[1..]);
        entry = default;
        var cursor = view.BlockFor(id);
        if (!cursor.IsValid)
            return false;
        var block = cursor.Entry;
        if (block.IsValueStub)
        {
            entry = block;
            return StreamView.FirstIdOf(cursor) == id;
        }

        var reader = new StreamBlockReader(StreamView.FirstIdOf(cursor), block.Value);
        while (reader.TryRead() && reader.Id <= id)
        {
            if (reader.Id != id)
                continue;
            var room = NextRoom;
            int length = Varint.WriteBytes(room, reader.Shape);
            reader.Values.CopyTo(room[length..]);
            entry = new TreeEntry(default, room[..(length + reader.Values.Length)]);
            return true;
        }

        return false;
    }

    /// <summary>Finds the header, if it can be overwritten where it lies.</summary>
    public static bool TryFindHeader(ObjectHeap heap, in ObjectInfo info, out TreeEdge<ByNumber> header) =>
        TreeEdge<ByNumber>.TryFindFirst(heap.Pages.Addresses, in info.First, in info.Epochs, out header)
        && !header.IsShared && header.Entry.Value.Length == StreamHeader.Size
        && header.Key == StreamElement.KeyOf(StreamElement.Header, 0);

    private TreeChange PutEntry(StreamId id, scoped ReadOnlySpan<byte> value, bool isStub)
    {
        if (!isStub && TryAppend(id, value, out bool beginsBlock))
            return beginsBlock ? SetSingle(id, value, isStub) : TreeChange.Added;
        if (!TryCopyBlock(id, out var first, out var block, out bool isLong))
            return SetSingle(id, value, isStub);
        if (isLong)
            return SetSingle(id, value, isStub);
        if (StreamBlock.LastIdOf(first, block) >= id)
            return Rebuild(first, block, id, value, isStub);
        StreamElement.TrySplit(value, out var shape, out var values);
        int length = block.Length;
        if (isStub || !StreamBlock.TryAppend(
            BlockRoom, ref length, StreamBlock.LengthMax, first, id, shape, values))
        {
            return SetSingle(id, value, isStub);
        }

        var added = SetBlock(first, BlockRoom[..length]);
        return added == TreeChange.NoRoom ? added : TreeChange.Added;
    }

    // Behind the last block's entries, where they lie: the usual case by far. False: as any other entry.
    private readonly bool TryAppend(StreamId id, scoped ReadOnlySpan<byte> value, out bool beginsBlock)
    {
        beginsBlock = false;
        if (!TreeEdge<ByNumber>.TryFindLast(heap.Pages.Addresses, in _info.Second, in _info.Epochs, out var last))
            return false;
        var entry = last.Entry;
        var first = StreamView.FirstIdOf(last.Key, entry);
        if (entry.IsValueStub || StreamBlock.LastIdOf(first, entry.Value) >= id)
            return false;
        StreamElement.TrySplit(value, out var shape, out var values);
        beginsBlock = !StreamBlock.TryMeasure(
            entry.Value, StreamBlock.LengthMax, first, id, shape, values.Length, out var added);
        if (beginsBlock)
            return true;
        if (!last.TryGrow(added.Size, out var block))
            return false;
        StreamBlock.Append(block, added, first, id, shape, values);
        return true;
    }

    private TreeChange DropEntry(StreamId id)
    {
        if (!TryCopyBlock(id, out var first, out var block, out bool isLong))
            return TreeChange.None;
        if (isLong)
            return first == id ? RemoveBlock(id) : TreeChange.None;
        var reader = new StreamBlockReader(first, block);
        while (reader.TryRead() && reader.Id < id)
        {
        }

        if (reader.Id != id)
            return TreeChange.None;
        if (StreamBlock.CountOf(block) == 1)
            return RemoveBlock(first);
        int length = StreamBlock.Remove(BlockRoom, block.Length, first, reader);
        return SetBlock(first, BlockRoom[..length]) == TreeChange.NoRoom ? TreeChange.NoRoom : TreeChange.Removed;
    }

    // The block that may have an id, out of the page that is changed.
    private readonly bool TryCopyBlock(
        StreamId id, out StreamId first, out ReadOnlySpan<byte> block, out bool isLong)
    {
        first = default;
        block = default;
        isLong = false;
        var cursor = View().BlockFor(id);
        if (!cursor.IsValid)
            return false;
        first = StreamView.FirstIdOf(cursor);
        if (first > id)
            return false;
        var entry = cursor.Entry;
        isLong = entry.IsValueStub;
        if (!isLong)
            entry.Value.CopyTo(BlockRoom);
        block = BlockRoom[..(isLong ? 0 : entry.Value.Length)];
        return true;
    }

    // A block of the entry alone, or the stub of a long one.
    private readonly TreeChange SetSingle(StreamId id, scoped ReadOnlySpan<byte> value, bool isStub) =>
        isStub ? SetStub(id, value) : SetBlock(id, Single(id, value));

    private static ReadOnlySpan<byte> Single(StreamId id, scoped ReadOnlySpan<byte> value)
    {
        StreamElement.TrySplit(value, out var shape, out var values);
        var room = NextRoom;
        int length = StreamBlock.Begin(room);
        bool isAdded = StreamBlock.TryAppend(
            room, ref length, StreamBlock.SingleLengthMax, id, id, shape, values);
        Debug.Assert(isAdded, "Longer ones are stubs.");
        return room[..length];
    }

    // An entry in the middle of a block: before, the entry, and what is behind it, in one block or in three.
    private TreeChange Rebuild(
        StreamId first, scoped ReadOnlySpan<byte> block, StreamId id, scoped ReadOnlySpan<byte> value, bool isStub)
    {
        bool exists = Split(first, block, id, out var lower, out var upper, out var upperFirst);
        if (!isStub && TryJoin(first, lower, id, value, upper, upperFirst, out var joined))
        {
            var change = SetBlock(first, joined);
            return change == TreeChange.NoRoom || exists ? change : TreeChange.Added;
        }

        bool isMade = (upper.IsEmpty || SetBlock(upperFirst, upper) != TreeChange.NoRoom)
            && SetSingle(id, value, isStub) != TreeChange.NoRoom
            && (id == first
                || (lower.IsEmpty ? RemoveBlock(first) : SetBlock(first, lower)) != TreeChange.NoRoom);
        if (isMade)
            return exists ? TreeChange.Replaced : TreeChange.Added;
        IsRestored = true;
        bool before = ObjectHeap.BeginOverdraft();
        try
        {
            if ((!upper.IsEmpty && RemoveBlock(upperFirst) == TreeChange.NoRoom)
                || (id != first && RemoveBlock(id) == TreeChange.NoRoom)
                || SetBlock(first, block) == TreeChange.NoRoom)
            {
                ElementWriter.ThrowNotUndone();
            }
        }
        finally
        {
            ObjectHeap.EndOverdraft(before);
        }

        return TreeChange.NoRoom;
    }

    // Arrays, since this is rare: a few kilobytes where a journal is replayed over a newer stream.
    private static bool Split(
        StreamId first, scoped ReadOnlySpan<byte> block, StreamId id, out ReadOnlySpan<byte> lower,
        out ReadOnlySpan<byte> upper,
        out StreamId upperFirst)
    {
        byte[] below = new byte[TreeEntry.LengthMax], above = new byte[TreeEntry.LengthMax];
        int belowLength = StreamBlock.Begin(below), aboveLength = StreamBlock.Begin(above);
        upperFirst = default;
        bool exists = false;
        for (var reader = new StreamBlockReader(first, block); reader.TryRead();)
        {
            exists |= reader.Id == id;
            if (reader.Id > id && upperFirst == default)
                upperFirst = reader.Id;
            if (reader.Id < id)
            {
                StreamBlock.TryAppend(
                    below, ref belowLength, below.Length, first, reader.Id, reader.Shape, reader.Values);
            }
            else if (reader.Id > id)
            {
                StreamBlock.TryAppend(
                    above, ref aboveLength, above.Length, upperFirst, reader.Id, reader.Shape, reader.Values);
            }
        }

        lower = StreamBlock.CountOf(below) == 0 ? [] : below[..belowLength];
        upper = StreamBlock.CountOf(above) == 0 ? [] : above[..aboveLength];
        return exists;
    }

    private static bool TryJoin(
        StreamId first, scoped ReadOnlySpan<byte> lower, StreamId id, scoped ReadOnlySpan<byte> value,
        scoped ReadOnlySpan<byte> upper,
        StreamId upperFirst, out ReadOnlySpan<byte> joined)
    {
        var room = NextRoom;
        lower.CopyTo(room);
        int length = lower.IsEmpty ? StreamBlock.Begin(room) : lower.Length;
        StreamElement.TrySplit(value, out var shape, out var values);
        bool fits = StreamBlock.TryAppend(room, ref length, StreamBlock.LengthMax, first, id, shape, values);
        for (var reader = new StreamBlockReader(upperFirst, upper); fits && reader.TryRead();)
        {
            fits = StreamBlock.TryAppend(
                room, ref length, StreamBlock.LengthMax, first, reader.Id, reader.Shape, reader.Values);
        }

        joined = room[..length];
        return fits;
    }

    // By its name, and by its number.
    private TreeChange PutConsumer(scoped ReadOnlySpan<byte> name, scoped ReadOnlySpan<byte> value)
    {
        uint consumer = StreamConsumer.Read(value).Number;
        bool exists = TryFind(View(), name, out var entry);
        uint former = exists ? StreamConsumer.Read(entry.Value).Number : 0;
        if (exists && former == consumer)
            return SetElement(name, value);
        Span<byte> formerValue = stackalloc byte[StreamConsumer.Size];
        entry.Value.CopyTo(formerValue);
        ulong key = StreamElement.KeyOf(StreamElement.NameOfConsumer, StreamElement.GroupOf(name));
        Span<byte> number = stackalloc byte[sizeof(uint)];
        BinaryPrimitives.WriteUInt32BigEndian(number, consumer);
        if (Set(key, number, name[StreamElement.GroupPrefixSize..]) == TreeChange.NoRoom)
            return TreeChange.NoRoom;
        var change = SetElement(name, value);
        if (change != TreeChange.NoRoom && !exists)
            return change;
        Span<byte> formerNumber = stackalloc byte[sizeof(uint)];
        BinaryPrimitives.WriteUInt32BigEndian(formerNumber, former);
        if (change != TreeChange.NoRoom && Remove(key, formerNumber) != TreeChange.NoRoom)
            return change;
        Undo(exists ? name : default, formerValue, key, number);
        return TreeChange.NoRoom;
    }

    private TreeChange DropConsumer(scoped ReadOnlySpan<byte> name)
    {
        if (!TryFind(View(), name, out var entry))
            return TreeChange.None;
        Span<byte> former = stackalloc byte[StreamConsumer.Size];
        entry.Value.CopyTo(former);
        ulong key = StreamElement.KeyOf(StreamElement.NameOfConsumer, StreamElement.GroupOf(name));
        Span<byte> number = stackalloc byte[sizeof(uint)];
        BinaryPrimitives.WriteUInt32BigEndian(number, StreamConsumer.Read(former).Number);
        if (RemoveElement(name) == TreeChange.NoRoom)
            return TreeChange.NoRoom;
        if (Remove(key, number) != TreeChange.NoRoom)
            return TreeChange.Removed;
        Undo(name, former, key, default);
        return TreeChange.NoRoom;
    }

    // By its id, and by its consumer.
    private TreeChange PutPending(scoped ReadOnlySpan<byte> name, scoped ReadOnlySpan<byte> value)
    {
        uint consumer = StreamPending.Read(value).Consumer;
        bool exists = TryFind(View(), name, out var entry);
        Span<byte> former = stackalloc byte[StreamPending.Size];
        entry.Value.CopyTo(former);
        uint formerConsumer = exists ? StreamPending.Read(former).Consumer : 0;
        if (exists && formerConsumer == consumer)
            return SetElement(name, value);
        ulong key = StreamElement.KeyOf(StreamElement.PendingOfConsumer, StreamElement.GroupOf(name));
        Span<byte> added = stackalloc byte[sizeof(uint) + StreamElement.IdSize];
        Span<byte> removed = stackalloc byte[sizeof(uint) + StreamElement.IdSize];
        NameByConsumer(added, consumer, name);
        NameByConsumer(removed, formerConsumer, name);
        if (Set(key, added, default) == TreeChange.NoRoom)
            return TreeChange.NoRoom;
        var change = SetElement(name, value);
        if (change != TreeChange.NoRoom && (!exists || Remove(key, removed) != TreeChange.NoRoom))
            return change;
        Undo(exists ? name : default, former, key, added);
        return TreeChange.NoRoom;
    }

    private TreeChange DropPending(scoped ReadOnlySpan<byte> name)
    {
        if (!TryFind(View(), name, out var entry))
            return TreeChange.None;
        Span<byte> former = stackalloc byte[StreamPending.Size];
        entry.Value.CopyTo(former);
        ulong key = StreamElement.KeyOf(StreamElement.PendingOfConsumer, StreamElement.GroupOf(name));
        Span<byte> removed = stackalloc byte[sizeof(uint) + StreamElement.IdSize];
        NameByConsumer(removed, StreamPending.Read(former).Consumer, name);
        if (RemoveElement(name) == TreeChange.NoRoom)
            return TreeChange.NoRoom;
        if (Remove(key, removed) != TreeChange.NoRoom)
            return TreeChange.Removed;
        Undo(name, former, key, default);
        return TreeChange.NoRoom;
    }

    private static void NameByConsumer(Span<byte> at, uint consumer, scoped ReadOnlySpan<byte> name)
    {
        BinaryPrimitives.WriteUInt32BigEndian(at, consumer);
        name[StreamElement.GroupPrefixSize..].CopyTo(at[sizeof(uint)..]);
    }

    // An element has the value that it had, and what was added for it goes; either may be empty.
    private void Undo(
        scoped ReadOnlySpan<byte> name, scoped ReadOnlySpan<byte> former, ulong key,
        scoped ReadOnlySpan<byte> added)
    {
        IsRestored = true;
        bool before = ObjectHeap.BeginOverdraft();
        try
        {
            if ((!name.IsEmpty && SetElement(name, former) == TreeChange.NoRoom)
                || (!added.IsEmpty && Remove(key, added) == TreeChange.NoRoom))
            {
                ElementWriter.ThrowNotUndone();
            }
        }
        finally
        {
            ObjectHeap.EndOverdraft(before);
        }
    }

    private readonly StreamView View() => new(heap.ViewOf(_info));

    private readonly TreeChange SetElement(scoped ReadOnlySpan<byte> name, scoped ReadOnlySpan<byte> value)
    {
        ulong key = StreamElement.KeyOf(name, out var rest);
        return Set(key, rest, value);
    }

    private readonly TreeChange RemoveElement(scoped ReadOnlySpan<byte> name)
    {
        ulong key = StreamElement.KeyOf(name, out var rest);
        return Remove(key, rest);
    }

    private readonly TreeChange SetBlock(StreamId first, scoped ReadOnlySpan<byte> block)
    {
        Span<byte> sequence = stackalloc byte[sizeof(ulong)];
        BinaryPrimitives.WriteUInt64BigEndian(sequence, first.Sequence);
        scoped var blocks = Blocks();
        return blocks.Set(first.Milliseconds, new TreeEntry(sequence, block));
    }

    private readonly TreeChange SetStub(StreamId id, scoped ReadOnlySpan<byte> stub)
    {
        Span<byte> sequence = stackalloc byte[sizeof(ulong)];
        BinaryPrimitives.WriteUInt64BigEndian(sequence, id.Sequence);
        return heap.Set<ByNumber>(
            ref _info.Second, ref _info.Epochs, number, id.Milliseconds,
            new TreeEntry(sequence, stub, isValueStub: true));
    }

    private readonly TreeChange RemoveBlock(StreamId first)
    {
        Span<byte> sequence = stackalloc byte[sizeof(ulong)];
        BinaryPrimitives.WriteUInt64BigEndian(sequence, first.Sequence);
        scoped var blocks = Blocks();
        return blocks.Remove(first.Milliseconds, sequence);
    }

    private readonly TreeChange Set(ulong key, scoped ReadOnlySpan<byte> name, scoped ReadOnlySpan<byte> value)
    {
        scoped var elements = Elements();
        return elements.Set(key, new TreeEntry(name, value));
    }

    private readonly TreeChange Remove(ulong key, scoped ReadOnlySpan<byte> name)
    {
        scoped var elements = Elements();
        return elements.Remove(key, name);
    }

    private readonly TreeWriter<ByNumber> Elements() => new(heap.Pages, ref _info.First, ref _info.Epochs, number);

    private readonly TreeWriter<ByNumber> Blocks() =>
        new(heap.Pages, ref _info.Second, ref _info.Epochs, number) { GrownSizeMax = StreamBlock.SizeMax };
}
