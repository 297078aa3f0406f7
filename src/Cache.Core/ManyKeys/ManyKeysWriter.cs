using System.Buffers;
using System.Runtime.CompilerServices;
using Cache.Core.Changes;
using Cache.Core.Layout;
using Cache.Core.Sharding;

namespace Cache.Core.ManyKeys;

/// <summary>Writes several entries atomically: all of them, or none.</summary>
/// <remarks>
/// The records are written first, while nothing points at them; if many keys are new, their pages are split until they
/// fit. Then all homes are locked, and each slot is pointed at its record in turn; if a key finds no slot, the slots
/// before are pointed back, unseen under the locks. The records are kept for the next attempt. So the work per key is
/// about that of a single write, whatever the length of the batch.
/// During a long batch, other threads read through the locks: the slots are found and reserved, then all are pointed at
/// the records while readers wait, and counting and retiring follow while others read the new values; with a journal,
/// readers wait for these too.
/// </remarks>
internal static class ManyKeysWriter
{
    // The cache lines fetched ahead under the locks, about as many as a core can load at once: of the buckets, then of
    // the records that they point at or pointed at before.
    private const int Ahead = 16;

    // Fewer new keys seldom meet a full page, and a failed attempt costs as little as splitting ahead.
    private const int NewKeysAheadMin = 32;

    public static WriteStatus Write<TEntries>(
        StoreState state, byte keyspace, ref TEntries entries, SetCondition condition)
        where TEntries : struct, IEntrySource, allows ref struct
    {
        int count = entries.Count;
        var status = Check(state, ref entries, out long newBytes);
        if (status != WriteStatus.Done)
            return status;
        if (count <= OverwriteBatch.CountMax && condition != SetCondition.IfAbsent
            && OverwriteBatch.TryWrite(state, keyspace, ref entries))
        {
            return WriteStatus.Done;
        }

        ulong[] hashes = ArrayPool<ulong>.Shared.Rent(count);
        var batch = new WriteBatch(state, keyspace, hashes.AsSpan(0, count));
        try
        {
            int newCount = Prefetch(batch, ref entries);
            if (newCount == 0 && count > OverwriteBatch.CountMax && condition != SetCondition.IfAbsent
                && ManyKeysOverwriter.TryWrite(state, keyspace, ref entries, batch.Hashes))
            {
                return WriteStatus.Done;
            }

            if (newCount >= NewKeysAheadMin)
                TryMakeSlots(batch);
            return Write(batch, ref entries, condition, newBytes);
        }
        finally
        {
            ArrayPool<ulong>.Shared.Return(hashes);
        }
    }

    private static WriteStatus Write<TEntries>(
        in WriteBatch batch, ref TEntries entries, SetCondition condition, long newBytes)
        where TEntries : struct, IEntrySource, allows ref struct
    {
        var state = batch.State;
        // What is prepared keeps its segment from being reclaimed, and with large values that may be the only one.
        if (!state.Budget.HasRoomFor(newBytes + state.Log.SpareBytes))
            state.Reclaimer.MakeRoom(newBytes, 0, 0);
        int count = batch.Hashes.Length;
        var writes = ArrayPool<KeyWrite>.Shared.Rent(count);
        var status = WriteStatus.Done;
        int prepared = 0;
        var held = default(HeldBytes);
        bool isDone = false;
        try
        {
            for (; prepared < count && status == WriteStatus.Done; prepared++)
            {
                var key = batch.KeyOf(prepared, entries.GetKey(prepared));
                writes[prepared] = default;
                ref var staged = ref writes[prepared].Staged;
                status = state.ShardOf(key.Hash).Prepare(key, entries.GetValue(prepared), held, out staged);
                if (status == WriteStatus.Done)
                    held += new HeldBytes(staged.Header.RecordSize, Shard.LargeBytesOf(staged), 0);
            }

            if (status == WriteStatus.Done)
                status = WriteAll(batch, ref entries, condition, writes.AsSpan(0, count), held);
            isDone = status == WriteStatus.Done;
            return status;
        }
        finally // The caller's entries may throw.
        {
            for (int i = 0; !isDone && i < prepared; i++)
                state.ShardOf(batch.Hashes[i]).AbandonPrepared(writes[i].Staged);
            ArrayPool<KeyWrite>.Shared.Return(writes, clearArray: true);
            state.DrainChanges();
        }
    }

