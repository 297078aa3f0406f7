using System.Buffers;
using System.Diagnostics;
using Cache.Core.Collections.Objects;
using Cache.Core.Collections.Packed;
using Cache.Core.Collections.Trees;
using Cache.Core.Layout;
using Cache.Core.Sharding;

namespace Cache.Core.Collections;

/// <summary>
/// A copy of a whole small collection, or a snapshot of a large one, for reads of several entries at one moment;
/// dispose it.
/// </summary>
internal ref struct CollectionCopy : IPackedQuery, IObjectQuery, IDisposable
{
    // A snapshot fails when the home is written meanwhile, perhaps for another key; then the home is held.
    private const int AttemptsMax = 8;

    private readonly StoreState _state;
    private readonly byte[] _bytes;
    private readonly PackedShape _shape;
    private int _length;
    private ObjectStub _object;
    private uint _snapshot;
    private uint _version;

    private CollectionCopy(StoreState state, PackedShape shape)
    {
        _state = state;
        _shape = shape;
        _bytes = ArrayPool<byte>.Shared.Rent(PackedTable.LengthMax);
    }

    /// <summary>The entries; none if the key is absent or of another kind.</summary>
    public readonly PackedTable Table
    {
        get
        {
            if (!PackedTable.TryOpen(_bytes.AsSpan(0, Math.Max(0, _length)), _shape, out var table) && _length != 0)
                PackedCheck.ThrowDamaged();
            return table;
        }
    }

    /// <summary>Whether it is a large one, of which <see cref="View"/> has the elements.</summary>
    public readonly bool IsObject => !_object.IsNone;

    /// <summary>A large collection as it was at one moment.</summary>
    public ObjectView View { get; private set; }

    /// <summary>A small one as it is stored.</summary>
    public readonly ReadOnlySpan<byte> Bytes => _bytes.AsSpan(0, Math.Max(0, _length));

    /// <summary>The flags, see <see cref="PackedTable.FlagsOf"/>.</summary>
    public readonly int Flags => PackedTable.FlagsOf(_bytes.AsSpan(0, Math.Max(0, _length)));

    public static CollectionCopy Take(
        StoreState state, scoped in EntryKey key, EntryKind kind, out ReadStatus status)
    {
        bool hasShape = PackedCheck.TryGetShape(kind, out var shape);
        Debug.Assert(hasShape, "Only what has a packed form is copied.");
        var copy = new CollectionCopy(state, shape);
        try
        {
            var shard = state.ShardOf(key.Hash);
            status = copy.TakeUncounted(shard, key, kind, out var snapshot);
            shard.Note(key, snapshot, status);
            if (status == ReadStatus.Found && (copy.Flags & PackedTable.TimedFlag) != 0 && kind == EntryKind.Hash)
                copy.RemoveExpired(ref status);
        }
        catch // The store was disposed.
        {
            copy.Dispose();
            throw;
        }

        if (status != ReadStatus.Found)
            copy._length = 0; // An attempt may have copied what was there then.
        return copy;
    }

    /// <summary>The same, but counts and renews nothing, and tells what else is known of the key.</summary>
    public static CollectionCopy Peek(
        StoreState state, scoped in EntryKey key, EntryKind kind, out ReadStatus status, out EntryInfo info)
    {
        bool hasShape = PackedCheck.TryGetShape(kind, out var shape);
        Debug.Assert(hasShape, "Only what has a packed form is copied.");
        var copy = new CollectionCopy(state, shape);
        try
        {
            var shard = state.ShardOf(key.Hash);
            status = copy.TakeUncounted(shard, key, kind, out var snapshot);
            info = shard.InfoOf(snapshot);
        }
        catch // The store was disposed.
        {
            copy.Dispose();
            throw;
        }

        return copy;
    }

    /// <summary>Hands the snapshot of a large collection over: what is read of it is <see cref="View"/>.</summary>
    /// <returns>False if there was no page for one, and the object is held.</returns>
    public bool TryDetach(out ObjectStub stub, out uint snapshot)
    {
        (stub, snapshot) = (_object, _snapshot);
        if (snapshot == 0)
            return false;
        _object = default;
        return true;
    }

    /// <summary>Tells members that follow each other in a large collection, from a place on.</summary>
    public readonly void Tell<TOrder, TSink>(
        TreeCursor<TOrder> cursor, long count, bool isReversed, ref TSink sink)
        where TOrder : struct, ITreeOrder
        where TSink : struct, IScoredMemberSink, allows ref struct =>
        MemberView.Tell(_state, View, cursor, count, isReversed, ref sink);

    // Readers see none; a hash of which all have expired is none.
    private void RemoveExpired(ref ReadStatus status)
    {
        long nowMs = _state.Fields.NowMs;
        var table = Table;
        if (table.CountTimed(0, out long firstMs) == 0 || firstMs > nowMs)
            return;
        byte[] memory = ArrayPool<byte>.Shared.Rent(PackedEditor.MemorySize);
        var editor = new PackedEditor(_shape, memory);
        if (!editor.TryRead(Bytes))
            PackedCheck.ThrowDamaged();
        editor.RemoveExpired(nowMs);
        _length = editor.Length;
        editor.WriteTo(_bytes.AsSpan(0, _length));
        ArrayPool<byte>.Shared.Return(memory);
        if (editor.Count == 0)
            status = ReadStatus.NotFound;
    }

    private ReadStatus TakeUncounted(Shard shard, scoped in EntryKey key, EntryKind kind, out ReadSnapshot snapshot)
    {
        for (int attempts = 0; ; attempts++)
        {
            var status = shard.QueryAnyUncounted(key, kind, ref this, out snapshot);
            if (status != ReadStatus.Found || _length >= 0)
                return status;
            if (attempts < AttemptsMax && key.Locks is null)
            {
                if (TrySnapshot(snapshot.Object) && shard.IsStill(key, snapshot))
                    return status;
                End();
            }
            else if (shard.TryHoldObject(key, kind, out _object, out _version))
            {
                if (!TrySnapshotHeld())
                    View = _state.Objects!.ViewOf(_object.Number);
                return status;
            }
        }
    }

    private bool TrySnapshot(ObjectStub stub)
    {
        if (!_state.Objects!.TryTakeSnapshot(stub, out var view, out _snapshot))
            return false;
        (_object, View) = (stub, view);
        return true;
    }

    // Without a page for a snapshot, the object is read while others may read it too, but not write.
    private bool TrySnapshotHeld()
    {
        var objects = _state.Objects!;
        if (!objects.TryTakeSnapshotHeld(_object, out var view, out _snapshot))
            return false;
        View = view;
        objects.Table.LetGo(_object.Number, _version, isChanged: false);
        return true;
    }

    private void End()
    {
        if (_object.IsNone)
            return;
        if (_snapshot != 0)
            _state.Objects!.EndSnapshot(_object, _snapshot);
        else
            _state.Objects!.Table.LetGo(_object.Number, _version, isChanged: false);
        (_object, _snapshot, View) = (default, 0, default);
    }

    public void Read(ReadOnlySpan<byte> packed)
    {
        _length = Math.Min(packed.Length, PackedTable.LengthMax);
        packed[.._length].CopyTo(_bytes);
    }

    public readonly void Copy(ReadOnlySpan<byte> packed)
    {
    }

    public void Read(in ObjectView view) => _length = -1;

    public readonly void Copy(in ObjectView view)
    {
    }

    public void Dispose()
    {
        End();
        ArrayPool<byte>.Shared.Return(_bytes);
    }
}
