using System.Diagnostics;
using System.Numerics;
using System.Runtime.CompilerServices;
using Cache.Core.Curve;
using Cache.Core.Expiry;
using Cache.Core.Layout;

namespace Cache.Core.Sharding;

/// <summary>The way to a locked entry and back.</summary>
internal sealed partial class Shard
{
    // Waits that double, up to about a microsecond; then the processor is given up.
    private const int SpinsMax = 6;

    // Each of them costs a moment's wait; then the whole page is locked, which costs the other keys of the page one.
    private const int LockAttemptsMax = 32;

    // Others took each slot that was made; the next one is made under locks that keep it.
    private const int SlotAttemptsMax = 8;

    /// <summary>Locks the home bucket of a hash, in the page that holds it now.</summary>
    public Bucket LockHome(ulong hash, out uint version)
    {
        for (int attempts = 0; attempts < LockAttemptsMax; attempts++)
        {
            var page = PageOf(hash);
            var home = page.HomeOf(hash);
            version = _state.Lock(home);
            // A split holds all buckets of its page while it changes the directory: one look is enough.
            if (PageOf(hash).Equals(page))
                return home;
            home.Unlock(version, changed: false);
        }

        lock (_growthGate) // No other thread splits or merges the page now.
        {
            var home = HomeOf(hash);
            version = _state.Lock(home);
            return home;
        }
    }

    /// <summary>Whether a bucket, which is locked, still is the home of a hash.</summary>
    public bool IsHome(ulong hash, Bucket bucket) => PageOf(hash).HomeOf(hash).Equals(bucket);

    /// <summary>Locks a key's home and finds its entry; an expired one is removed on the way.</summary>
    public void Lock(in EntryKey key, ref EntryLock entry)
    {
        if (key.Locks is { } locks)
        {
            LockHeld(locks, key, ref entry);
            return;
        }

        BeginLock(key.Hash, ref entry);
        if (!TryFindUnclaimed(key, ref entry))
            LockAgain(key, ref entry);
        entry.NotedHash = key.Hash;
        RemoveIfExpired(ref entry);
    }

    /// <summary>The same for a read, which waits for no claim: what is claimed is whole until it is replaced.</summary>
    public void LockToRead(in EntryKey key, ref EntryLock entry)
    {
        if (key.Locks is { } locks)
        {
            LockHeld(locks, key, ref entry);
            return;
        }

        BeginLock(key.Hash, ref entry);
        while (true)
        {
            entry.Generation = _generations.Of(key.Keyspace);
            if (TryFindLocked(key, ref entry))
                break;
            BeginLockAgain(key.Hash, ref entry);
        }

        RemoveIfExpired(ref entry);
    }

    /// <summary>Finds a key's entry while its home is locked by a set of locks, which waited for its claims.</summary>
    /// <returns>False if another thread holds a bucket that is needed: the whole set must be given up.</returns>
    public bool TryLockIn(KeyLocks set, in EntryKey key, ref EntryLock entry)
    {
        BeginLockIn(set, key, ref entry);
        if (!TryFindLocked(key, ref entry))
            return false;
        RemoveIfExpired(ref entry);
        return true;
    }

    /// <summary>The same for a read: as of one moment for all of its keys.</summary>
    /// <remarks>now: No later than the clock. What expires afterwards stays, since the set has its home.</remarks>
    public bool TryLockToReadIn(KeyLocks set, in EntryKey key, in ClockReading now, ref EntryLock entry)
    {
        BeginLockIn(set, key, ref entry);
        if (!TryFindLocked(key, ref entry))
            return false;
        RemoveIfExpired(ref entry, now);
        return true;
    }

    /// <summary>Unlocks what the entry holds, with new versions if it was changed.</summary>
    public void Unlock(ref EntryLock entry)
    {
        entry.AssertHeld();
        if (entry.IsChanged && entry.NotedHash != 0)
            _state.Counters.Note(entry.NotedHash, entry.IsFound ? AccessKind.Write : AccessKind.Removal);
        if (entry.Recorder is not null)
            EndRecorder(ref entry); // What was reserved for a change that did not come.
        if (entry.Unpacked is not null)
            ReturnUnpacked(ref entry);
        if (entry.Set is { } set)
        {
            if (entry.IsChanged)
            {
                set.MarkChanged(entry.Home);
                if (entry.IsSpilled)
                    set.MarkChanged(entry.Holder);
            }

            if (entry.OwnsSet)
                ExitOwn(ref entry);
        }
        else
        {
            if (entry.IsSpilled)
                entry.Holder.Unlock(entry.HolderVersion, entry.IsChanged);
            entry.Home.Unlock(entry.HomeVersion, entry.IsChanged);
        }

        if (!entry.GarbageObject.IsNone)
            RetireObject(ref entry);
        if (entry.Garbage.IsNull)
            return;
        if (entry.Set is null)
            RoomSteps.At(RoomStep.BlockDropped);
        _state.Release(entry.Garbage);
        entry.Garbage = default;
    }