    /// <summary>Hashes the keys, and fetches all buckets, then all records that are about to be replaced.</summary>
    /// <remarks>Locked one by one without that, each write would wait for the memory of its own.</remarks>
    /// <returns>The number of keys that are not there yet, as far as a look without a lock tells.</returns>
    private static int Prefetch<TEntries>(in WriteBatch batch, ref TEntries entries)
        where TEntries : struct, IEntrySource, allows ref struct
    {
        for (int i = 0; i < batch.Hashes.Length; i++)
        {
            ulong hash = batch.State.HashOf(entries.GetKey(i), batch.Keyspace);
            batch.Hashes[i] = hash;
            batch.State.ShardOf(hash).PrefetchBucket(hash);
        }

        int newCount = 0;
        int generation = batch.State.Generations.Of(batch.Keyspace);
        foreach (ulong hash in batch.Hashes)
            newCount += batch.State.ShardOf(hash).TryPrefetchRecord(hash, generation) ? 0 : 1;
        return newCount;
    }

    private static WriteStatus Check<TEntries>(StoreState state, ref TEntries entries, out long newBytes)
        where TEntries : struct, IEntrySource, allows ref struct
    {
        long bytes = 0;
        newBytes = state.Log.SegmentBytes;
        for (int i = 0; i < entries.Count; i++)
        {
            int keyLength = entries.GetKey(i).Length;
            int valueLength = entries.GetValue(i).Length;
            if (keyLength > EntryKey.LengthMax)
                return WriteStatus.KeyTooLong;
            if (valueLength > state.ValueLengthMax)
                return WriteStatus.ValueTooLong;
            bytes += (long)keyLength + valueLength + RecordHeader.Size;
            newBytes += Shard.NewBytesOf(state, keyLength, valueLength, valueLength, default);
        }

        // Records that are not linked yet cannot be evicted: without this check, all other entries would be, for
        // nothing.
        return bytes > state.Budget.LimitBytes - state.FixedBytes ? WriteStatus.OutOfMemory : WriteStatus.Done;
    }

    /// <summary>Splits pages until they have slots for the keys that seem to be new.</summary>
    private static bool TryMakeSlots(in WriteBatch batch)
    {
        ulong[] missing = ArrayPool<ulong>.Shared.Rent(batch.Hashes.Length);
        int count = 0;
        int generation = batch.State.Generations.Of(batch.Keyspace);
        foreach (ulong hash in batch.Hashes)
        {
            if (!batch.State.ShardOf(hash).TryPrefetchRecord(hash, generation))
                missing[count++] = hash;
        }

        bool isMade = NewSlots.TryMake(batch.State, missing.AsSpan(0, count), held: null);
        ArrayPool<ulong>.Shared.Return(missing);
        return isMade;
    }

    /// <summary>The same of the keys that are not there, under exclusive locks: the slots are then sure.</summary>
    private static void MakeSlotsLocked<TEntries>(
        in WriteBatch batch, ref TEntries entries, KeyLocks locks, Span<KeyWrite> writes)
        where TEntries : struct, IEntrySource, allows ref struct
    {
        ulong[] missing = new ulong[writes.Length];
        int count = 0;
        for (int i = 0; i < writes.Length; i++)
        {
            var key = batch.KeyOf(i, entries.GetKey(i));
            var shard = batch.State.ShardOf(key.Hash);
            if (!shard.TryLockIn(locks, key, ref writes[i].Entry))
                continue;
            if (!writes[i].Entry.IsFound)
                missing[count++] = key.Hash;
            shard.Unlock(ref writes[i].Entry);
        }

        NewSlots.MakeOrEvict(batch.State, missing.AsSpan(0, count), locks); // Else the attempt meets the full page.
    }

