using System.Buffers;
using System.Buffers.Binary;
using Cache.Core.Changes;
using Cache.Core.Collections.Objects;
using Cache.Core.Collections.Packed;
using Cache.Core.Layout;
using Cache.Core.Sharding;

namespace Cache.Core.Collections;

/// <summary>Makes large collections: of small ones that grow too long, of what is written to an absent key.</summary>
/// <remarks>
/// The trees are built of a copy, without any lock, with the write that needs them; then the stub takes the copy's
/// place if that is still what the key has. Else all goes back, and the write begins again.
/// </remarks>
internal static class ObjectMaker
{
    /// <summary>Whether collections may become large.</summary>
    public static bool IsAllowed(StoreState state) => state.PagesCollections;

    /// <param name="state">The store.</param>
    /// <param name="key">The key.</param>
    /// <param name="edit">What is written.</param>
    /// <param name="changes">Takes what that makes of elements.</param>
    /// <param name="holdsHome">
    /// Whether it is built while the home is held, which is a step: others have written the key too often.
    /// </param>
    /// <param name="status">What the write reports.</param>
    public static ObjectStep Write<TEdit>(
        StoreState state, in EntryKey key, ref TEdit edit, ElementChanges changes, bool holdsHome,
        out WriteStatus status)
        where TEdit : struct, IPackedEdit, IObjectEdit, allows ref struct
    {
        status = WriteStatus.CollectionTooLong;
        if (state.TryMakeObjects() is not { } objects)
            return ObjectStep.Done;
        byte[] room = ArrayPool<byte>.Shared.Rent(PackedTable.LengthMax);
        var operation = new MakeObjectOperation<TEdit>(objects, edit, changes);
        try
        {
            var copy = new StoredCopy(room.AsSpan(0, PackedTable.LengthMax));
            var read = state.ShardOf(key.Hash).QueryAnyUncounted(key, edit.Kind, ref copy, out _);
            if (read == ReadStatus.WrongType || copy.IsObject)
            {
                status = WriteStatus.WrongType;
                return copy.IsObject ? ObjectStep.Again : ObjectStep.Done;
            }

            if (!holdsHome)
                operation.Build(read == ReadStatus.Found ? copy.Bytes : default);
            if (operation.Step == ObjectStep.Done && operation.Status == WriteStatus.Done)
                operation.Status = state.ShardOf(key.Hash).Write(key, ref operation);
            edit = operation.Edit;
            status = operation.Status;
            return operation.Step;
        }
        finally // The store may have been disposed, and the caller's code may throw.
        {
            operation.Abandon();
            ArrayPool<byte>.Shared.Return(room);
        }
    }

    /// <summary>Writes a whole collection as it was in a file.</summary>
    public static WriteStatus Set(
        StoreState state, in EntryKey key, EntryKind kind, ReadOnlySpan<byte> stored, in EntryOptions options)
    {
        // A journal takes no more under a lock; only what it was made of is ever set so, when there is none.
        if (state.Listeners?.Journal is not null && stored.Length > ChangeJournal.SpanLengthMax)
            return WriteStatus.CollectionTooLong;
        if (state.TryMakeObjects() is not { } objects)
            return WriteStatus.CollectionTooLong;
        var room = default(PageRoom);
        var stub = default(ObjectStub);
        bool isLinked = false;
        try
        {
            while (!objects.TryCreate(kind, out stub))
            {
                if (!room.TryMake(state, key))
                    return WriteStatus.OutOfMemory;
            }

            if (!TryFill(state, objects, key, stub, kind, stored))
                return WriteStatus.OutOfMemory;
            var operation = new SetObjectOperation(kind, stub, options, stored);
            var status = state.ShardOf(key.Hash).Write(key, ref operation);
            isLinked = operation.IsLinked;
            return status;
        }
        finally // The store may have been disposed.
        {
            if (!stub.IsNone && !isLinked)
                objects.Discard(stub);
            objects.EndPrepaid();
        }
    }

    // As files have it: a long value gets its block. Nothing else has the object.
    private static bool TryMake(ObjectHeap objects, uint number, ReadOnlySpan<byte> element)
    {
        var writer = new ElementWriter(objects, ref objects.Table[number], number);
        var reader = new ElementReader(element);
        reader.TryRead();
        if (reader.Action == ElementAction.Expire
            || ElementSizes.Fits(reader.Name.Length, reader.Value.Length))
        {
            return writer.TryMake(reader);
        }

        var changes = ElementChanges.Rent(int.MaxValue);
        try
        {
            var maker = new LongElementMaker(objects.LongElements, changes);
            bool hasScore = objects.Table[number].Kind == EntryKind.SortedSet;
            maker.Add(reader.Name, hasScore ? default : reader.Value);
            if (hasScore)
                changes.PutScore(reader.Name, reader.Value);
            else
                changes.Put(reader.Name, reader.Value);
            return !changes.NeedsBlocks && writer.TryMake(changes.Bytes, changes.Count);
        }
        finally
        {
            changes.Return(objects.LongElements);
        }
    }

