using System.Diagnostics;
using Cache.Core.Changes;
using Cache.Core.Collections.Objects;
using Cache.Core.Curve;
using Cache.Core.Layout;
using Cache.Core.Sharding;

namespace Cache.Core.Collections;

/// <summary>Writes of one collection, small or large.</summary>
/// <remarks>
/// A large one is written while its object is held, and no bucket:
/// <code>
///  read home → stub │ hold the object │ plan │ reserve in the journal │ home still the same? │ change │ let go
/// </code>
/// A thread that removes the key, or gives its stub to another, holds the home: so it comes before the question, and
/// the write begins again, or after it, and waits for the object. After <see cref="AttemptsMax"/> failed attempts, in
/// a transaction, and where the last element goes, the home is held too, and taken first. Memory is taken without any
/// lock: a write that finds none changes nothing, makes room, and begins again. So are the blocks of long values made,
/// and copied.
/// </remarks>
internal static class ObjectWriter
{
    // A home is written for other keys too; each failed attempt costs as much as the write.
    private const int AttemptsMax = 8;

    // A small collection that others write again and again is made a large one while its home is held.
    private const int MakeAttemptsMax = 2 * AttemptsMax;

    // A file has a whole collection in one record, which is read into one array; and elements take a few bytes more
    // there. Without long values it would have tens of millions of elements.
    private const long BytesMax = 15L << 27;

    public static WriteStatus Write<TEdit>(StoreState state, in EntryKey key, ref TEdit edit)
        where TEdit : struct, IPackedEdit, IObjectEdit, allows ref struct
    {
        var changes = ElementChanges.Rent(state.ValueLengthMax);
        try
        {
            return Write(state, key, ref edit, changes);
        }
        finally // The store may have been disposed, and the caller's code may throw.
        {
            changes.Return(state.Objects?.LongElements);
            state.Objects?.EndPrepaid();
        }
    }

    private static WriteStatus Write<TEdit>(StoreState state, in EntryKey key, ref TEdit edit, ElementChanges changes)
        where TEdit : struct, IPackedEdit, IObjectEdit, allows ref struct
    {
        var room = default(PageRoom);
        var wait = default(SpinWait);
        bool needsHome = key.Locks is not null;
        int blockAttempts = 0;
        for (int attempts = 0; ; attempts++)
        {
            needsHome |= attempts >= AttemptsMax;
            var step = needsHome
                ? TryWriteHeld(state, key, ref edit, changes, out var status)
                : TryWrite(state, key, ref edit, changes, out status);
            if (step == ObjectStep.IsSmall)
                step = WriteSmall(state, key, ref edit, changes, holdsHome: attempts >= MakeAttemptsMax, out status);
            switch (step)
            {
                case ObjectStep.Done:
                    return status;
                case ObjectStep.NeedsHome:
                    needsHome = true;
                    break;
                case ObjectStep.NeedsPages:
                    if (!room.TryMake(state, key))
                        return WriteStatus.OutOfMemory;
                    break;
                case ObjectStep.NeedsBlocks:
                    if (!TryMakeBlocks(state, key, ref edit, changes))
                        return WriteStatus.OutOfMemory;
                    if (++blockAttempts >= AttemptsMax)
                        changes.Maker = state.Objects!.LongElements;
                    break;
                default:
                    state.Wait(ref wait);
                    break;
            }
        }
    }

    // Of the long values that the last plan met, or of what the journal gets of it.
    private static bool TryMakeBlocks<TEdit>(
        StoreState state, in EntryKey key, ref TEdit edit, ElementChanges changes)
        where TEdit : struct, IPackedEdit, IObjectEdit, allows ref struct
    {
        if (state.TryMakeObjects()?.LongElements is not { } owner)
            return false;
        bool needsImage = changes.NeedsImage;
        if (needsImage)
            changes.ReleaseImage(owner);
        else
            changes.ReleaseBlocks(owner); // An earlier plan's.
        for (int roomFor = -1; ;)
        {
            long missing = needsImage ? MakeImage(owner, changes) : MakeOwned(owner, ref edit, changes);
            if (missing == 0)
                return true;
            if (roomFor == changes.OwnedCount || !state.ShardOf(key.Hash).TryTakePageRoom(key, missing))
                return false;
            roomFor = changes.OwnedCount; // Once for each.
        }
    }

    private static long MakeOwned<TEdit>(LongElements owner, ref TEdit edit, ElementChanges changes)
        where TEdit : struct, IObjectEdit, allows ref struct
    {
        var maker = new LongElementMaker(owner, changes);
        edit.Prepare(ref maker);
        return maker.MissingBytes;
    }

    private static long MakeImage(LongElements owner, ElementChanges changes)
    {
        if (!owner.TryCreate(changes.ImageLength, out var block))
            return owner.BytesFor(changes.ImageLength);
        changes.OwnImage(block);
        return 0;
    }

    private static ObjectStep WriteSmall<TEdit>(
        StoreState state, in EntryKey key, ref TEdit edit, ElementChanges changes, bool holdsHome,
        out WriteStatus status)
        where TEdit : struct, IPackedEdit, IObjectEdit, allows ref struct
    {
        status = CollectionWriter.Write(state, key, ref edit, out bool isObject);
        if (isObject)
            return ObjectStep.Again; // Since a moment ago.
        return status == WriteStatus.CollectionTooLong && ObjectMaker.IsAllowed(state)
            ? ObjectMaker.Write(state, key, ref edit, changes, holdsHome, out status)
            : ObjectStep.Done;
    }