    private static WriteStatus WriteAll<TEntries>(
        in WriteBatch batch, ref TEntries entries, SetCondition condition, Span<KeyWrite> writes,
        HeldBytes held)
        where TEntries : struct, IEntrySource, allows ref struct
    {
        var locks = KeyLocks.Rent();
        // The later of two writes of a key must find the earlier one, and during a short batch readers hardly wait.
        bool isReadable = writes.Length > OverwriteBatch.CountMax && DistinctHashes.AreDistinct(batch.Hashes);
        int roomAttempts = 0;
        try
        {
            for (int attempts = 0; ; attempts++)
            {
                WriteStatus status;
                int failed;
                try
                {
                    if (isReadable && attempts < KeyLocks.AttemptsMax)
                        locks.EnterReadable(batch.State, batch.Hashes, held);
                    else
                        locks.Enter(batch.State, batch.Hashes, isExclusive: attempts >= KeyLocks.AttemptsMax, held);
                    if (locks.IsExclusive)
                        MakeSlotsLocked(batch, ref entries, locks, writes);
                    status = TryWriteAll(batch, ref entries, condition, locks, writes, out failed);
                }
                finally
                {
                    locks.Exit();
                }

                if (failed < 0)
                    return status;
                ref var entry = ref writes[failed].Entry;
                if (entry.Obstacle == Obstacle.NoSlot && attempts < KeyLocks.AttemptsMax && TryMakeSlots(batch))
                    continue;
                entry.Held = held;
                entry.RoomAttempts = roomAttempts; // All attempts to make room are the batch's.
                var key = batch.KeyOf(failed, entries.GetKey(failed));
                if (!batch.State.ShardOf(key.Hash).TryOvercome(key, ref entry, ref status))
                    return status;
                roomAttempts = entry.RoomAttempts;
            }
        }
        finally
        {
            KeyLocks.Return(locks);
        }
    }

    /// <remarks>
    /// failed: The entry that met an obstacle, which must be overcome; −1: none, the status is final.
    /// </remarks>
    private static WriteStatus TryWriteAll<TEntries>(
        in WriteBatch batch, ref TEntries entries, SetCondition condition, KeyLocks locks, Span<KeyWrite> writes,
        out int failed)
        where TEntries : struct, IEntrySource, allows ref struct
    {
        for (int i = 0; i < writes.Length && condition != SetCondition.Always; i++)
        {
            var key = batch.KeyOf(i, entries.GetKey(i));
            failed = i;
            if (!batch.State.ShardOf(key.Hash).TryLockIn(locks, key, ref writes[i].Entry))
                return writes[i].Entry.Fail(Obstacle.Contention);
            failed = -1;
            bool exists = writes[i].Entry.IsFound;
            batch.State.ShardOf(key.Hash).Unlock(ref writes[i].Entry);
            if (condition == (exists ? SetCondition.IfAbsent : SetCondition.IfPresent))
                return WriteStatus.ConditionNotMet;
        }

        failed = 0;
        int linked = 0;
        bool isReady = false;
        ChangeRecorder? recorder = null;
        try
        {
            for (; linked < writes.Length; linked++)
            {
                failed = linked;
                FetchAhead(batch, linked);
                var key = batch.KeyOf(linked, entries.GetKey(linked));
                ref var write = ref writes[linked];
                if (!batch.State.ShardOf(key.Hash).TryLinkIn(locks, key, ref write.Entry, write.Staged))
                    return WriteStatus.OutOfMemory;
            }

            failed = 0;
            var journal = batch.State.Listeners?.Journal;
            isReady = TryReserve(batch, journal, locks, writes, ref recorder)
                && (!locks.IsReadable || TryLinkAll(batch, journal, locks, writes));
            if (!isReady)
                return WriteStatus.OutOfMemory;
        }
        finally
        {
            if (!isReady)
            {
                recorder?.End();
                Undo(batch, locks, writes[..linked]);
            }
        }

        failed = -1;
        for (int i = 0; i < writes.Length; i++)
        {
            if (i + Ahead < writes.Length)
            {
                writes[i + Ahead].Entry.Holder.Prefetch();
                writes[i + Ahead].Entry.Record.Prefetch();
            }

            var shard = batch.State.ShardOf(batch.Hashes[i]);
            writes[i].Entry.Recorder = recorder;
            shard.CommitLink(ref writes[i].Entry, writes[i].Staged, Shard.LargeBytesOf(writes[i].Staged));
            (recorder, writes[i].Entry.Recorder) = (writes[i].Entry.Recorder, null);
            shard.Unlock(ref writes[i].Entry);
        }

        return WriteStatus.Done;
    }

