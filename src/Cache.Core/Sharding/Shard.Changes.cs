using System.Diagnostics;
using System.Runtime.CompilerServices;
using Cache.Core.Changes;
using Cache.Core.Collections.Objects;
using Cache.Core.Compression;
using Cache.Core.Layout;

namespace Cache.Core.Sharding;

/// <summary>Reports the writes of a shard to journal and observers.</summary>
/// <remarks>
/// A write that the journal records reserves room when it has staged what it needs and has changed nothing
/// (<see cref="TryReserve(ref EntryLock, in EntryKey, in RecordExpiry, in ChangeShape)"/>); each verb of the commit
/// (<see cref="Publish"/>, <see cref="CommitLink"/>, <see cref="CommitInBlock"/>, <see cref="RemoveLocked"/>,
/// <see cref="CommitAbsence"/>, the overwrites) then writes its record and tells the observers. Without listeners
/// each of these steps is a test of one field or two.
/// </remarks>
internal sealed partial class Shard
{
    // Values of blocks that are longer are lent to the journal, shorter ones copied under the lock.
    private const int CopiedLengthMax = 64 << 10;

    // Null without listeners. Read under the lock of a bucket, after its fence.
    private ChangeListeners? _listeners;

    public ChangeListeners? Listeners
    {
        get => Volatile.Read(ref _listeners);
        set => Volatile.Write(ref _listeners, value);
    }

    /// <summary>
    /// Reserves room in the journal, if there is one, for what is about to become of the locked entry.
    /// </summary>
    /// <returns>False if an obstacle was met; the entry names it.</returns>
    [MethodImpl(MethodImplOptions.AggressiveInlining)] // A test in each write.
    public bool TryReserve(ref EntryLock entry, in EntryKey key, in RecordExpiry expiry, in ChangeShape shape) =>
        (Listeners is null && key.Locks is null) || TryReserveSlow(ref entry, key, expiry, shape);

    /// <summary>
    /// Whether the part of a value that is recorded is short enough to be copied under its lock.
    /// </summary>
    public bool MayRecordHere(in EntryKey key, in ChangeShape shape) =>
        (Listeners is null && key.Locks is null) || shape.Length <= StepBytesMax;

    /// <summary>Reserves room for the records of several keys, which are written one by one.</summary>
    /// <remarks>keyspaces: One bit for each that the keys are in. generations: As of their locks.</remarks>
    /// <returns>
    /// False if there is none, or one of the keyspaces is about to be cleared; the entry names which.
    /// </returns>
    public static bool TryReserve(
        SharedState state, ChangeRecorder recorder, uint keyspaces, ulong generations, ref EntryLock entry)
    {
        if (!recorder.TryReserve())
        {
            entry.BytesWanted = recorder.Bytes;
            entry.Fail(Obstacle.NoJournalRoom);
        }
        else if (recorder.IsGroup || state.Generations.AreStill(keyspaces, generations)) // A group asked when it began.
        {
            return true;
        }
        else
        {
            entry.Fail(Obstacle.Contention);
        }

        recorder.End();
        return false;
    }

    /// <summary>Adds the record of a key that gets what was staged for it.</summary>
    public static void AddSet(SharedState state, ChangeRecorder recorder, in StagedRecord staged)
    {
        var header = staged.Header;
        var key = new EntryKey(staged.Target.KeyOf(header), (byte)header.Keyspace, hash: 0); // Not used.
        Add(state, recorder, key, staged.Expiry, ShapeOf(staged.Target, header));
    }

    /// <summary>What the journal is told of a plain value that is replaced.</summary>
    public static ChangeRecord RecordOf(RecordHeader header, int valueLength) => new()
    {
        Kind = ChangeKind.Set,
        EntryKind = EntryKind.String,
        Keyspace = (byte)header.Keyspace,
        KeyLength = header.KeyLength,
        ValueLength = valueLength,
    };

    /// <summary>Adds the record of a key that goes.</summary>
    private static void AddRemoval(SharedState state, ChangeRecorder recorder, in EntryKey key) =>
        Add(state, recorder, key, default, ChangeShape.Removal);

    /// <summary>Tells of a removal that found nothing.</summary>
    public static void CommitAbsence(ref EntryLock entry, in EntryKey key)
    {
        Debug.Assert(!entry.IsFound);
        if (entry.Recorder is not { } recorder)
            return;
        if (recorder.Write(key.Bytes, default))
            entry.Recorder = null;
    }

    // A change with reserved room is recorded even after the last listener left: of several keys all, or none.
    [MethodImpl(MethodImplOptions.AggressiveInlining)] // A test in each write.
    private bool IsTold(in EntryLock entry) => Listeners is not null || entry.Recorder is not null;

