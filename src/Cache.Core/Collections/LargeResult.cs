using System.Buffers;
using Cache.Core.Collections.Objects;
using Cache.Core.Layout;
using Cache.Core.Sharding;

namespace Cache.Core.Collections;

/// <summary>A large collection that is made without a lock, to be the whole value of a key; dispose it.</summary>
/// <remarks>A journal takes the whole of it in one record, which is made before too.</remarks>
internal sealed class LargeResult(StoreState state, EntryKind kind) : IDisposable
{
    // Each may find too little room, which others took.
    private const int RoomAttemptsMax = 64;

    // What a longer one takes of a journal's room is less: it is borrowed.
    private const int ToldBytesMax = 64 << 10;

    private ObjectStub _stub;
    private ObjectImage _image;

    /// <summary>Whether there is one.</summary>
    public bool IsMade => !_stub.IsNone;

    /// <summary>What it takes of a journal's room.</summary>
    public int ToldBytes => Math.Min(_image.Length, ToldBytesMax);

    /// <summary>Makes it of elements; the value of a member of a sorted set is its score.</summary>
    /// <returns>Done; or why there is none.</returns>
    public WriteStatus Make<TElements>(scoped in EntryKey key, ref TElements elements)
        where TElements : struct, IEntrySource, allows ref struct
    {
        Discard();
        if (!ObjectMaker.IsAllowed(state) || state.TryMakeObjects() is not { } objects)
            return WriteStatus.CollectionTooLong;
        var status = WriteStatus.OutOfMemory;
        try
        {
            if (!TryCreate(objects, key))
                return status;
            status = Fill(objects, key, ref elements);
            if (status == WriteStatus.Done && state.ShardOf(key.Hash).Records(key))
                status = MakeImage(objects, key);
            return status;
        }
        finally // The store may have been disposed, and the caller's code may throw.
        {
            if (status != WriteStatus.Done)
                Discard();
            objects.EndPrepaid();
        }
    }

    /// <summary>Makes it of a whole collection in the form of files, which was checked.</summary>
    /// <returns>Done; or why there is none.</returns>
    public WriteStatus MakeStored(scoped in EntryKey key, ReadOnlySpan<byte> stored)
    {
        Discard();
        if (!ObjectMaker.IsAllowed(state) || state.TryMakeObjects() is not { } objects)
            return WriteStatus.CollectionTooLong;
        var status = WriteStatus.OutOfMemory;
        try
        {
            if (!TryCreate(objects, key) || !ObjectMaker.TryFill(state, objects, key, _stub, kind, stored))
                return status;
            status = state.ShardOf(key.Hash).Records(key) ? MakeImage(objects, key) : WriteStatus.Done;
            return status;
        }
        finally // The store may have been disposed.
        {
            if (status != WriteStatus.Done)
                Discard();
            objects.EndPrepaid();
        }
    }

    /// <summary>Gives it to a key, whatever that has.</summary>
    public WriteStatus Link(scoped in EntryKey key) => Link(key, default);

    /// <summary>Gives it to a key, if the condition holds.</summary>
    public WriteStatus Link(scoped in EntryKey key, in EntryOptions options)
    {
        var operation = new SetObjectOperation(kind, _stub, options, _image.Bytes, _image.Block);
        var status = state.ShardOf(key.Hash).Write(key, ref operation);
        if (operation.IsLinked)
            _stub = default;
        return status;
    }

    /// <summary>Forgets it.</summary>
    public void Discard()
    {
        if (!_stub.IsNone)
            state.Objects!.Discard(_stub);
        _stub = default;
        _image.Release(state.Objects);
    }

    public void Dispose() => Discard();

    private bool TryCreate(ObjectHeap objects, scoped in EntryKey key)
    {
        var room = default(PageRoom);
        while (!objects.TryCreate(kind, out _stub))
        {
            if (!room.TryMake(state, key))
                return false;
        }

        return true;
    }

    private WriteStatus MakeImage(ObjectHeap objects, scoped in EntryKey key)
    {
        for (int attempts = 0; !_image.TryMake(objects, _stub, hasSlack: false, out long missingBytes); attempts++)
        {
            if (missingBytes == 0)
                return WriteStatus.CollectionTooLong;
            if (attempts >= RoomAttemptsMax || !state.ShardOf(key.Hash).TryTakePageRoom(key, missingBytes))
                return WriteStatus.OutOfMemory;
        }

        return WriteStatus.Done;
    }

    private WriteStatus Fill<TElements>(ObjectHeap objects, scoped in EntryKey key, ref TElements elements)
        where TElements : struct, IEntrySource, allows ref struct
    {
        for (int i = 0; i < elements.Count; i++)
        {
            var name = elements.GetKey(i);
            var value = elements.GetValue(i);
            bool fits = ElementSizes.Fits(name.Length, value.Length);
            if (!fits && !ElementSizes.IsLong(name.Length, value.Length, state.ValueLengthMax))
                return WriteStatus.CollectionTooLong;
            if (!(fits ? TryPut(objects, key, name, value) : TryPutLong(objects, key, name, value)))
                return WriteStatus.OutOfMemory;
        }

        return WriteStatus.Done;
    }

    private bool TryPut(
        ObjectHeap objects, scoped in EntryKey key, scoped ReadOnlySpan<byte> name, scoped ReadOnlySpan<byte> value)
    {
        var room = default(PageRoom);
        while (!ObjectMaker.TryPut(objects, _stub, name, value))
        {
            if (!room.TryMake(state, key))
                return false;
        }

        return true;
    }

    private bool TryPutLong(
        ObjectHeap objects, scoped in EntryKey key, scoped ReadOnlySpan<byte> name, scoped ReadOnlySpan<byte> value)
    {
        byte[] bytes = ArrayPool<byte>.Shared.Rent(ElementReader.SizeOf(name.Length, value.Length));
        try
        {
            int length = ElementChanges.Write(bytes, ElementAction.Put, name, value);
            return ObjectMaker.TryAdd(state, objects, key, _stub, bytes.AsSpan(0, length));
        }
        finally // The store may have been disposed.
        {
            ArrayPool<byte>.Shared.Return(bytes);
        }
    }
}