    /// <summary>Notes the block or the object of a locked entry, before its record can be written over.</summary>
    private static void SetContent(ref EntryLock entry)
    {
        entry.Block = entry.Header.IsLarge ? LargeBlock.ReadStub(entry.Record.ValueOf(entry.Header)) : default;
        entry.Object = entry.Header.IsPaged ? ObjectStub.Read(entry.Record.ValueOf(entry.Header)) : default;
    }

    /// <summary>Forgets everything but what earlier attempts leave to later ones.</summary>
    public static void ResetLock(ref EntryLock entry)
    {
        var aheadRecord = entry.AheadRecord;
        int roomAttempts = entry.RoomAttempts;
        int contentions = entry.Contentions;
        int slotAttempts = entry.SlotAttempts;
        long prepaidBytes = entry.PrepaidBytes;
        var held = entry.Held;
        entry = default;
        entry.AheadRecord = aheadRecord;
        entry.RoomAttempts = roomAttempts;
        entry.PrepaidBytes = prepaidBytes;
        entry.Held = held;
        entry.Contentions = contentions;
        entry.SlotAttempts = slotAttempts;
    }

    private void BeginLockIn(KeyLocks set, in EntryKey key, ref EntryLock entry)
    {
        ResetLock(ref entry);
        entry.Set = set;
        entry.NotedHash = key.Hash;
        entry.Generation = Generations.Of(key.Keyspace, set.Generations);
        entry.Home = PageOf(key.Hash).HomeOf(key.Hash);
        entry.AssertHeld();
    }

    /// <summary>Locks the home of a hash, and the whole page if others were in the way too often.</summary>
    private void BeginLock(ulong hash, ref EntryLock entry)
    {
        ResetLock(ref entry);
        bool keepsSlot = entry.SlotAttempts >= SlotAttemptsMax;
        if (entry.Contentions < LockAttemptsMax && !keepsSlot)
        {
            entry.Home = entry.Holder = LockHome(hash, out entry.HomeVersion);
            return;
        }

        var locks = KeyLocks.Rent();
        LockPage(hash, locks);
        entry.Set = locks;
        entry.OwnsSet = true;
        if (keepsSlot)
            MakeSlotHeld(hash, ref entry);
        entry.Home = entry.Holder = HomeOf(hash);
        bool isHeld = locks.TryHold(entry.Home, out entry.HomeVersion);
        Debug.Assert(isHeld, "The whole page is.");
    }

    /// <summary>Locks the page of a hash, and keeps it from being split. Waits for no claim.</summary>
    public void LockPage(ulong hash, KeyLocks locks)
    {
        locks.ReserveGates(1);
        locks.EnterGate(_growthGate);
        try
        {
            _state.ThrowIfDisposed(); // As KeyLocksEntry does.
            ulong home = HomeNumberOf(hash);
            locks.Lock(_state, new ReadOnlySpan<ulong>(in home));
            locks.ReadGenerations(_state);
        }
        catch // The store was disposed: its disposal waits for these locks.
        {
            locks.Exit();
            throw;
        }
    }

    /// <summary>Makes a slot in a page that is locked, so that no other thread takes it.</summary>
    private void MakeSlotHeld(ulong hash, ref EntryLock entry)
    {
        bool isDone = false;
        try
        {
            if (TryMakeSlots(new ReadOnlySpan<ulong>(in hash), entry.Set) == 0)
                TryEvictHeld(entry.Set!, HomeOf(hash), wanted: 1);
            isDone = true;
        }
        finally // There may be no memory for another page.
        {
            if (!isDone)
                ExitOwn(ref entry);
        }
    }

    /// <summary>
    /// Unlocks a home because another thread holds a bucket that the entry needs, and locks it again.
    /// </summary>
    private void BeginLockAgain(ulong hash, ref EntryLock entry)
    {
        Unlock(ref entry);
        Wait(ref entry);
        BeginLock(hash, ref entry);
    }

    /// <summary>
    /// Unlocks a home while another thread holds the key, or a bucket that it needs, and locks it again.
    /// </summary>
    [MethodImpl(MethodImplOptions.NoInlining)] // Rare: another one had the bucket.
    private void LockAgain(in EntryKey key, ref EntryLock entry)
    {
        ulong closed = 0;
        int claims = 0;
        try
        {
            do
            {
                Unlock(ref entry);
                if (!_state.Claims.IsTaken(key.Hash))
                    Wait(ref entry);
                else if (++claims <= EntryClaims.WaitsMax)
                    _state.WaitForClaim(key.Hash, HeldBy(entry));
                else
                    closed = _state.CloseClaims(new ReadOnlySpan<ulong>(in key.Hash), HeldBy(entry));
                BeginLock(key.Hash, ref entry);
            }
            while (!TryFindUnclaimed(key, ref entry));
        }
        finally // The store may have been disposed.
        {
            _state.Claims.Open(closed);
        }
    }

