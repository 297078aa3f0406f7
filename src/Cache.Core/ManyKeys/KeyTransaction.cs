using System.Diagnostics;
using System.Numerics;
using Cache.Core.Changes;
using Cache.Core.Layout;
using Cache.Core.Sharding;

namespace Cache.Core.ManyKeys;

/// <summary>Keys that one thread has locked, for any reads and writes of them.</summary>
/// <remarks>
/// Once the keys are locked, nothing can be waited for any more. So the keys' buckets are all held before, homes that
/// may have no slots for what is written are locked with their whole pages, which can then be split; and room for the
/// writes is taken before, as far as there is any. Room in the journal is reserved under the locks, for all writes:
/// they are one group there. An object begins and ends as often as one likes, for one thread at a time, so that a
/// transaction allocates nothing.
/// </remarks>
internal sealed class KeyTransaction(StoreState state)
{
    // With more keys than this, their pages are locked as a whole rather than their slots counted.
    private const int CountedKeysMax = 64;

    // Blocks are of whole pages, and have room to grow.
    private const int RoundingDivisor = 4;

    // What the record of a write has besides, and its slot, in pages that are half full.
    private const int WriteBytes = RecordHeader.Size + RecordRounding + 2 * Shard.PageBytes / IndexPage.SlotCount;

    // The active segments of entries with an expiry, and without, may both be nearly full.
    private const int SegmentsBegun = 2;

    // A record, of the store or in the journal, may be rounded up by this.
    private const int RecordRounding = 8;

    // Room for the hashes of more keys is not kept.
    private const int KeptKeysMax = 1024;

    private readonly StoreState _state = state;

    // The hashes of the keys, first as they are named, then in ascending order.
    private ulong[] _hashes = [];
    private KeyLocks? _locks;
    private int _count;
    private int _threadId;
    private uint _keyspaces;
    private int _keyLengthMax;

    private KeyLocks Locks => _locks!;

    private ReadOnlySpan<ulong> Hashes => _hashes.AsSpan(0, _count);

    private ReadOnlySpan<ulong> OrderedHashes => _hashes.AsSpan(_count, _count);

    /// <summary>Locks the keys.</summary>
    public void Begin<TTransaction>(ref TTransaction transaction)
        where TTransaction : struct, ITransactionKeys, allows ref struct
    {
        Debug.Assert(_locks is null, "The last transaction has ended.");
        TakeHashes(ref transaction);
        _threadId = Environment.CurrentManagedThreadId;
        _locks = KeyLocks.Rent();
        bool isEntered = false;
        try
        {
            if (_state.Generations.IsUsedUp)
                _state.Cleared.Free(); // It may clear, and cannot free anything then.
            if (_count > CountedKeysMax)
                MakeSlots(ref transaction); // First: it holds no room then that others may look for.
            TakeRoom(transaction.WrittenBytes, transaction.WriteCount);
            Enter(ref transaction);
            isEntered = true;
        }
        finally // The store may have been disposed, and the caller's keys may throw.
        {
            if (!isEntered)
                End();
        }
    }

    /// <summary>Unlocks the keys: others see all that was written.</summary>
    public void End()
    {
        long written = Locks.WrittenBytes;
        EndGroup(); // Before others see what was written: see ChangeJournal.
        Locks.Exit();
        long unused = Locks.EndTransaction();
        if (unused != 0)
            _state.Budget.Add(-unused);
        KeyLocks.Return(Locks);
        _locks = null;
        if (_hashes.Length > 2 * KeptKeysMax)
            _hashes = [];
        if (written != 0)
            _state.Reclaimer.Pace(written, keptHash: 0);
        _state.DrainChanges();
    }

    /// <summary>The locks of a key.</summary>
    /// <exception cref="InvalidOperationException">The key is none of these, or they are not locked.</exception>
    public KeyLocks LocksOf(ulong hash)
    {
        ThrowIfOver();
        if (OrderedHashes.BinarySearch(hash) < 0)
            throw new InvalidOperationException("The key is not one of those that the transaction has locked.");
        return Locks;
    }

    /// <summary>Clears keyspaces, one bit for each.</summary>
    /// <remarks>
    /// In the journal, a clear is a group of its own: other threads' writes come between it and what was reserved
    /// before. What the transaction writes afterwards is one more; without room for that it is refused.
    /// Other keyspaces stay in the generations that they were locked in: where another thread has cleared one since,
    /// all that the transaction writes there comes before that clear, or a part of it would stay.
    /// </remarks>
    /// <returns>
    /// False if too many earlier clears wait for being freed, which needs locks; or the journal has no room.
    /// </returns>
    public bool TryClear(uint keyspaces)
    {
        ThrowIfOver();
        lock (_state.ClearGate) // No other clear comes between this one and the room for what follows it.
        {
            var room = Locks.Recorder?.Room;
            EndGroup();
            bool isCleared = _state.TryClear(keyspaces, mayWait: false);
            if (isCleared)
                Locks.ReadGenerations(_state, keyspaces);
            if (room is { } left && _state.Listeners?.Journal is { } journal)
                BeginGroupAnew(journal, left.Bytes, left.Count);
            return isCleared;
        }
    }

