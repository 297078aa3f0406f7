using Cache.Core.Changes;
using Cache.Core.Collections.Objects;
using Cache.Core.Layout;
using Cache.Core.Sharding;

namespace Cache.Core.Collections;

/// <summary>Changes the large collection of a key whose home is held.</summary>
internal ref struct HeldObjectOperation<TEdit>(StoreState state, TEdit edit, ElementChanges changes) : IEntryOperation
    where TEdit : struct, IPackedEdit, IObjectEdit, allows ref struct
{
    /// <summary>What is changed, and afterwards what came of it.</summary>
    public TEdit Edit = edit;

    public ObjectStep Step { get; private set; }

    /// <summary>What was changed, unless it is gone.</summary>
    public ObjectStub Object { get; private set; }

    public WriteStatus Run(Shard shard, in EntryKey key, ref EntryLock entry)
    {
        Step = ObjectStep.Done;
        Object = default;
        if (entry.IsFound && entry.Header.Kind != Edit.Kind)
            return WriteStatus.WrongType;
        if (entry.Object.IsNone || !entry.IsFound)
        {
            Step = ObjectStep.IsSmall;
            return WriteStatus.NotFound;
        }

        var objects = state.Objects!;
        var stub = entry.Object;
        uint version = objects.Hold(stub.Number);
        bool isChanged = false;
        uint count;
        try
        {
            ref var info = ref objects.Table[stub.Number];
            var status = ObjectWriter.Plan(objects.ViewOf(info), ref Edit, changes);
            bool isTold = shard.Records(key); // Once: a journal may be attached at any time.
            if (changes.NeedsBlocks || (isTold && !changes.MayBeTold()))
            {
                Step = ObjectStep.NeedsBlocks;
                return WriteStatus.OutOfMemory;
            }

            if (status != WriteStatus.Done || changes.Count == 0)
                return status;
            count = info.First.Count;
            if (changes.DropCount < count || changes.CountDropped() != count)
                return Change(shard, key, ref entry, objects, ref info, isTold, out isChanged);
        }
        finally // The caller's code may throw.
        {
            objects.Table.LetGo(stub.Number, version, isChanged);
        }

        return Remove(shard, key, ref entry, (int)count); // Nobody writes it now: the home is held.
    }

    private WriteStatus Change(
        Shard shard, in EntryKey key, ref EntryLock entry, ObjectHeap objects, ref ObjectInfo info, bool isTold,
        out bool isChanged)
    {
        isChanged = false;
        var shape = Shard.ShapeOf(changes, isCollection: false, isTold) with
        {
            EntryKind = Edit.Kind,
        };
        if (!shard.TryReserve(ref entry, key, default, shape))
            return WriteStatus.OutOfMemory;
        var writer = new ElementWriter(objects, ref info, entry.Object.Number);
        isChanged = true; // If it throws.
        bool isMade = writer.TryMake(changes.Bytes, changes.Count);
        isChanged = writer.IsChanged;
        if (writer.IsRefused)
            return WriteStatus.CollectionTooLong;
        if (!isMade)
        {
            Step = ObjectStep.NeedsPages;
            return WriteStatus.OutOfMemory;
        }

        // Readers look at the home again: to them, all changes of a transaction come at once.
        entry.IsChanged = true;
        entry.Holder.Touch(entry.Slot);
        if (changes.HasMoments)
            shard.NoteFieldsOfHeld(entry);
        if (entry.Recorder is { } recorder && recorder.Write(key.Bytes, changes.Told(isCollection: false)))
            entry.Recorder = null;
        shard.NoteElements(key, Edit.Kind, RemoveExpiredEdit.CauseOf<TEdit>(), TEdit.KeepsEntries);
        Edit.Note(writer.Added, writer.Removed);
        Object = entry.Object;
        return WriteStatus.Done;
    }

    // A collection without elements is an absent key.
    private WriteStatus Remove(Shard shard, in EntryKey key, ref EntryLock entry, int count)
    {
        if (!shard.TryReserve(ref entry, key, default, ChangeShape.Removal))
            return WriteStatus.OutOfMemory;
        shard.NoteRemoval(key.Hash);
        shard.RemoveLocked(ref entry, RemoveExpiredEdit.CauseOf<TEdit>(ChangeCause.Deleted));
        Edit.Note(added: 0, removed: count);
        return WriteStatus.Done;
    }
}