    // Held from the disposal; not while room is made.
    private static bool TryMakeHeld(ObjectHeap objects, uint number, ReadOnlySpan<byte> element)
    {
        uint version = objects.Hold(number);
        try
        {
            return TryMake(objects, number, element);
        }
        finally
        {
            objects.Table.LetGo(number, version, isChanged: true);
        }
    }

    private static bool TryExpire(ObjectHeap objects, uint number, ReadOnlySpan<byte> field, long moment)
    {
        Span<byte> bytes = stackalloc byte[sizeof(long)];
        BinaryPrimitives.WriteInt64LittleEndian(bytes, moment);
        scoped var writer = new ElementWriter(objects, ref objects.Table[number], number);
        return writer.TryMake(ElementAction.Expire, field, bytes);
    }

    /// <summary>Adds an element to an object that no key has yet.</summary>
    /// <returns>False if there is no page for it.</returns>
    public static bool TryPut(
        ObjectHeap objects, ObjectStub stub, ReadOnlySpan<byte> name, ReadOnlySpan<byte> value)
    {
        uint version = objects.Hold(stub.Number); // From the disposal; not while room is made.
        try
        {
            var writer = new ElementWriter(objects, ref objects.Table[stub.Number], stub.Number);
            return writer.TryMake(ElementAction.Put, name, value);
        }
        finally
        {
            objects.Table.LetGo(stub.Number, version, isChanged: true);
        }
    }

    /// <summary>Puts a whole collection, in the form of files, into an object that no key has yet.</summary>
    /// <returns>False if no room can be made.</returns>
    public static bool TryFill(
        StoreState state, ObjectHeap objects, scoped in EntryKey key, ObjectStub stub, EntryKind kind,
        ReadOnlySpan<byte> stored)
    {
        var shapes = default(InheritedShapes);
        for (var elements = ElementReader.OfStored(stored); elements.TryRead();)
        {
            var element = kind == EntryKind.Stream ? shapes.Complete(elements, elements.Element) : elements.Element;
            if (!TryAdd(state, objects, key, stub, element))
                return false;
        }

        return true;
    }

    /// <summary>Adds an element, perhaps a long one, to an object that no key has yet, and makes room for it.</summary>
    public static bool TryAdd(
        StoreState state, ObjectHeap objects, scoped in EntryKey key, ObjectStub stub,
        scoped ReadOnlySpan<byte> element)
    {
        var reader = new ElementReader(element);
        reader.TryRead();
        var room = new PageRoom(objects.LongElements.BytesOf(reader));
        while (!TryMakeHeld(objects, stub.Number, element))
        {
            if (!room.TryMake(state, key))
                return false;
        }

        return true;
    }

    /// <summary>Puts what a small collection has into the trees of an object.</summary>
    public static ObjectStep Fill(
        ObjectHeap objects, ObjectStub stub, EntryKind kind, scoped ReadOnlySpan<byte> present, out WriteStatus status)
    {
        status = WriteStatus.Done;
        if (present.IsEmpty)
            return ObjectStep.Done;
        PackedCheck.TryGetShape(kind, out var shape);
        if (!PackedTable.TryOpen(present, shape, out var table))
            PackedCheck.ThrowDamaged();
        objects.Table[stub.Number].IsConverted = (PackedTable.FlagsOf(present) & PackedTable.ConvertedFlag) != 0;
        byte[] bytes = ArrayPool<byte>.Shared.Rent(ElementReader.HeaderSize + PackedTable.LengthMax);
        try
        {
            for (var place = PackedTable.BeforeFirst; table.TryMoveNext(ref place);)
            {
                var name = table.NameAt(place);
                var value = table.ValueAt(place);
                int length = kind == EntryKind.List // At the right end.
                    ? ElementChanges.Write(bytes, ElementAction.Put, default, name)
                    : ElementChanges.Write(bytes, ElementAction.Put, name, value);
                if (!TryMake(objects, stub.Number, bytes.AsSpan(0, length)))
                    return ObjectStep.NeedsPages;
                if (place.Moment != 0 && !TryExpire(objects, stub.Number, name, place.Moment))
                    return ObjectStep.NeedsPages;
            }

            return ObjectStep.Done;
        }
        finally
        {
            ArrayPool<byte>.Shared.Return(bytes);
        }
    }
}
