using Cache.Core.Curve;
using Cache.Core.Layout;
using Cache.Core.Sharding;

namespace Cache.Core.Operations;

/// <summary>Writes of an existing entry; those that return its value count as a read too.</summary>
internal static class EntryTaker
{
    public static WriteStatus Expire(StoreState state, in EntryKey key, long deadline, ExpireConditions conditions)
    {
        var shard = state.ShardOf(key.Hash);
        var operation = new ExpireOperation(shard.ExpiryOf(deadline, slidingMs: 0), conditions);
        return Write(shard, key, ref operation);
    }

    /// <summary>Gives an entry a sliding expiry, whose interval begins now.</summary>
    public static WriteStatus ExpireSliding(StoreState state, in EntryKey key, in EntryOptions options)
    {
        var shard = state.ShardOf(key.Hash);
        var operation = new ExpireOperation(shard.ExpiryOf(options), ExpireConditions.None);
        return Write(shard, key, ref operation);
    }

    public static WriteStatus Persist(StoreState state, in EntryKey key)
    {
        var operation = new ExpireOperation(default, ExpireConditions.IfAny);
        return Write(state.ShardOf(key.Hash), key, ref operation);
    }

    public static bool Remove(StoreState state, in EntryKey key)
    {
        var operation = default(RemoveOperation);
        return Write(state.ShardOf(key.Hash), key, ref operation) == WriteStatus.Done;
    }

    public static bool TryRemove<TSink>(StoreState state, in EntryKey key, ref TSink sink, out WriteStatus status)
        where TSink : struct, IValueSink, allows ref struct
    {
        var operation = new RemoveOperation(isRead: true);
        if (TryReadAndWrite(state, key, ref operation, ref sink, isCounted: true, out status))
            return true;
        if (status == WriteStatus.WrongType)
            return false;
        if (status == WriteStatus.NotFound)
            state.Counters.Note(key.Hash, AccessKind.Removal); // Where it is there, in a larger store.
        if (!state.Watched.IsEmpty || state.Listeners is not null)
        {
            var absence = default(AbsenceOperation);
            Write(state.ShardOf(key.Hash), key, ref absence);
        }

        return false;
    }

    public static bool TryGetAndExpire<TSink>(
        StoreState state, in EntryKey key, long deadline, ref TSink sink, out WriteStatus status)
        where TSink : struct, IValueSink, allows ref struct
    {
        var expiry = state.ShardOf(key.Hash).ExpiryOf(deadline, slidingMs: 0);
        var operation = new ExpireOperation(expiry, ExpireConditions.None);
        return TryReadAndWrite(state, key, ref operation, ref sink, isCounted: false, out status);
    }

    // isCounted: Whether the operation counts the hit itself, if it takes place.
    private static bool TryReadAndWrite<TOperation, TSink>(
        StoreState state, in EntryKey key, ref TOperation operation, ref TSink sink, bool isCounted,
        out WriteStatus status)
        where TOperation : struct, IEntryOperation, allows ref struct
        where TSink : struct, IValueSink, allows ref struct
    {
        status = state.ShardOf(key.Hash).ReadAndWrite(
            key, mustExist: true, default, ref operation, ref sink, out int length);
        if (length < 0)
        {
            if (status == WriteStatus.WrongType)
                state.Counters.Hit(key.Hash); // As of Shard.Note.
            else
                state.Counters.Miss(key.Hash);
            return false;
        }

        if (!isCounted || status != WriteStatus.Done)
            state.Counters.Hit(key.Hash);
        if (status != WriteStatus.Done)
            return false;
        sink.Advance(length);
        return true;
    }

    // A key that is too long is never in a store.
    private static WriteStatus Write<TOperation>(Shard shard, in EntryKey key, ref TOperation operation)
        where TOperation : struct, IEntryOperation, allows ref struct =>
        key.Bytes.Length > EntryKey.LengthMax ? WriteStatus.NotFound : shard.Write(key, ref operation);
}
