using System.Diagnostics;
using Cache.Core.Changes;
using Cache.Core.Sharding;

namespace Cache.Core.ManyKeys;

/// <summary>Copies or renames an entry, atomically for both keys.</summary>
internal static class EntryCopier
{
    /// <remarks>removeSource: Whether the entry goes from its old key.</remarks>
    public static WriteStatus Copy(
        StoreState state, in EntryKey from, in EntryKey to, SetCondition condition, bool removeSource)
    {
        Debug.Assert(from.Locks == to.Locks);
        bool isHeld = from.Locks is not null; // By a transaction, which unlocks them.
        var locks = from.Locks ?? KeyLocks.Rent();
        Span<ulong> hashes = [from.Hash, to.Hash];
        var target = default(EntryLock);
        try
        {
            for (int attempts = 0; ; attempts++)
            {
                Shard.ResetLock(ref target);
                target.SourceHash = from.Hash;
                WriteStatus status;
                try
                {
                    if (!isHeld)
                        locks.Enter(state, hashes, attempts >= KeyLocks.AttemptsMax, Shard.HeldBy(target));
                    status = Run(state, locks, from, to, condition, removeSource, ref target);
                }
                finally // There may be no memory to note that a block is shared.
                {
                    if (!isHeld)
                        locks.Exit();
                }

                if (target.Obstacle == Obstacle.None
                    || !state.ShardOf(to.Hash).TryOvercome(to, ref target, ref status))
                {
                    return status;
                }
            }
        }
        finally // The store may have been disposed.
        {
            state.ShardOf(to.Hash).EndWrite(to, ref target);
            if (!isHeld)
                KeyLocks.Return(locks);
        }
    }

    private static WriteStatus Run(
        StoreState state, KeyLocks locks, in EntryKey from, in EntryKey to, SetCondition condition, bool removeSource,
        ref EntryLock target)
    {
        var source = default(EntryLock);
        var sourceShard = state.ShardOf(from.Hash);
        if (!sourceShard.TryLockIn(locks, from, ref source))
            return target.Fail(Obstacle.Contention);
        try
        {
            return source.IsFound
                ? RunFound(state, locks, from, to, condition, removeSource, ref source, ref target)
                : WriteStatus.NotFound;
        }
        finally // It may have removed an expired entry, which others must see whatever comes next.
        {
            sourceShard.Unlock(ref source);
        }
    }

    private static WriteStatus RunFound(
        StoreState state, KeyLocks locks, in EntryKey from, in EntryKey to, SetCondition condition, bool removeSource,
        ref EntryLock source, ref EntryLock target)
    {
        if (to.Bytes.Length > EntryKey.LengthMax)
            return WriteStatus.KeyTooLong;
        var targetShard = state.ShardOf(to.Hash);
        if (!targetShard.TryLockIn(locks, to, ref target))
            return target.Fail(Obstacle.Contention);
        target.SourceHash = from.Hash;
        try
        {
            return RunLocked(state, locks, from, to, condition, removeSource, ref source, ref target);
        }
        finally // The same of this one; and there may be no memory to note that a block is shared.
        {
            targetShard.Unlock(ref target);
        }
    }

    private static WriteStatus RunLocked(
        StoreState state, KeyLocks locks, in EntryKey from, in EntryKey to, SetCondition condition,
        bool removeSource, ref EntryLock source, ref EntryLock target)
    {
        bool isSame = from.Keyspace == to.Keyspace && from.Bytes.SequenceEqual(to.Bytes);
        var status = WriteStatus.Done;
        if (condition == (target.IsFound ? SetCondition.IfAbsent : SetCondition.IfPresent))
            status = WriteStatus.ConditionNotMet;
        else if (!isSame)
            status = state.ShardOf(to.Hash).WriteCopy(locks, ref target, to, source, from, removeSource);
        if (status == WriteStatus.Done && removeSource && !isSame)
        {
            state.Watched.NoteRemoval(from.Hash);
            (source.Recorder, target.Recorder) = (target.Recorder, null);
            state.ShardOf(from.Hash).RemoveLocked(ref source, ChangeCause.Moved);
        }

        return status;
    }
}
