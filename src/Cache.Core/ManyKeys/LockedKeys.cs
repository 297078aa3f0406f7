using System.Buffers;
using System.Diagnostics;
using Cache.Core.Changes;
using Cache.Core.Layout;
using Cache.Core.Sharding;

namespace Cache.Core.ManyKeys;

/// <summary>Several keys while they are locked: their values, and changes that take place together.</summary>
/// <remarks>
/// The general form of an operation on several keys. Each change is written beside what is there and linked under the
/// locks, unseen by readers, so that it can be undone until the end. The locks are those of KeyLocks, in the order
/// of addresses, so no two threads wait for each other, whatever keys they name in whatever order.
/// </remarks>
internal ref struct LockedKeys
{
    // Within this many steps the room that is asked for doubles.
    private const int WasteStepsMax = 4;

    private readonly StoreState _state;
    private readonly byte _keyspace;
    private readonly ReadOnlySpan<byte[]> _keys;
    private readonly ReadOnlySpan<ulong> _hashes;
    private readonly Span<KeyChange> _changes;

    // The key whose change met an obstacle; −1: none did.
    private int _failed;

    // How often room was made for an attempt that others took a part of.
    private int _roomAttempts;

    // What this attempt has written so far, and must find room for again if it fails.
    private long _stagedBytes;

    // Has room in the journal for what the keys become; null: there is no journal.
    private ChangeRecorder? _recorder;

    private LockedKeys(
        StoreState state, byte keyspace, ReadOnlySpan<byte[]> keys, ReadOnlySpan<ulong> hashes, Span<KeyChange> changes)
    {
        _state = state;
        _keyspace = keyspace;
        _keys = keys;
        _hashes = hashes;
        _changes = changes;
        _failed = -1;
    }

    public readonly int Count => _keys.Length;

    /// <summary>Locks the keys, which must differ, runs the body, and lets its changes take place.</summary>
    /// <returns>The body's status, or that of an obstacle that could not be overcome: nothing is changed.</returns>
    public static WriteStatus Run<TBody>(
        StoreState state, byte keyspace, ReadOnlySpan<byte[]> keys, ref TBody body)
        where TBody : struct, ILockedKeysBody, allows ref struct
    {
        foreach (byte[] key in keys)
        {
            if (key.Length > EntryKey.LengthMax)
                return WriteStatus.KeyTooLong;
        }

        var changes = ArrayPool<KeyChange>.Shared.Rent(keys.Length);
        ulong[] hashes = ArrayPool<ulong>.Shared.Rent(keys.Length);
        for (int i = 0; i < keys.Length; i++)
        {
            hashes[i] = state.HashOf(keys[i], keyspace);
            changes[i] = default;
        }

        Debug.Assert(AreDistinct(hashes.AsSpan(0, keys.Length)));
        var locks = KeyLocks.Rent();
        try
        {
            var locked = new LockedKeys(
                state, keyspace, keys, hashes.AsSpan(0, keys.Length), changes.AsSpan(0, keys.Length));
            return locked.Run(locks, ref body);
        }
        finally
        {
            KeyLocks.Return(locks);
            ArrayPool<KeyChange>.Shared.Return(changes, clearArray: true);
            ArrayPool<ulong>.Shared.Return(hashes);
        }
    }

    public readonly bool Exists(int index) => _changes[index].Kind switch
    {
        Fate.Set => true,
        Fate.Remove => false,
        _ => _changes[index].Entry.IsFound,
    };

    /// <summary>Whether a key exists and is no string, as changed so far: what is set is one.</summary>
    public readonly bool IsOtherKind(int index) =>
        _changes[index].Kind == Fate.None && _changes[index].Entry.IsOtherKind;

    /// <summary>The value of a key that exists, as changed so far; valid until its next change.</summary>
    public readonly ReadOnlySpan<byte> ValueOf(int index)
    {
        Debug.Assert(Exists(index));
        ref readonly var change = ref _changes[index];
        if (change.Kind != Fate.Set)
            return change.Entry.Value;
        return change.Staged.Header.IsLarge
            ? LargeBlock.ReadStub(change.Staged.Value).Value
            : change.Staged.Value;
    }

    /// <summary>The expiry that a key had when it was locked.</summary>
    public readonly RecordExpiry ExpiryOf(int index)
    {
        ref readonly var entry = ref _changes[index].Entry;
        return entry.IsFound ? entry.Record.ExpiryOf(entry.Header) : default;
    }

    /// <summary>Gives a key a value, and an expiry or none.</summary>
    /// <returns>False if an obstacle was met: the body ends.</returns>
    public bool TrySet(int index, scoped ReadOnlySpan<byte> value, scoped in RecordExpiry expiry)
    {
        ref var change = ref _changes[index];
        var key = KeyAt(index);
        var shard = _state.ShardOf(key.Hash);
        Undo(index);
        _stagedBytes += Shard.NewBytesOf(
            _state, key.Bytes.Length, value.Length, shard.BlockCapacityOf(value.Length), expiry);
        if (!shard.TryStageApart(ref change.Entry, key, value, expiry, out change.Staged))
        {
            _failed = index;
            return false;
        }

        shard.Link(ref change.Entry, key, change.Staged);
        change.Kind = Fate.Set;
        return true;
    }

    /// <summary>Removes a key, if it exists.</summary>
    public readonly void Remove(int index)
    {
        Undo(index);
        _changes[index].Kind = Fate.Remove;
    }

    private WriteStatus Run<TBody>(KeyLocks locks, ref TBody body)
        where TBody : struct, ILockedKeysBody, allows ref struct
    {
        try
        {
            for (int attempts = 0; ; attempts++)
            {
                var status = RunOnce(locks, ref body, isExclusive: attempts >= KeyLocks.AttemptsMax);
                if (_failed < 0 || !TryOvercome(attempts, ref status))
                    return status;
            }
        }
        finally // The body may throw.
        {
            EndWrites();
        }
    }

    private WriteStatus RunOnce<TBody>(KeyLocks locks, ref TBody body, bool isExclusive)
        where TBody : struct, ILockedKeysBody, allows ref struct
    {
        _failed = -1;
        _stagedBytes = 0;
        var status = WriteStatus.OutOfMemory;
        bool isDone = false;
        int held = 0;
        try
        {
            locks.Enter(_state, _hashes, isExclusive, Held());
            held = FindAll(locks);
            if (isExclusive && held == Count)
            {
                MakeSlots(locks); // Moves entries: they are looked for again.
                held = FindAll(locks);
            }

            if (held == Count)
                status = body.Run(ref this);
            isDone = status == WriteStatus.Done && _failed < 0 && TryReserve(locks.Generations);
            return status;
        }
        finally
        {
            if (!isDone)
                EndRecorder();
            for (int i = held - 1; i >= 0; i--)
                End(i, isDone);
            locks.Exit();
        }
    }

    /// <summary>
    /// Reserves room in the journal, if there is one, for all changes, in the order of <see cref="End"/>.
    /// </summary>
    private bool TryReserve(ulong generations)
    {
        if (_state.Listeners?.Journal is not { } journal)
            return true;
        int first = -1;
        _recorder = ChangeRecorder.Rent(journal);
        for (int i = Count - 1; i >= 0; i--)
        {
            if (_changes[i].Kind == Fate.None)
                continue;
            first = i;
            if (_changes[i].Kind == Fate.Set)
                Shard.AddSet(_state, _recorder, _changes[i].Staged);
            else
                Shard.AddRemoval(_state, _recorder, KeyAt(i));
        }

        if (first < 0)
        {
            EndRecorder();
            return true;
        }

        if (Shard.TryReserve(_state, _recorder, 1U << _keyspace, generations, ref _changes[first].Entry))
            return true;
        _recorder = null;
        _failed = first;
        return false;
    }

    private void EndRecorder()
    {
        _recorder?.End();
        _recorder = null;
    }

    /// <returns>The number of keys whose entries were found before one met another thread's lock.</returns>
    private int FindAll(KeyLocks locks)
    {
        for (int i = 0; i < Count; i++)
        {
            _changes[i].Kind = Fate.None;
            if (_state.ShardOf(_hashes[i]).TryLockIn(locks, KeyAt(i), ref _changes[i].Entry))
                continue;
            _changes[i].Entry.Fail(Obstacle.Contention);
            _failed = i;
            return i;
        }

        return Count;
    }

    private void End(int index, bool isDone)
    {
        ref var change = ref _changes[index];
        var shard = _state.ShardOf(_hashes[index]);
        change.Entry.Recorder = _recorder;
        if (!isDone)
            Undo(index);
        else if (change.Kind == Fate.Set)
            shard.CommitLink(ref change.Entry, change.Staged, Shard.LargeBytesOf(change.Staged));
        else if (change.Kind == Fate.Remove)
            Remove(shard, KeyAt(index), ref change.Entry);
        (_recorder, change.Entry.Recorder) = (change.Entry.Recorder, null);
        shard.Unlock(ref change.Entry);
    }

    private static void Remove(Shard shard, in EntryKey key, ref EntryLock entry)
    {
        entry.IsChanged |= shard.NoteRemoval(key.Hash);
        if (entry.IsFound)
            shard.RemoveLocked(ref entry, ChangeCause.Deleted);
        else
            Shard.CommitAbsence(ref entry, key);
    }

    /// <summary>Takes the change of a key back.</summary>
    private readonly void Undo(int index)
    {
        ref var change = ref _changes[index];
        if (change.Kind == Fate.Set)
        {
            var shard = _state.ShardOf(_hashes[index]);
            shard.UndoLink(ref change.Entry, KeyAt(index));
            shard.AbandonPrepared(change.Staged);
        }

        change.Kind = Fate.None;
    }

    /// <summary>
    /// Splits pages until they have slots for all keys that were not there: the body may want to write each.
    /// </summary>
    /// <remarks>locks: Exclusive ones that are held; null: none are.</remarks>
    private readonly bool MakeSlots(KeyLocks? locks)
    {
        ulong[] missing = ArrayPool<ulong>.Shared.Rent(Count);
        int count = 0;
        for (int i = 0; i < Count; i++)
        {
            if (!_changes[i].Entry.IsFound)
                missing[count++] = _hashes[i];
            if (locks is not null)
                _state.ShardOf(_hashes[i]).Unlock(ref _changes[i].Entry);
        }

        bool isMade = NewSlots.TryMake(_state, missing.AsSpan(0, count), locks);
        ArrayPool<ulong>.Shared.Return(missing);
        return isMade;
    }

    // Room for one more record would be taken by the first ones of the next attempt: it needs room for all.
    private bool TryOvercome(int attempts, ref WriteStatus status)
    {
        ref var entry = ref _changes[_failed].Entry;
        status = WriteStatus.OutOfMemory;
        // Others of the keys may be of full pages too: one by one, the body would run once for each.
        if (entry.Obstacle == Obstacle.NoSlot && attempts < KeyLocks.AttemptsMax && MakeSlots(null))
            return true;
        entry.RoomAttempts = _roomAttempts; // All attempts to make room are the body's.
        if (entry.Obstacle is Obstacle.NoSegmentRoom or Obstacle.LongRecord or Obstacle.NoBlockRoom
            && !_state.Reclaimer.TryMakeRoom(WantedBytes(entry.RoomAttempts), _hashes[_failed]))
        {
            return false;
        }

        bool isOvercome = _state.ShardOf(_hashes[_failed]).TryOvercome(KeyAt(_failed), ref entry, ref status);
        _roomAttempts = entry.RoomAttempts;
        return isOvercome;
    }

    // Records of nearly half a segment leave much of it unused behind them: if room was made in vain, more is.
    private readonly long WantedBytes(int vainAttempts) =>
        _stagedBytes + _stagedBytes * Math.Min(vainAttempts, WasteStepsMax) / WasteStepsMax + _state.Log.SegmentBytes;

    // A record that was made ahead for one of the keys.
    private readonly HeldBytes Held()
    {
        var held = default(HeldBytes);
        foreach (ref readonly var change in _changes)
            held += Shard.HeldBy(change.Entry);
        return held;
    }

    private readonly void EndWrites()
    {
        for (int i = 0; i < Count; i++)
            _state.ShardOf(_hashes[i]).EndWrite(KeyAt(i), ref _changes[i].Entry);
    }

    private readonly EntryKey KeyAt(int index) => new(_keys[index], _keyspace, _hashes[index]);

    private static bool AreDistinct(ReadOnlySpan<ulong> hashes)
    {
        ulong[] ordered = hashes.ToArray();
        ordered.AsSpan().Sort();
        for (int i = 1; i < ordered.Length; i++)
        {
            if (ordered[i - 1] == ordered[i])
                return false;
        }

        return true;
    }

    private enum Fate : byte
    {
        None,
        Set,
        Remove,
    }

    /// <summary>A key's entry, and what will become of it.</summary>
    private struct KeyChange
    {
        public EntryLock Entry;
        public StagedRecord Staged;
        public Fate Kind;
    }
}
