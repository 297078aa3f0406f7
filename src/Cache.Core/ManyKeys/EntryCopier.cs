using System.Diagnostics;
using Cache.Core.Changes;
using Cache.Core.Sharding;

namespace Cache.Core.ManyKeys;

/// <summary>Copies or renames an entry, atomically for both keys.</summary>
internal static class EntryCopier
{
    // What is copied may be written meanwhile; then it is copied again.
    private const int ObjectAttemptsMax = 8;

    /// <remarks>
    /// A large collection that is always written is copied as it was at some moment of the call; else as it is when
    /// the copy gets its key. What a journal gets of one is made before too: it is as long as the collection.
    /// </remarks>
    /// <param name="state">The store.</param>
    /// <param name="from">The old key.</param>
    /// <param name="to">The new key.</param>
    /// <param name="condition">The condition for the new key.</param>
    /// <param name="removeSource">Whether the entry goes from its old key.</param>
    public static WriteStatus Copy(
        StoreState state, in EntryKey from, in EntryKey to, SetCondition condition, bool removeSource)
    {
        var copy = new CopiedObject();
        try
        {
            for (int attempts = 0; ; attempts++)
            {
                (copy.MayBeOutdated, copy.IsWanted) = (attempts >= ObjectAttemptsMax, false);
                var status = Copy(state, from, to, condition, removeSource, ref copy);
                if (!copy.IsWanted)
                    return status;
                copy.DiscardCopy(state);
                status = copy.Make(state, to);
                if (status != WriteStatus.Done)
                    return status;
            }
        }
        finally // The store may have been disposed.
        {
            copy.DiscardCopy(state);
            copy.ReleaseImage(state);
        }
    }

    private static WriteStatus Copy(
        StoreState state, in EntryKey from, in EntryKey to, SetCondition condition, bool removeSource,
        ref CopiedObject copy)
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
                    status = Run(state, locks, from, to, condition, removeSource, ref target, ref copy);
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
        ref EntryLock target, ref CopiedObject copy)
    {
        var source = default(EntryLock);
        var sourceShard = state.ShardOf(from.Hash);
        if (!sourceShard.TryLockIn(locks, from, ref source))
            return target.Fail(Obstacle.Contention);
        try
        {
            return source.IsFound
                ? RunFound(state, locks, from, to, condition, removeSource, ref source, ref target, ref copy)
                : WriteStatus.NotFound;
        }
        finally // It may have removed an expired entry, which others must see whatever comes next.
        {
            sourceShard.Unlock(ref source);
        }
    }

    private static WriteStatus RunFound(
        StoreState state, KeyLocks locks, in EntryKey from, in EntryKey to, SetCondition condition, bool removeSource,
        ref EntryLock source, ref EntryLock target, ref CopiedObject copy)
    {
        if (to.Bytes.Length > EntryKey.LengthMax)
            return WriteStatus.KeyTooLong;
        var targetShard = state.ShardOf(to.Hash);
        if (!targetShard.TryLockIn(locks, to, ref target))
            return target.Fail(Obstacle.Contention);
        target.SourceHash = from.Hash;
        try
        {
            return RunLocked(state, locks, from, to, condition, removeSource, ref source, ref target, ref copy);
        }
        finally // The same of this one; and there may be no memory to note that a block is shared.
        {
            targetShard.Unlock(ref target);
        }
    }

    private static WriteStatus RunLocked(
        StoreState state, KeyLocks locks, in EntryKey from, in EntryKey to, SetCondition condition,
        bool removeSource, ref EntryLock source, ref EntryLock target, ref CopiedObject copy)
    {
        copy.IsWanted = false;
        bool isSame = from.Keyspace == to.Keyspace && from.Bytes.SequenceEqual(to.Bytes);
        var status = WriteStatus.Done;
        if (condition == (target.IsFound ? SetCondition.IfAbsent : SetCondition.IfPresent))
            status = WriteStatus.ConditionNotMet;
        else if (!isSame && !source.Object.IsNone
            && !copy.IsReady(state, source.Object, isCopied: !removeSource, state.ShardOf(to.Hash).Records(to)))
            copy.IsWanted = true;
        else if (!isSame)
            status = state.ShardOf(to.Hash).WriteCopy(
                locks, ref target, to, source, from, removeSource, copy.Image, ref copy.Stub);
        if (status == WriteStatus.Done && removeSource && !isSame && !copy.IsWanted)
        {
            state.Watched.NoteRemoval(from.Hash);
            (source.Recorder, target.Recorder) = (target.Recorder, null);
            source.KeepsObject = true;
            state.ShardOf(from.Hash).RemoveLocked(ref source, ChangeCause.Moved);
        }

        return status;
    }
}
