using System.Buffers;
using Cache.Core.Contracts;
using Cache.Core.Layout;

namespace Cache.Core.Sharding;

/// <summary>Writes several entries at one moment: all of them, or none.</summary>
/// <remarks>
/// The records are written first, where nothing points at them. Then all homes are locked, each slot is pointed at
/// its record in turn, and if one finds no slot, the ones before are pointed back: nobody sees it under the locks.
/// </remarks>
internal static class ManyKeysWriter
{
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

        // What is prepared keeps its segment from being reclaimed, and with large values that may be the only one.
        if (!state.Budget.HasRoomFor(newBytes + state.Log.SpareBytes))
            state.Reclaimer.MakeRoom(newBytes, 0, 0);
        var writes = ArrayPool<KeyWrite>.Shared.Rent(count);
        ulong[] hashes = ArrayPool<ulong>.Shared.Rent(count);
        int prepared = 0;
        bool isDone = false;
        try
        {
            Prefetch(state, keyspace, ref entries, hashes.AsSpan(0, count));
            for (; prepared < count && status == WriteStatus.Done; prepared++)
            {
                var key = new EntryKey(entries.GetKey(prepared), keyspace, hashes[prepared]);
                writes[prepared] = default;
                status = state.ShardOf(key.Hash).Prepare(key, entries.GetValue(prepared), out writes[prepared].Staged);
            }

            if (status == WriteStatus.Done)
            {
                status = WriteAll(
                    state, keyspace, ref entries, condition, writes.AsSpan(0, count), hashes.AsSpan(0, count));
            }

            isDone = status == WriteStatus.Done;
            return status;
        }
        finally // The caller's entries may throw.
        {
            for (int i = 0; !isDone && i < prepared; i++)
                state.ShardOf(hashes[i]).AbandonPrepared(writes[i].Staged);
            ArrayPool<KeyWrite>.Shared.Return(writes, clearArray: true);
            ArrayPool<ulong>.Shared.Return(hashes);
        }
    }

    /// <summary>Hashes the keys, and fetches all buckets, then all records that are about to be replaced.</summary>
    /// <remarks>Locked one by one without that, each write would wait for the memory of its own.</remarks>
    private static void Prefetch<TEntries>(
        StoreState state, byte keyspace, ref TEntries entries, Span<ulong> hashes)
        where TEntries : struct, IEntrySource, allows ref struct
    {
        for (int i = 0; i < hashes.Length; i++)
        {
            hashes[i] = state.HashOf(entries.GetKey(i), keyspace);
            state.ShardOf(hashes[i]).PrefetchBucket(hashes[i]);
        }

        foreach (ulong hash in hashes)
            state.ShardOf(hash).PrefetchRecord(hash);
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

        // Written before it is pointed at, it cannot be evicted: without this, all else would be, and in vain.
        return bytes > state.Budget.LimitBytes - state.FixedBytes ? WriteStatus.OutOfMemory : WriteStatus.Done;
    }

    private static WriteStatus WriteAll<TEntries>(
        StoreState state, byte keyspace, ref TEntries entries, SetCondition condition, Span<KeyWrite> writes,
        ReadOnlySpan<ulong> hashes)
        where TEntries : struct, IEntrySource, allows ref struct
    {
        var locks = KeyLocks.Rent();
        try
        {
            while (true)
            {
                WriteStatus status;
                int failed;
                locks.Enter(state, hashes);
                try
                {
                    status = TryWriteAll(
                        state, keyspace, ref entries, condition, locks, writes, hashes, out failed);
                }
                finally
                {
                    locks.Exit();
                }

                if (failed < 0)
                    return status;
                var key = new EntryKey(entries.GetKey(failed), keyspace, hashes[failed]);
                if (!state.ShardOf(key.Hash).TryOvercome(key, ref writes[failed].Entry, ref status))
                    return status;
            }
        }
        finally
        {
            KeyLocks.Return(locks);
        }
    }

    /// <remarks>
    /// failed: The entry that met an obstacle, which is to be overcome; −1: none, the status is final.
    /// </remarks>
    private static WriteStatus TryWriteAll<TEntries>(
        StoreState state, byte keyspace, ref TEntries entries, SetCondition condition, KeyLocks locks,
        Span<KeyWrite> writes, ReadOnlySpan<ulong> hashes, out int failed)
        where TEntries : struct, IEntrySource, allows ref struct
    {
        for (int i = 0; i < writes.Length && condition != SetCondition.Always; i++)
        {
            var key = new EntryKey(entries.GetKey(i), keyspace, hashes[i]);
            failed = i;
            if (!state.ShardOf(key.Hash).TryLockIn(locks, key, ref writes[i].Entry))
                return writes[i].Entry.Fail(Obstacle.Contention);
            failed = -1;
            bool exists = writes[i].Entry.IsFound;
            state.ShardOf(key.Hash).Unlock(ref writes[i].Entry);
            if (condition == (exists ? SetCondition.IfAbsent : SetCondition.IfPresent))
                return WriteStatus.ConditionNotMet;
        }

        failed = 0;
        try
        {
            while (failed < writes.Length)
            {
                var key = new EntryKey(entries.GetKey(failed), keyspace, hashes[failed]);
                ref var write = ref writes[failed];
                if (!state.ShardOf(key.Hash).TryLinkIn(locks, key, ref write.Entry, write.Staged))
                    return WriteStatus.OutOfMemory;
                failed++;
            }
        }
        finally
        {
            if (failed < writes.Length)
                Undo(state, keyspace, writes[..failed], hashes);
        }

        failed = -1;
        for (int i = 0; i < writes.Length; i++)
        {
            var shard = state.ShardOf(hashes[i]);
            shard.CommitLink(ref writes[i].Entry, writes[i].Staged, Shard.LargeBytesOf(writes[i].Staged));
            shard.Unlock(ref writes[i].Entry);
        }

        return WriteStatus.Done;
    }

    private static void Undo(StoreState state, byte keyspace, Span<KeyWrite> writes, ReadOnlySpan<ulong> hashes)
    {
        for (int i = writes.Length - 1; i >= 0; i--)
        {
            var key = new EntryKey(default, keyspace, hashes[i]); // Its bytes are not asked for.
            state.ShardOf(key.Hash).UndoLink(ref writes[i].Entry, key);
            state.ShardOf(key.Hash).Unlock(ref writes[i].Entry);
        }
    }

    /// <summary>One entry on its way.</summary>
    private struct KeyWrite
    {
        public EntryLock Entry;
        public StagedRecord Staged;
    }
}
