using System.Buffers;
using Cache.Core.Changes;
using Cache.Core.Collections.Objects;
using Cache.Core.Layout;
using Cache.Core.Sharding;

namespace Cache.Core.Collections;

/// <summary>A large collection that is made without a lock, to be the whole value of a key; dispose it.</summary>
/// <remarks>
/// A journal takes the whole of it in one record, under the lock of the key: so beside a journal it is no longer than
/// <see cref="ChangeJournal.SpanLengthMax"/>.
/// </remarks>
internal sealed class LargeResult(StoreState state, EntryKind kind) : IDisposable
{
    private ObjectStub _stub;
    private byte[] _told = [];
    private int _toldLength;
    private bool _isUntold;

    /// <summary>Whether there is one.</summary>
    public bool IsMade => !_stub.IsNone;

    /// <summary>What a journal is told of it.</summary>
    public int ToldBytes => state.Listeners?.Journal is null ? 0 : _toldLength;

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
            var room = default(PageRoom);
            while (!objects.TryCreate(kind, out _stub))
            {
                if (!room.TryMake(state, key))
                    return status;
            }

            status = Fill(objects, key, ref elements);
            return status;
        }
        finally // The store may have been disposed, and the caller's code may throw.
        {
            if (status != WriteStatus.Done)
                Discard();
            objects.EndPrepaid();
        }
    }

    /// <summary>Gives it to a key, whatever that has.</summary>
    public WriteStatus Link(scoped in EntryKey key)
    {
        var told = _isUntold ? default : _told.AsSpan(0, _toldLength);
        var operation = new SetObjectOperation(kind, _stub, default, told);
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
        (_stub, _toldLength, _isUntold) = (default, 0, false);
    }

    public void Dispose()
    {
        Discard();
        PooledGrowth.Return(_told);
        _told = [];
    }

    private WriteStatus Fill<TElements>(ObjectHeap objects, scoped in EntryKey key, ref TElements elements)
        where TElements : struct, IEntrySource, allows ref struct
    {
        Tell(ElementReader.PrefixSize).Clear();
        for (int i = 0; i < elements.Count; i++)
        {
            var name = elements.GetKey(i);
            var value = elements.GetValue(i);
            bool fits = ElementSizes.Fits((long)name.Length + value.Length);
            if (!fits && (kind != EntryKind.List || value.Length > state.ValueLengthMax))
                return WriteStatus.CollectionTooLong;
            if (!(fits ? TryPut(objects, key, name, value) : TryPutLong(objects, key, name, value)))
                return WriteStatus.OutOfMemory;

            var told = Tell(ElementReader.SizeOf(name.Length, value.Length));
            if (!_isUntold)
                ElementChanges.Write(told, ElementAction.Put, name, value);
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

    // Room for what a journal is told, unless that is too long.
    private Span<byte> Tell(int length)
    {
        _isUntold |= _toldLength + length > ChangeJournal.SpanLengthMax;
        if (_isUntold)
        {
            _toldLength = 0;
            return default;
        }

        _told = PooledGrowth.Fit(_told, _toldLength, _toldLength + length);
        _toldLength += length;
        return _told.AsSpan(_toldLength - length, length);
    }
}