    /// <summary>Points all reserved slots at their records while readers wait.</summary>
    /// <returns>False if there is another journal than room was reserved in; the first entry names that.</returns>
    [MethodImpl(MethodImplOptions.AggressiveOptimization)] // Readers wait: not as long as the first code would take.
    private static bool TryLinkAll(
        in WriteBatch batch, ChangeJournal? journal, KeyLocks locks, Span<KeyWrite> writes)
    {
        locks.BeginChanges();
        // Who attached one has perhaps read through until now. What was reserved in one that is detached is written.
        if (batch.State.Listeners?.Journal is { } attached && attached != journal)
        {
            writes[0].Entry.Fail(Obstacle.Contention);
            return false;
        }

        for (int i = 0; i < writes.Length; i++)
        {
            if (i + Ahead < writes.Length)
                writes[i + Ahead].Entry.Holder.Prefetch();
            var key = batch.KeyOf(i, default); // Its bytes are not asked for.
            batch.State.ShardOf(key.Hash).Link(ref writes[i].Entry, key, writes[i].Staged);
        }

        if (journal is null) // Else others read the new values once they are recorded: see ChangeJournal.
            locks.EndChanges();
        return true;
    }

    // Of a long batch, what was fetched for all keys at the beginning has left the nearer caches again.
    private static void FetchAhead(in WriteBatch batch, int index)
    {
        if (index + 2 * Ahead < batch.Hashes.Length)
            batch.State.ShardOf(batch.Hashes[index + 2 * Ahead]).PrefetchBucket(batch.Hashes[index + 2 * Ahead]);
        if (index + Ahead < batch.Hashes.Length)
            batch.State.ShardOf(batch.Hashes[index + Ahead]).PrefetchRecord(batch.Hashes[index + Ahead]);
    }

    /// <summary>Reserves room in the journal, if there is one, for all entries, which are linked.</summary>
    /// <returns>False if there is none; the first entry names the obstacle.</returns>
    private static bool TryReserve(
        in WriteBatch batch, ChangeJournal? journal, KeyLocks locks, Span<KeyWrite> writes,
        ref ChangeRecorder? recorder)
    {
        var state = batch.State;
        if (writes.Length == 0 || journal is null)
            return true;
        recorder = ChangeRecorder.Rent(journal);
        foreach (ref var write in writes)
            Shard.AddSet(state, recorder, write.Staged);
        if (Shard.TryReserve(state, recorder, 1U << batch.Keyspace, locks.Generations, ref writes[0].Entry))
            return true;
        recorder = null;
        return false;
    }

    private static void Undo(in WriteBatch batch, KeyLocks locks, Span<KeyWrite> writes)
    {
        for (int i = writes.Length - 1; i >= 0; i--)
        {
            var key = batch.KeyOf(i, default); // Its bytes are not asked for.
            if (!locks.IsReadable) // Else nothing was linked yet.
                batch.State.ShardOf(key.Hash).UndoLink(ref writes[i].Entry, key);
            batch.State.ShardOf(key.Hash).Unlock(ref writes[i].Entry);
        }
    }

    /// <summary>What all steps of a batch need.</summary>
    private readonly ref struct WriteBatch(StoreState state, byte keyspace, Span<ulong> hashes)
    {
        public readonly StoreState State = state;
        public readonly byte Keyspace = keyspace;
        public readonly Span<ulong> Hashes = hashes;

        public EntryKey KeyOf(int index, ReadOnlySpan<byte> bytes) => new(bytes, Keyspace, Hashes[index]);
    }

    /// <summary>One entry on its way.</summary>
    private struct KeyWrite
    {
        public EntryLock Entry;
        public StagedRecord Staged;
    }
}