    private void ThrowIfOver()
    {
        if (_threadId != Environment.CurrentManagedThreadId || _locks is null)
            throw new InvalidOperationException("The view of a transaction is used outside of it.");
    }

    private void TakeHashes<TTransaction>(ref TTransaction transaction)
        where TTransaction : struct, ITransactionKeys, allows ref struct
    {
        int count = transaction.KeyCount;
        if (_hashes.Length < 2 * count)
            _hashes = new ulong[2 * count];
        _count = count;
        _keyspaces = 0;
        int keyLengthMax = 0;
        for (int i = 0; i < count; i++)
        {
            var key = transaction.GetKey(i);
            int keyspace = transaction.GetKeyspace(i);
            _hashes[i] = _state.HashOf(key, keyspace);
            _keyspaces |= 1U << keyspace;
            keyLengthMax = Math.Max(keyLengthMax, key.Length);
        }

        _keyLengthMax = Math.Min(keyLengthMax, EntryKey.LengthMax);
        var ordered = _hashes.AsSpan(count, count);
        Hashes.CopyTo(ordered);
        ordered.Sort();
    }

    private void TakeRoom(long bytes, int count)
    {
        if (bytes <= 0)
        {
            Locks.BeginTransaction(roomBytes: 0);
            return;
        }

        // Without this room, only writes that need none succeed.
        bytes = Math.Min(bytes + count * (long)WriteBytes, _state.LimitBytes);
        bytes += bytes / RoundingDivisor + SegmentsBegun * (long)_state.Log.SegmentBytes;
        var request = new RoomRequest(bytes, _state.Log.SpareBytes, 0, 0, default, IsLast: false);
        bool isTaken = _state.Budget.TryTake(bytes, request.SpareBytes) || _state.Reclaimer.TryTakeRoom(request);
        Locks.BeginTransaction(isTaken ? bytes : 0);
    }

    private void Enter<TTransaction>(ref TTransaction transaction)
        where TTransaction : struct, ITransactionKeys, allows ref struct
    {
        bool isExclusive = _count > CountedKeysMax;
        var held = new HeldBytes(0, 0, Locks.RoomBytes);
        for (int attempts = 0; ; attempts++)
        {
            Locks.Enter(_state, OrderedHashes, isExclusive, held);
            bool isLast = attempts >= KeyLocks.AttemptsMax;
            if (TryHoldAll(ref transaction, isExclusive, isLast, out bool haveSlots, out long missingBytes))
                return;
            Locks.Exit();
            if (!haveSlots)
                MakeSlots(ref transaction);
            isExclusive |= !haveSlots || isLast;
            if (missingBytes != 0)
                _state.WaitForJournal(missingBytes);
            else if (haveSlots)
                Thread.Yield(); // Another thread is in the way, or clears: it reserves its record just now.
        }
    }

    /// <summary>Splits pages until they have slots for the keys that seem to be new, while room can be made.</summary>
    /// <remarks>What others take of them until the pages are locked is split there, within the room.</remarks>
    private void MakeSlots<TTransaction>(ref TTransaction transaction)
        where TTransaction : struct, ITransactionKeys, allows ref struct
    {
        if (transaction.WrittenBytes <= 0)
            return;
        var hashes = Hashes;
        ulong[] missing = new ulong[hashes.Length];
        int count = 0;
        for (int i = 0; i < hashes.Length; i++)
        {
            int generation = _state.Generations.Of(transaction.GetKeyspace(i));
            if (!_state.ShardOf(hashes[i]).TryPrefetchRecord(hashes[i], generation))
                missing[count++] = hashes[i];
        }

        NewSlots.TryMake(_state, missing.AsSpan(0, count), held: null);
    }

    /// <summary>Finds all keys, and reserves room in the journal for what is written.</summary>
    /// <remarks>
    /// isLast: Clears are kept waiting, which else could come between the two each time. haveSlots: False if the pages
    /// must be locked as a whole. missingBytes: What the journal has no room for, if that is why.
    /// </remarks>
    private bool TryHoldAll<TTransaction>(
        ref TTransaction transaction, bool isExclusive, bool isLast, out bool haveSlots, out long missingBytes)
        where TTransaction : struct, ITransactionKeys, allows ref struct
    {
        if (isLast)
        {
            lock (_state.ClearGate)
            {
                Locks.ReadGenerations(_state);
                return TryHoldAll(ref transaction, isExclusive, false, out haveSlots, out missingBytes);
            }
        }

        missingBytes = 0;
        bool isFound = TryFindAll(ref transaction, out haveSlots, out long foundBytes);
        Debug.Assert(isFound || !isExclusive, "Then no other thread is in the way.");
        haveSlots |= isExclusive;
        if (!isFound || !haveSlots)
            return false;
        if (_state.Listeners?.Journal is not { } journal)
            return true;
        int count = transaction.WriteCount;
        long bytes = JournalBytesOf(journal, count, transaction.WrittenBytes + foundBytes);
        bool isReserved = TryBeginGroup(journal, bytes, count, cleared: 0, out bool hasRoom);
        missingBytes = hasRoom ? 0 : bytes;
        return isReserved;
    }