    /// <summary>Writes a record of the journal, if room was reserved for one, and tells the observers.</summary>
    /// <remarks>
    /// unpacked: The value, if its record is the copy of a compressed one. isNew: Whether the key had no value.
    /// </remarks>
    [MethodImpl(MethodImplOptions.NoInlining)] // Only with listeners.
    private void Tell(
        ref ChangeRecorder? pending, Record record, RecordHeader header, ChangeKind kind, ChangeCause cause,
        byte[]? unpacked = null, bool isNew = false)
    {
        Debug.Assert(!record.IsNull);
        var key = record.KeyOf(header);
        if (pending is { } recorder)
        {
            bool hasValue = kind is ChangeKind.Set or ChangeKind.Patch;
            var value = !hasValue ? default
                : header.IsCompressed ? unpacked.AsSpan(0, PackedValue.LengthOf(record.ValueOf(header)))
                : ValueOf(record, header);
            if (recorder.Write(key, value))
                pending = null;
        }

        if (kind == ChangeKind.None)
            return;
        if (kind == ChangeKind.Elements)
            kind = ChangeKind.Set; // To observers a collection is one value.
        var note = new ChangeNote
        {
            Key = key,
            Keyspace = header.Keyspace,
            Kind = kind,
            Cause = cause,
            EntryKind = header.Kind,
            IsReplaced = !isNew && (kind is ChangeKind.Set or ChangeKind.Patch),
        };
        Listeners?.Note(note);
    }

    /// <summary>Records what becomes of some elements of a large collection that no lock of its key guards.</summary>
    /// <remarks>
    /// The caller holds the object, asks afterwards whether the home is the same, and only then changes anything: so a
    /// removal of the key reserves later.
    /// </remarks>
    /// <returns>False if there is no room, or the keyspace is about to be cleared; the entry names which.</returns>
    /// <remarks>changes: Null if there was no journal a moment ago: then there must be none now.</remarks>
    public bool TryReserveElements(
        in EntryKey key, EntryKind kind, int generation, ElementChanges? changes, ref EntryLock entry,
        out ChangeRecorder? recorder)
    {
        recorder = null;
        if (Listeners?.Journal is not { } journal)
            return true;
        if (changes is null)
            return false;
        recorder = ChangeRecorder.Rent(journal);
        var shape = ShapeOf(changes, isCollection: false, isTold: true) with { EntryKind = kind };
        try
        {
            Add(_state, recorder, key, default, shape);
        }
        catch (OutOfMemoryException) // It lends a long value.
        {
            recorder.End();
            throw;
        }

        if (TryReserve(
            _state, recorder, 1U << key.Keyspace, Generations.WordOf(key.Keyspace, generation), ref entry))
        {
            return true;
        }

        recorder = null; // It has ended.
        return false;
    }

    /// <summary>Whether a journal is told of a write of the key.</summary>
    public bool Records(in EntryKey key) =>
        key.Locks is { } locks ? locks.Recorder is not null : Listeners?.Journal is not null;

    /// <summary>What a journal is told of elements; nothing of them matters without one.</summary>
    public static ChangeShape ShapeOf(ElementChanges changes, bool isCollection, bool isTold)
    {
        int length = isTold ? changes.Told(isCollection).Length : changes.Bytes.Length;
        var block = isTold ? changes.ToldBlock : default;
        return new ChangeShape(isCollection ? ChangeKind.Set : ChangeKind.Elements, 0, length, block)
        {
            IsOfElements = true,
            IsUntold = !isTold,
        };
    }

    /// <summary>What a journal is told of a whole large collection.</summary>
    public static ChangeShape ShapeOf(in ObjectImage image, EntryKind kind) =>
        new(ChangeKind.Set, 0, image.Length, image.Block) { EntryKind = kind, IsOfElements = true };

    /// <summary>Tells observers of a written collection; the caller holds its object.</summary>
    public void NoteElements(in EntryKey key, EntryKind kind, ChangeCause cause, bool keepsEntries) =>
        Listeners?.Note(new ChangeNote
        {
            Key = key.Bytes,
            Keyspace = key.Keyspace,
            Kind = ChangeKind.Set,
            Cause = cause,
            EntryKind = kind,
            IsReplaced = true,
            KeepsEntries = keepsEntries,
        });

    [MethodImpl(MethodImplOptions.NoInlining)] // Rare: a write that failed after it had reserved.
    private static void EndRecorder(ref EntryLock entry)
    {
        Debug.Assert(entry.Recorder is not null);
        entry.Recorder!.End();
        entry.Recorder = null;
    }