    private void Wait(ref EntryLock entry)
    {
        Debug.Assert(entry.Set is null, "A thread that holds other keys waits for none.");
        _state.ThrowIfDisposed();
        RoomSteps.At(RoomStep.WaitsForBucket);
        if (++entry.Contentions >= SpinsMax)
            Thread.Yield();
        else
            Thread.SpinWait(1 << entry.Contentions);
    }

    private static void ExitOwn(ref EntryLock entry)
    {
        Debug.Assert(entry.OwnsSet && entry.Set is not null);
        var set = entry.Set!;
        set.Exit();
        KeyLocks.Return(set);
        entry.Set = null;
        entry.OwnsSet = false;
    }

    /// <returns>False if the key is claimed, or a bucket that is needed is another's.</returns>
    private bool TryFindUnclaimed(in EntryKey key, ref EntryLock entry)
    {
        entry.Generation = _generations.Of(key.Keyspace); // Under the lock: see Generations.
        return !_state.Claims.IsTaken(key.Hash) && TryFindLocked(key, ref entry);
    }

    /// <summary>Finds the entry of a key whose home is locked, and locks the bucket that holds it.</summary>
    private bool TryFindLocked(in EntryKey key, ref EntryLock entry)
    {
        entry.AssertHeld();
        entry.Holder = entry.Home;
        if (TryMatch(entry.Home, key, ref entry) || entry.Home.HasNoSpill)
            return true;
        var page = entry.Home.Page;
        if (entry.Home.NeighbourCount != 0 && FindIn(page.NeighbourOf(entry.Home), key, ref entry) is { } found)
            return found;
        uint stash = (uint)entry.Home.StashBuckets;
        for (; stash != 0; stash &= stash - 1)
        {
            int index = IndexPage.HomeCount + BitOperations.TrailingZeroCount(stash);
            if (FindIn(page[index], key, ref entry) is { } foundInStash)
                return foundInStash;
        }

        return true;
    }

    /// <returns>Null if the entry is not there, false if the bucket is held by another thread.</returns>
    private bool? FindIn(Bucket bucket, in EntryKey key, ref EntryLock entry)
    {
        if (!TryHold(bucket, ref entry, out uint version))
            return false;
        if (TryMatch(bucket, key, ref entry))
        {
            entry.Holder = bucket;
            entry.HolderVersion = version;
            return true;
        }

        LetGo(bucket, version, entry.Set);
        return null;
    }

    private bool TryMatch(Bucket bucket, in EntryKey key, ref EntryLock entry)
    {
        Debug.Assert(Bucket.IsHeld(bucket.ReadVersion()));
        // The bucket is locked, so what its slots point at is whole: every change of it needs this lock too.
        int slot = FindSlot(bucket, key, entry.Generation, out var record, out var header);
        if (slot == 0)
            return false;
        entry.Slot = slot;
        entry.Record = record;
        entry.Header = header;
        SetContent(ref entry);
        return true;
    }

    private static bool TryHold(Bucket bucket, ref EntryLock entry, out uint version) =>
        entry.Set is { } set ? set.TryHold(bucket, out version) : bucket.TryLock(out version);

    private static void LetGo(Bucket bucket, uint version, KeyLocks? set)
    {
        // A set keeps what it has until its end.
        if (set is null)
            bucket.Unlock(version, changed: false);
    }

    /// <summary>Finds an empty slot for a key that has no entry, and locks its bucket.</summary>
    private static bool TryReserveSlot(ref EntryLock entry)
    {
        Debug.Assert(!entry.IsFound);
        if (entry.Slot != 0)
            return true; // That of an entry which was removed under this lock.
        entry.Slot = FindEmptySlot(entry.Home, entry.Set);
        if (entry.Slot != 0)
            return true;
        var page = entry.Home.Page;
        if (TryReserveIn(page.NeighbourOf(entry.Home), ref entry))
            return true;
        for (int i = IndexPage.HomeCount; i < IndexPage.BucketCount && entry.Obstacle == Obstacle.None; i++)
        {
            if (TryReserveIn(page[i], ref entry))
                return true;
        }

        if (entry.Obstacle == Obstacle.None)
            entry.Obstacle = Obstacle.NoSlot;
        return false;
    }

    private static int FindEmptySlot(Bucket bucket, KeyLocks? set) =>
        set is null ? bucket.FindEmptySlot() : set.FindEmptySlot(bucket);

    private static bool TryReserveIn(Bucket bucket, ref EntryLock entry)
    {
        if (!TryHold(bucket, ref entry, out uint version))
        {
            entry.Obstacle = Obstacle.Contention;
            return false;
        }

        entry.Slot = FindEmptySlot(bucket, entry.Set);
        if (entry.Slot == 0)
        {
            LetGo(bucket, version, entry.Set);
            return false;
        }

        entry.Holder = bucket;
        entry.HolderVersion = version;
        return true;
    }
}
