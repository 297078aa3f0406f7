using System.Diagnostics;
using System.Runtime.CompilerServices;
using Cache.Core.Layout;
using Cache.Core.Log;

namespace Cache.Core.Sharding;

/// <summary>One part of the store's index, with the entries whose hash falls to it.</summary>
/// <remarks>
/// Algorithm. A directory of a power of two of positions, chosen by the hash's next bits, names the page of each; a
/// page that is full is split in two and the directory doubled when it must be, so that no step is longer than a
/// page's. A page's buckets point at records in the log that all shards share.
///
/// Concurrency. Nothing locks a shard. A reader loads the version of the key's home bucket, finds and copies what it
/// looks for, and loads the version again: equal and even means that no writer was there meanwhile. A writer makes
/// the version odd by compare-exchange, changes what it likes, and stores the next even one. An entry that spilled to
/// another bucket is guarded by both versions. A page that was split shows its readers another directory, so a miss
/// and a lock are only believed if the directory still names the page.
///
/// Invariants, checked by AssertValid. Each live record has exactly one slot, in a bucket where its hash may lie;
/// the home's spill counts are true; the counters add up to the slots.
///
/// Sources. Versioned optimistic reads: seqlocks (Linux), MICA (NSDI'14), MemC3 (NSDI'13). Page splits: Fagin et al.,
/// "Extendible hashing" (1979); Dash (VLDB'20) for neighbour and stash buckets.
/// </remarks>
internal sealed partial class Shard
{
    /// <summary>
    /// The bytes that may be written under the lock of a bucket: some tens of microseconds, for all keys of the bucket.
    /// </summary>
    public const int StepBytesMax = 256 << 10;

    private readonly SharedState _state;
    private readonly Reclaimer _reclaimer;
    private readonly RecordLog _log;
    private readonly IndexPages _pages;
    private readonly RecordSpace _records;
    private readonly Generations _generations;
    private readonly int _shardBits;

    public Shard(SharedState state, Reclaimer reclaimer, int index, int shardBits)
    {
        _state = state;
        _reclaimer = reclaimer;
        _log = state.Log;
        _pages = state.Index.Pages;
        _records = state.Log.Space;
        _generations = state.Generations;
        _shardBits = shardBits;
        Index = index;
        bool allocated = state.Index.TryAllocate(out uint page, out uint pageVersion);
        if (!allocated)
            throw new InvalidOperationException("The index has no page for every shard.");
        for (int i = 0; i < IndexPage.BucketCount; i++)
            _pages[page][i].InitializeVersion(pageVersion);
        state.Budget.Add(PageBytes);
        _directory = [page];
    }

    /// <summary>The position among the shards.</summary>
    public int Index { get; }

    /// <summary>Runs an operation on the locked entry of a key, as often as obstacles make it necessary.</summary>
    /// <remarks>held: A block that the operation will link.</remarks>
    public WriteStatus Write<TOperation>(in EntryKey key, ref TOperation operation, HeldBytes held = default)
        where TOperation : struct, IEntryOperation, allows ref struct
    {
        if (key.Bytes.Length > EntryKey.LengthMax)
            return WriteStatus.KeyTooLong;
        var entry = default(EntryLock);
        entry.Held = held;
        try
        {
            while (true)
            {
                Lock(key, ref entry);
                var status = RunAndUnlock(key, ref entry, ref operation);
                if (entry.Obstacle == Obstacle.None || !TryOvercome(key, ref entry, ref status))
                    return status;
            }
        }
        finally // The store may have been disposed.
        {
            EndWrite(key, ref entry);
        }
    }

    /// <summary>Runs an operation on a locked entry, and unlocks it whatever happens.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)] // A part of each write, apart for the sake of its finally.
    public WriteStatus RunAndUnlock<TOperation>(in EntryKey key, ref EntryLock entry, ref TOperation operation)
        where TOperation : struct, IEntryOperation, allows ref struct
    {
        try
        {
            return operation.Run(this, key, ref entry);
        }
        finally // There may be no memory to note that a block is lent or shared.
        {
            Unlock(ref entry);
        }
    }

    /// <summary>
    /// The same, if the key's home was not written, nor its keyspace cleared, since its version was read.
    /// </summary>
    /// <remarks>entry: The same variable for all attempts; <see cref="EndWrite"/> ends them.</remarks>
    /// <returns>False if it was, or an obstacle had to be overcome: nothing was done, read again.</returns>
    public bool TryWriteAt<TOperation>(
        in EntryKey key, Bucket home, uint version, int generation, ref EntryLock entry, ref TOperation operation,
        out WriteStatus status)
        where TOperation : struct, IEntryOperation, allows ref struct
    {
        status = WriteStatus.ConditionNotMet;
        if (!home.TryLockAt(version))
            return false;
        if (!IsHome(key.Hash, home) || _state.Claims.IsTaken(key.Hash) || _generations.Of(key.Keyspace) != generation)
        {
            // The home of a page that was given back, another's key, or all was cleared.
            home.Unlock(version, changed: false);
            return false;
        }

        ResetLock(ref entry);
        entry.NotedHash = key.Hash;
        entry.Generation = generation;
        entry.Home = home;
        entry.HomeVersion = version;
        if (!TryFindLocked(key, ref entry))
        {
            home.Unlock(version, changed: false);
            RoomSteps.At(RoomStep.WaitsForBucket);
            Thread.Yield();
            return false;
        }

        RemoveIfExpired(ref entry);
        if (entry.IsChanged)
        {
            Unlock(ref entry); // It was there when the version was read, and is gone.
            return false;
        }

        status = RunAndUnlock(key, ref entry, ref operation);
        return entry.Obstacle == Obstacle.None || !TryOvercome(key, ref entry, ref status);
    }

    /// <summary>What is left to do after a write that was unlocked.</summary>
    public void EndWrite(in EntryKey key, ref EntryLock entry)
    {
        Debug.Assert(!entry.OwnsSet, "The entry is unlocked.");
        // A record that was allocated ahead and then not needed: another thread's write came between.
        if (!entry.AheadRecord.IsNull)
            _log.Abandon(entry.AheadRecord, entry.AheadRecord.Header.RecordSize);
        entry.AheadRecord = default;
        if (entry.PrepaidBytes != 0)
            _state.Budget.Add(-entry.PrepaidBytes);
        entry.PrepaidBytes = 0;
        RoomSteps.At(RoomStep.WriteEnds);
        if (key.Locks is { } locks)
        {
            locks.NoteWritten(entry.BytesWanted); // Both that follow come when the transaction has unlocked.
            return;
        }

        if (entry.BytesWanted != 0)
            _reclaimer.Pace(entry.BytesWanted, key.Hash);
        Listeners?.Drain();
    }
}