    private static ChangeShape ShapeOf(Record record, RecordHeader header)
    {
        var shape = header.IsLarge
            ? ChangeShape.Set(LargeBlock.ReadStub(record.ValueOf(header)))
            : ChangeShape.Set(
                header.IsCompressed ? PackedValue.LengthOf(record.ValueOf(header)) : header.ValueLength);
        return shape with { EntryKind = header.Kind };
    }

    private static ReadOnlySpan<byte> ValueOf(Record record, RecordHeader header)
    {
        var value = record.ValueOf(header);
        return header.IsLarge ? LargeBlock.ReadStub(value).Value : value;
    }

    [MethodImpl(MethodImplOptions.NoInlining)] // Only with listeners.
    private bool TryReserveSlow(
        ref EntryLock entry, in EntryKey key, in RecordExpiry expiry, in ChangeShape shape)
    {
        if (shape.Kind == ChangeKind.None || RecorderFor(key) is not { } recorder)
            return true;
        Debug.Assert(entry.Recorder is null);
        if (shape.IsUntold) // It was attached meanwhile; a transaction has its recorder from the beginning.
        {
            Debug.Assert(!recorder.IsGroup);
            recorder.End();
            entry.Fail(Obstacle.Contention);
            return false;
        }

        entry.Recorder = recorder; // Set before the next calls, which may run out of memory: the unlock then ends it.
        Add(_state, recorder, key, expiry, shape);
        ulong generations = Generations.WordOf(key.Keyspace, entry.Generation);
        if (TryReserve(_state, recorder, 1U << key.Keyspace, generations, ref entry))
            return true;
        entry.Recorder = null;
        return false;
    }

    /// <summary>Takes the recorder for the next write of a key; null if it is not recorded.</summary>
    private ChangeRecorder? RecorderFor(in EntryKey key)
    {
        if (key.Locks is { } locks)
            return locks.Recorder; // Also after the last listener left: all of its writes are recorded, or none.
        return Listeners?.Journal is { } journal ? ChangeRecorder.Rent(journal) : null;
    }

    private static void Add(
        SharedState state, ChangeRecorder recorder, in EntryKey key, in RecordExpiry expiry, in ChangeShape shape)
    {
        bool isLent = !shape.Block.IsNull && shape.Length > CopiedLengthMax;
        if (isLent)
        {
            recorder.EnsureRoom();
            recorder.Add(LendToJournal(state, shape));
        }

        var now = state.Clock.Now;
        recorder.Add(new ChangeRecord
        {
            Kind = shape.Kind,
            EntryKind = shape.Kind is ChangeKind.Set or ChangeKind.Patch or ChangeKind.Elements
                ? shape.EntryKind
                : EntryKind.None,
            Keyspace = key.Keyspace,
            IsLent = isLent,
            KeyLength = key.Bytes.Length,
            ValueLength = shape.Length,
            Offset = shape.Offset,
            ExpiresAtUnixMs = expiry.IsExpiring ? now.ToUnixMs(expiry) : 0,
            SlidingMs = expiry.SlidingMs,
            AbsoluteUnixMs = expiry.IsSliding ? now.ToUnixMs(expiry.AbsoluteMs) : 0,
        });
    }

    private static ChangeValue LendToJournal(SharedState state, in ChangeShape shape)
    {
        if (shape.IsOfElements)
            return LendToJournal(state.Objects!.LongElements, shape);
        var value = new JournalValue(state, shape.Block, shape.Offset, shape.Length);
        state.Lend(shape.Block); // Last: there may be no memory for either.
        return value;
    }

    // The last bytes of the block.
    private static ElementsValue LendToJournal(LongElements owner, in ChangeShape shape)
    {
        var value = new ElementsValue(owner, shape.Block, shape.Length);
        owner.Lend(shape.Block); // Last: there may be no memory for the other.
        return value;
    }

    private sealed class ElementsValue(LongElements owner, LargeBlock block, int length) : ChangeValue
    {
        private LargeBlock _block = block;

        public override ReadOnlySpan<byte> Span
        {
            get
            {
                ObjectDisposedException.ThrowIf(_block.IsNull, this);
                return _block.Value[^length..];
            }
        }

        public override void Dispose()
        {
            if (!_block.IsNull)
                owner.Return(_block);
            _block = default;
        }
    }

    private sealed class JournalValue(SharedState state, LargeBlock block, int offset, int length) : ChangeValue
    {
        private LargeBlock _block = block;

        public override ReadOnlySpan<byte> Span
        {
            get
            {
                ObjectDisposedException.ThrowIf(_block.IsNull, this);
                return _block.Value.Slice(offset, length);
            }
        }

        public override void Dispose()
        {
            if (!_block.IsNull)
                state.Return(_block);
            _block = default;
        }
    }
}
