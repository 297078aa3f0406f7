using System.Diagnostics;
using Cache.Core.Changes;
using Cache.Core.Collections.Objects;
using Cache.Core.Layout;
using Cache.Core.Sharding;

namespace Cache.Core.Collections;

/// <summary>Makes a large collection of a small one, or of none, with a write that needs it; then links it.</summary>
/// <remarks>Built before the home is locked, it is linked if the key still has what it was built of.</remarks>
internal ref struct MakeObjectOperation<TEdit>(ObjectHeap objects, TEdit edit, ElementChanges changes)
    : IEntryOperation
    where TEdit : struct, IPackedEdit, IObjectEdit, allows ref struct
{
    // What it was built of.
    private ReadOnlySpan<byte> _present;
    private ObjectStub _stub;
    private int _added;
    private int _removed;

    /// <summary>What is written, and afterwards what came of it.</summary>
    public TEdit Edit = edit;

    public ObjectStep Step { get; private set; }

    public WriteStatus Status { get; set; }

    /// <summary>Builds it of what the key has.</summary>
    public void Build(ReadOnlySpan<byte> present)
    {
        Debug.Assert(_stub.IsNone, "It is built once.");
        _present = present;
        (Step, Status) = (ObjectStep.NeedsPages, WriteStatus.OutOfMemory);
        if (!objects.TryCreate(Edit.Kind, out _stub))
            return;
        uint version = objects.Hold(_stub.Number); // From the disposal: no other thread knows it.
        try
        {
            BuildHeld(present);
        }
        finally // The caller's code may throw.
        {
            objects.Table.LetGo(_stub.Number, version, isChanged: true);
        }
    }

    private void BuildHeld(scoped ReadOnlySpan<byte> present)
    {
        Step = ObjectMaker.Fill(objects, _stub, Edit.Kind, present, out var status);
        Status = status;
        if (Step != ObjectStep.Done || Status != WriteStatus.Done)
            return;
        ref var info = ref objects.Table[_stub.Number];
        Status = ObjectWriter.Plan(objects.ViewOf(info), ref Edit, changes);
        if (changes.NeedsBlocks)
            (Step, Status) = (ObjectStep.NeedsBlocks, WriteStatus.OutOfMemory);
        if (Status != WriteStatus.Done)
            return;
        var writer = new ElementWriter(objects, ref info, _stub.Number);
        if (!writer.TryMake(changes.Bytes, changes.Count))
            (Step, Status) = (ObjectStep.NeedsPages, WriteStatus.OutOfMemory);
        (_added, _removed) = (writer.Added, writer.Removed);
    }

    public WriteStatus Run(Shard shard, in EntryKey key, ref EntryLock entry)
    {
        Step = ObjectStep.Done;
        if (entry.IsFound && entry.Header.Kind != Edit.Kind)
            return WriteStatus.WrongType;
        bool isSmall = !entry.IsFound || entry.Object.IsNone;
        bool isBuiltHere = isSmall && _stub.IsNone;
        if (isBuiltHere)
        {
            Build(entry.IsFound ? entry.StoredValue : default);
            if (Step != ObjectStep.Done || Status != WriteStatus.Done)
                return Status;
        }

        bool isSame = isSmall && entry.IsFound != _present.IsEmpty
            && (!entry.IsFound || entry.StoredValue.SequenceEqual(_present));
        if (!isSame)
        {
            Step = ObjectStep.Again;
            return WriteStatus.ConditionNotMet;
        }

        var status = Link(shard, key, ref entry);
        if (isBuiltHere)
            Abandon(); // Of the record itself, which may be another's when this is tried again.
        return status;
    }

    /// <summary>Gives back what no key has.</summary>
    public void Abandon()
    {
        if (!_stub.IsNone)
            objects.Discard(_stub);
        _stub = default;
    }

    private WriteStatus Link(Shard shard, in EntryKey key, ref EntryLock entry)
    {
        var expiry = entry.IsFound ? entry.Record.ExpiryOf(entry.Header) : default;
        bool isTold = shard.Records(key);
        if (isTold && !changes.MayBeTold())
        {
            Step = ObjectStep.NeedsBlocks;
            return WriteStatus.OutOfMemory;
        }

        var shape = Shard.ShapeOf(changes, isCollection: !entry.IsFound, isTold) with { EntryKind = Edit.Kind };
        var told = isTold ? changes.Told(isCollection: !entry.IsFound) : default;
        if (!shard.TryPublishObject(ref entry, key, _stub, expiry, shape, told))
            return WriteStatus.OutOfMemory;
        _stub = default;
        Edit.Note(_added, _removed);
        return WriteStatus.Done;
    }
}
