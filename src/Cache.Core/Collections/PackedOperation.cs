using System.Diagnostics;
using Cache.Core.Changes;
using Cache.Core.Collections.Packed;
using Cache.Core.Sharding;

namespace Cache.Core.Collections;

/// <summary>Changes the collection in a key's record: in place if it fits there, else in a new record.</summary>
/// <remarks>memory: Where the collection is taken apart, <see cref="PackedEditor.MemorySize"/> bytes.</remarks>
internal ref struct PackedOperation<TEdit>(TEdit edit, Span<byte> memory) : IEntryOperation
    where TEdit : struct, IPackedEdit, allows ref struct
{
    private readonly Span<byte> _memory = memory;

    /// <summary>What is changed, and afterwards what came of it.</summary>
    public TEdit Edit = edit;

    /// <summary>Whether a value that became shorter stays in its record, however much of that is unused then.</summary>
    public bool StaysInPlace { get; set; }

    /// <summary>Whether there was no room for a shorter value's own record.</summary>
    public bool MayStayInPlace { get; private set; }

    /// <summary>Whether it is a large one, so that nothing was done.</summary>
    public bool IsObject { get; private set; }

    public WriteStatus Run(Shard shard, in EntryKey key, ref EntryLock entry)
    {
        if (entry.IsFound && entry.Header.Kind != Edit.Kind)
            return WriteStatus.WrongType;
        IsObject = !entry.Object.IsNone && entry.IsFound;
        if (IsObject)
            return WriteStatus.CollectionTooLong;
        bool hasShape = PackedCheck.TryGetShape(Edit.Kind, out var form);
        Debug.Assert(hasShape, "An edit is of a kind that has a packed form.");
        var editor = new PackedEditor(form, _memory);
        if (!editor.TryRead(entry.IsFound ? entry.StoredValue : default))
            PackedCheck.ThrowDamaged();
        if ((editor.Flags & PackedTable.TimedFlag) != 0)
            editor.RemoveExpired(shard.Fields.NowMs); // So no edit meets one.
        var status = Edit.Run(ref editor);
        if (status != WriteStatus.Done || !editor.IsChanged)
            return status;
        return editor.Count == 0 ? Remove(shard, key, ref entry) : Write(shard, key, ref entry, editor);
    }

    private WriteStatus Write(Shard shard, in EntryKey key, ref EntryLock entry, in PackedEditor editor)
    {
        int length = editor.Length;
        int before = entry.IsFound ? entry.Header.ValueLength : 0;
        if (!CollectionLimits.MayBecome(shard, key, before, length))
            return WriteStatus.CollectionTooLong;
        var expiry = entry.IsFound ? entry.Record.ExpiryOf(entry.Header) : default;
        var shape = ChangeShape.Set(length) with { EntryKind = Edit.Kind };
        bool leavesRoom = entry.IsFound && length > before;
        MayStayInPlace = entry.IsFound && length <= before;
        // What becomes shorter evicts nothing for a record of its own.
        bool staysInPlace = MayStayInPlace && (StaysInPlace || shard.WouldEvictFor(key, length, expiry));
        bool isStaged = staysInPlace
            ? shard.TryStageInPlace(ref entry, key, length, expiry, shape, out var staged)
            : shard.TryStage(ref entry, key, length, isLarge: false, expiry, leavesRoom, shape, out staged);
        if (!isStaged)
            return WriteStatus.OutOfMemory;
        staged = staged with { Cause = RemoveExpiredEdit.CauseOf<TEdit>() };
        editor.WriteTo(staged.Value);
        shard.Publish(ref entry, key, staged, largeBytes: 0);
        return WriteStatus.Done;
    }

    // A collection without elements is an absent key.
    private static WriteStatus Remove(Shard shard, in EntryKey key, ref EntryLock entry)
    {
        if (!entry.IsFound)
            return WriteStatus.Done;
        if (!shard.TryReserve(ref entry, key, default, ChangeShape.Removal))
            return WriteStatus.OutOfMemory;
        shard.NoteRemoval(key.Hash);
        shard.RemoveLocked(ref entry, RemoveExpiredEdit.CauseOf<TEdit>(ChangeCause.Deleted));
        return WriteStatus.Done;
    }
}