    /// <summary>What some records of the keys take in the journal at most.</summary>
    private long JournalBytesOf(ChangeJournal journal, int count, long valueBytes)
    {
        var longest = new ChangeRecord
        {
            Kind = ChangeKind.Set,
            KeyLength = _keyLengthMax,
            ExpiresAtUnixMs = long.MaxValue,
            SlidingMs = long.MaxValue,
            AbsoluteUnixMs = long.MaxValue,
        };
        return count * (journal.SizeOf(longest) + RecordRounding) + valueBytes;
    }

    /// <summary>Reserves room in the journal.</summary>
    /// <remarks>cleared: Keyspaces of which nothing is recorded. hasRoom: False if there is none.</remarks>
    /// <returns>False also if one of the keyspaces is being cleared: the records would come behind the clear.</returns>
    private bool TryBeginGroup(ChangeJournal journal, long bytes, int count, uint cleared, out bool hasRoom)
    {
        var recorder = ChangeRecorder.Rent(journal);
        Locks.Recorder = recorder;
        hasRoom = recorder.TryReserveGroup(bytes, count, cleared);
        if (hasRoom && (count == 0 || _state.Generations.AreStill(_keyspaces & ~cleared, Locks.Generations)))
            return true;
        EndGroup();
        return false;
    }

    private void BeginGroupAnew(ChangeJournal journal, long bytes, int count)
    {
        Debug.Assert(_state.ClearGate.IsHeldByCurrentThread);
        uint cleared = _state.Generations.ChangedSince(_keyspaces, Locks.Generations);
        if (!TryBeginGroup(journal, bytes, count, cleared, out bool hasRoom))
        {
            Debug.Assert(!hasRoom, "Nobody else clears meanwhile.");
            TryBeginGroup(journal, 0, 0, cleared, out _);
        }
    }

    private void EndGroup()
    {
        Locks.Recorder?.EndGroup();
        Locks.Recorder = null;
    }

    /// <summary>Finds all keys, and holds each bucket that they may need.</summary>
    /// <remarks>
    /// haveSlots: Whether each home has slots for all keys that are not in it, whatever is written. foundBytes: Of the
    /// values that the journal would have to take if they were copied.
    /// </remarks>
    /// <returns>False if another thread holds one of these.</returns>
    private bool TryFindAll<TTransaction>(
        ref TTransaction transaction, out bool haveSlots, out long foundBytes)
        where TTransaction : struct, ITransactionKeys, allows ref struct
    {
        var hashes = Hashes;
        haveSlots = true;
        foundBytes = 0;
        bool isCounted = hashes.Length <= CountedKeysMax;
        Span<Bucket> homes = stackalloc Bucket[isCounted ? hashes.Length : 0];
        int outside = 0; // Of home: absent, or spilled.
        for (int i = 0; i < hashes.Length; i++)
        {
            var key = new EntryKey(transaction.GetKey(i), (byte)transaction.GetKeyspace(i), hashes[i]);
            if (key.Bytes.Length > EntryKey.LengthMax)
                continue; // Is in no store, and nothing is written to it.
            var shard = _state.ShardOf(hashes[i]);
            var entry = default(EntryLock);
            if (!shard.TryLockIn(Locks, key, ref entry))
                return false;
            bool isSpillHeld = TryHoldSpill(entry.Home);
            if (entry.IsFound)
                foundBytes += Math.Min(entry.ValueLength, ChangeJournal.SpanLengthMax);
            if (isCounted && (!entry.IsFound || entry.IsSpilled))
                homes[outside++] = entry.Home;
            shard.Unlock(ref entry);
            if (!isSpillHeld)
                return false;
        }

        for (int i = 0; i < outside; i++)
            haveSlots &= homes[..outside].Count(homes[i]) <= homes[i].CountEmptySlots();
        return true;
    }

    // A key that was found at home is looked for there as well once it was removed, has expired, or all was cleared.
    private bool TryHoldSpill(Bucket home)
    {
        for (ulong buckets = home.SpillBuckets; buckets != 0; buckets &= buckets - 1)
        {
            if (!Locks.TryHold(home.Page[BitOperations.TrailingZeroCount(buckets)], out _))
                return false;
        }

        return true;
    }
}
