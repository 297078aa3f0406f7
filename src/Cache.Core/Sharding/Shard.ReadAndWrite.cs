using System.Diagnostics;
using System.Runtime.CompilerServices;
using Cache.Core.Layout;

namespace Cache.Core.Sharding;

/// <summary>Reads with bounded attempts without a lock, and writes that return the previous value.</summary>
internal sealed partial class Shard
{
    // A read fails when its bucket is written meanwhile, perhaps for another key. For a value of a few cache lines this
    // is rare; for one of many kilobytes next to a key that is always written, every attempt fails.
    private const int ReadAttemptsMax = 8;

    /// <summary>
    /// The last attempt of a read: takes the value under the lock, and copies it to the sink after unlocking.
    /// </summary>
    [MethodImpl(MethodImplOptions.NoInlining)] // Rare: after failed attempts.
    private ReadStatus CopyLocked<TSink>(
        in EntryKey key, ByteRange bytes, ref TSink sink, int lentLengthMin, out ReadSnapshot snapshot)
        where TSink : struct, IValueSink, allows ref struct
    {
        snapshot = default;
        using var taken = new TakenValues(_state);
        var entry = default(EntryLock);
        LockToRead(key, ref entry);
        try
        {
            if (!MustCopy(entry, lentLengthMin, ref snapshot, out var status))
                return status;
            taken.Take(entry);
        }
        finally
        {
            Unlock(ref entry);
        }

        var (offset, length) = bytes.Within(snapshot.Length);
        snapshot.CopiedLength = length;
        taken[0].Slice(offset, length).CopyTo(sink.GetSpan(length));
        return ReadStatus.Found;
    }

    /// <summary>Describes a locked entry, and lends its value if that is long enough.</summary>
    /// <returns>Whether there is a value to copy; if not, status is the read's.</returns>
    private bool MustCopy(in EntryLock entry, int lentLengthMin, ref ReadSnapshot snapshot, out ReadStatus status)
    {
        Describe(entry, ref snapshot);
        status = !entry.IsFound ? ReadStatus.NotFound
            : entry.IsOtherKind ? ReadStatus.WrongType
            : ReadStatus.Found;
        if (status != ReadStatus.Found)
            return false;
        if (!entry.Header.IsLarge || snapshot.Length < lentLengthMin)
            return true;
        _state.Lend(entry.Block);
        snapshot.Lent = entry.Block;
        return false;
    }

    /// <summary>Runs an operation on a key and returns the previous string, atomically.</summary>
    /// <remarks>
    /// The value is read without a lock, and the operation is done only if it still is the entry's: for a large value
    /// the block shows that, whatever else was written in its bucket. Other threads' writes may make an attempt fail;
    /// the last attempt reads and changes the value under one lock. No sink is called under a lock, and if it throws
    /// before that last attempt, nothing was changed.
    /// </remarks>
    /// <param name="key">The key.</param>
    /// <param name="mustExist">Whether there is nothing to do if the key has no entry.</param>
    /// <param name="held">A block that the operation will link.</param>
    /// <param name="operation">What is done.</param>
    /// <param name="sink">Takes the value; it is not told yet.</param>
    /// <param name="length">The length of the value; −1 if there was none.</param>
    /// <returns>What the operation does; WrongType if the value is no string: it did not take place.</returns>
    public WriteStatus ReadAndWrite<TOperation, TSink>(
        in EntryKey key, bool mustExist, in HeldBytes held, ref TOperation operation, ref TSink sink, out int length)
        where TOperation : struct, IEntryOperation, allows ref struct
        where TSink : struct, IValueSink, allows ref struct
    {
        var entry = default(EntryLock);
        entry.Held = held;
        try
        {
            int attempts = key.Locks is null ? 0 : ReadAttemptsMax; // What is locked already is read under the lock.
            for (; attempts < ReadAttemptsMax; attempts++)
            {
                if (TryReadAndWrite(key, mustExist, ref operation, ref sink, ref entry, out length, out var status))
                    return status;
            }

            return ReadAndWriteLocked(key, mustExist, ref operation, ref sink, ref entry, out length);
        }
        finally // The sink may throw.
        {
            EndWrite(key, ref entry);
        }
    }