    private static ObjectStep TryWrite<TEdit>(
        StoreState state, in EntryKey key, ref TEdit edit, ElementChanges changes, out WriteStatus status)
        where TEdit : struct, IPackedEdit, IObjectEdit, allows ref struct
    {
        var shard = state.ShardOf(key.Hash);
        var found = shard.FindCollection(key, edit.Kind, out var snapshot);
        status = WriteStatus.WrongType;
        if (found is null)
            return ObjectStep.Again;
        if (found == ReadStatus.WrongType)
            return ObjectStep.Done;
        if (found == ReadStatus.NotFound || snapshot.Object.IsNone)
            return ObjectStep.IsSmall;
        if (Bucket.IsHeld(snapshot.HomeVersion) || Bucket.IsHeld(snapshot.HolderVersion))
            return ObjectStep.Again; // Others may read through its holder's lock, and not write.
        var obstacle = default(EntryLock);
        var step = TryWriteObject(state, shard, key, snapshot, ref edit, changes, ref obstacle, out status);
        if (obstacle.BytesWanted != 0)
            state.WaitForJournal(obstacle.BytesWanted);
        if (step != ObjectStep.Done || status != WriteStatus.Done)
            return step;
        snapshot.Holder.Touch(snapshot.Slot);
        state.Counters.Note(key.Hash, AccessKind.Write);
        shard.AccountObject(key, snapshot.Object);
        if (changes.HasMoments)
            shard.NoteFields(key, snapshot.Object);
        state.Objects!.TryFree();
        state.DrainChanges();
        return step;
    }

    private static ObjectStep TryWriteObject<TEdit>(
        StoreState state, Shard shard, in EntryKey key, in ReadSnapshot snapshot, ref TEdit edit,
        ElementChanges changes, ref EntryLock obstacle, out WriteStatus status)
        where TEdit : struct, IPackedEdit, IObjectEdit, allows ref struct
    {
        var objects = state.Objects!;
        uint number = snapshot.Object.Number;
        uint version = objects.Hold(number);
        bool isChanged = false;
        ChangeRecorder? recorder = null;
        try
        {
            status = WriteStatus.OutOfMemory;
            if (!objects.IsCurrent(snapshot.Object))
                return ObjectStep.Again;
            ref var info = ref objects.Table[number];
            status = Plan(objects.ViewOf(info), ref edit, changes);
            bool isTold = shard.Records(key);
            if (changes.NeedsBlocks || (isTold && !changes.MayBeTold()))
                return ObjectStep.NeedsBlocks;
            if (status != WriteStatus.Done || changes.Count == 0)
                return shard.IsStill(key, snapshot) ? ObjectStep.Done : ObjectStep.Again;
            if (changes.DropCount >= info.First.Count)
                return ObjectStep.NeedsHome; // The key may go.
            if (!shard.TryReserveElements(
                key, edit.Kind, snapshot.Generation, isTold ? changes : null, ref obstacle, out recorder))
            {
                return ObjectStep.Again;
            }

            if (!shard.IsStill(key, snapshot))
                return ObjectStep.Again;
            var writer = new ElementWriter(objects, ref info, number);
            isChanged = true; // If it throws.
            bool isMade = writer.TryMake(changes.Bytes, changes.Count);
            isChanged = writer.IsChanged;
            if (writer.IsRefused)
                status = WriteStatus.CollectionTooLong;
            if (!isMade)
                return writer.IsRefused ? ObjectStep.Done : ObjectStep.NeedsPages;
            if (recorder is not null && recorder.Write(key.Bytes, changes.Told(isCollection: false)))
                recorder = null;
            shard.NoteElements(key, edit.Kind, RemoveExpiredEdit.CauseOf<TEdit>(), TEdit.KeepsEntries);
            edit.Note(writer.Added, writer.Removed);
            return ObjectStep.Done;
        }
        finally // The caller's code may throw.
        {
            recorder?.End();
            objects.Table.LetGo(number, version, isChanged);
        }
    }

    private static ObjectStep TryWriteHeld<TEdit>(
        StoreState state, in EntryKey key, ref TEdit edit, ElementChanges changes, out WriteStatus status)
        where TEdit : struct, IPackedEdit, IObjectEdit, allows ref struct
    {
        var shard = state.ShardOf(key.Hash);
        var operation = new HeldObjectOperation<TEdit>(state, edit, changes);
        status = shard.Write(key, ref operation);
        edit = operation.Edit;
        if (operation.Step == ObjectStep.Done && status == WriteStatus.Done && !operation.Object.IsNone
            && key.Locks is null)
        {
            shard.AccountObject(key, operation.Object);
        }

        return operation.Step;
    }

    /// <summary>What an edit does, unless a long value needs a block first.</summary>
    public static WriteStatus Plan<TEdit>(in ObjectView view, ref TEdit edit, ElementChanges changes)
        where TEdit : struct, IObjectEdit, allows ref struct
    {
        changes.Clear();
        var status = edit.Plan(view, changes);
        Debug.Assert(changes.Count <= ElementChanges.CountMax, "A step is bounded.");
        if (status != WriteStatus.Done || !changes.HasLong)
            return status == WriteStatus.Done ? changes.Refusal : status;
        return view.Bytes + changes.ImageLength > BytesMax ? WriteStatus.CollectionTooLong : changes.Refusal;
    }
}