    private bool TryReadAndWrite<TOperation, TSink>(
        in EntryKey key, bool mustExist, ref TOperation operation, ref TSink sink, ref EntryLock entry, out int length,
        out WriteStatus status)
        where TOperation : struct, IEntryOperation, allows ref struct
        where TSink : struct, IValueSink, allows ref struct
    {
        var read = CopyOnce(key, ByteRange.All, ref sink, lentLengthMin: 0, out var snapshot);
        length = read == ReadStatus.Found ? snapshot.Length : -1;
        status = read == ReadStatus.WrongType ? WriteStatus.WrongType : WriteStatus.NotFound;
        if (read is null)
        {
            RoomSteps.At(RoomStep.WaitsForBucket);
            Thread.Yield(); // A writer is at work.
            return false;
        }

        if (read == ReadStatus.WrongType || (read == ReadStatus.NotFound && mustExist))
            return true;
        if (snapshot.Lent.IsNull)
        {
            return TryWriteAt(
                key, snapshot.Home, snapshot.HomeVersion, snapshot.Generation, ref entry, ref operation, out status);
        }

        try
        {
            snapshot.Lent.Value.CopyTo(sink.GetSpan(length));
            return TryWriteOver(key, snapshot.Lent, ref entry, ref operation, out status);
        }
        finally
        {
            _state.Return(snapshot.Lent);
        }
    }

    /// <summary>Runs an operation if the key's value still is a block, of which the caller holds a reference.</summary>
    private bool TryWriteOver<TOperation>(
        in EntryKey key, LargeBlock block, ref EntryLock entry, ref TOperation operation, out WriteStatus status)
        where TOperation : struct, IEntryOperation, allows ref struct
    {
        bool isSame;
        do
        {
            status = WriteStatus.ConditionNotMet;
            Lock(key, ref entry);
            isSame = entry.IsFound && entry.Header.IsLarge && entry.Block.IsSame(block);
            if (isSame)
                status = RunAndUnlock(key, ref entry, ref operation);
            else
                Unlock(ref entry);
        }
        while (entry.Obstacle != Obstacle.None && TryOvercome(key, ref entry, ref status));
        return isSame;
    }

    [MethodImpl(MethodImplOptions.NoInlining)] // The same.
    private WriteStatus ReadAndWriteLocked<TOperation, TSink>(
        in EntryKey key, bool mustExist, ref TOperation operation, ref TSink sink, ref EntryLock entry, out int length)
        where TOperation : struct, IEntryOperation, allows ref struct
        where TSink : struct, IValueSink, allows ref struct
    {
        using var taken = new TakenValues(_state);
        WriteStatus status;
        do
        {
            taken.Clear();
            status = WriteStatus.NotFound;
            Lock(key, ref entry);
            try
            {
                taken.Take(entry);
                if (entry.IsOtherKind)
                    status = WriteStatus.WrongType;
                else if (taken.Exists(0) || !mustExist)
                    status = operation.Run(this, key, ref entry);
            }
            finally
            {
                Unlock(ref entry);
            }
        }
        while (entry.Obstacle != Obstacle.None && TryOvercome(key, ref entry, ref status));

        length = taken.Exists(0) ? taken[0].Length : -1;
        if (length >= 0)
            taken[0].CopyTo(sink.GetSpan(length));
        return status;
    }

    /// <summary>Notes what a locked entry is; its version is the one that the unlock will leave.</summary>
    private static void Describe(in EntryLock entry, ref ReadSnapshot snapshot)
    {
        entry.AssertHeld();
        snapshot.Home = entry.Home;
        snapshot.Generation = entry.Generation;
        snapshot.HomeVersion = entry.IsChanged ? entry.HomeVersion + Bucket.VersionStep : entry.HomeVersion;
        snapshot.Holder = entry.Holder;
        snapshot.HolderVersion = entry.HolderVersion;
        if (!entry.IsFound)
            return;
        snapshot.Slot = entry.Slot;
        snapshot.Record = entry.Record;
        snapshot.Header = entry.Header;
        snapshot.Expiry = entry.Record.ExpiryOf(entry.Header);
        snapshot.Length = entry.ValueLength;
        snapshot.BlockBytes = entry.Header.IsLarge
            ? LargeBlock.ReadStub(entry.Record.ValueOf(entry.Header)).SizeBytes
            : 0;
        snapshot.Object = entry.Object;
    }
}
