using System.Runtime.CompilerServices;
using Cache.Core.Curve;
using Cache.Core.Layout;
using Cache.Core.Sharding;

namespace Cache.Core.Operations;

/// <summary>Writes of a whole value.</summary>
internal static class EntryWriter
{
    public static WriteStatus Set(
        StoreState state, in EntryKey key, ReadOnlySpan<byte> value, in EntryOptions options)
    {
        if (!options.AllowsOverwrite || value.Length > state.ValueLengthMax)
            return SetAny(state, key, value, options);
        var shard = state.ShardOf(key.Hash);
        bool isDone = options.Expires
            ? shard.TryOverwriteTimed(key.Bytes, key.Hash, key.Keyspace, value, options)
            : shard.TryOverwriteInPlace(key.Bytes, key.Hash, key.Keyspace, value, options.KeepTtl);
        if (!isDone)
            return SetAny(state, key, value, options);
        state.Counters.Note(key.Hash, AccessKind.Write);
        return WriteStatus.Done;
    }

    /// <summary>
    /// Writes a value that already has its own block. The method owns the block, even if the write fails.
    /// </summary>
    public static WriteStatus Set(StoreState state, in EntryKey key, LargeBlock block, in EntryOptions options)
    {
        var shard = state.ShardOf(key.Hash);
        var status = CheckLengths(state, key, block.Length);
        bool isCounted = false;
        try
        {
            isCounted = status == WriteStatus.Done && shard.TryCount(key, block, options.ReplacesAll);
        }
        finally // The store may have been disposed.
        {
            if (!isCounted)
                state.ReleaseUncounted(block);
        }

        if (isCounted)
            return WriteBlock(shard, key, block.Value, options, block);
        return status == WriteStatus.Done ? WriteStatus.OutOfMemory : status;
    }

    /// <summary>Writes a collection as it is stored, into one record however long it is.</summary>
    public static WriteStatus SetPacked(
        StoreState state, in EntryKey key, EntryKind kind, ReadOnlySpan<byte> packed, in EntryOptions options)
    {
        var operation = new SetOperation(packed, options, default) { Kind = kind };
        return state.ShardOf(key.Hash).Write(key, ref operation);
    }

    /// <summary>Writes a value and returns the previous one.</summary>
    public static WriteStatus Set<TSink>(
        StoreState state, in EntryKey key, ReadOnlySpan<byte> value, in EntryOptions options, ref TSink previous,
        out bool existed)
        where TSink : struct, IValueSink, allows ref struct
    {
        var shard = state.ShardOf(key.Hash);
        var status = CheckLengths(state, key, value.Length);
        if (status != WriteStatus.Done || !shard.TryMakeBlock(key, value, default, out var block, ref status))
        {
            var read = shard.Copy(key, ByteRange.All, ref previous, out var present);
            existed = read == ReadStatus.Found;
            if (existed)
                previous.Advance(present.CopiedLength);
            return read == ReadStatus.WrongType ? WriteStatus.WrongType : status;
        }

        var operation = new SetOperation(value, options, block);
        int length;
        try
        {
            status = shard.ReadAndWrite(
                key, mustExist: false, HeldBytes.OfBlock(block), ref operation, ref previous, out length);
        }
        finally // The sink may throw.
        {
            shard.ReleaseUnused(operation.Block);
        }

        existed = length >= 0;
        if (existed)
            previous.Advance(length);
        return status;
    }

    /// <summary>Writes a value if the key was not written since its version was read.</summary>
    public static WriteStatus SetIfUnchanged(
        StoreState state, in EntryKey key, ReadOnlySpan<byte> value, in EntryOptions options, EntryVersion version)
    {
        var shard = state.ShardOf(key.Hash);
        var status = CheckLengths(state, key, value.Length);
        if (status != WriteStatus.Done || !shard.TryMakeBlock(key, value, default, out var block, ref status))
            return status;
        var operation = new SetOperation(value, options, block);
        var entry = default(EntryLock);
        entry.Held = HeldBytes.OfBlock(block);
        uint wanted = ReadSnapshot.HomeVersionOf(version);
        int generation = ReadSnapshot.GenerationOf(version);
        try
        {
            do
            {
                shard.Lock(key, ref entry); // Not refused while the bucket is locked: its holder may change nothing.
                status = WriteStatus.ConditionNotMet;
                if (entry.HomeVersion == wanted && entry.Generation == generation && !entry.IsChanged
                    && shard.ObjectVersionOf(entry.Object) == ReadSnapshot.ObjectVersionOf(version))
                    status = shard.RunAndUnlock(key, ref entry, ref operation);
                else
                    shard.Unlock(ref entry);
            }
            while (entry.Obstacle != Obstacle.None && shard.TryOvercome(key, ref entry, ref status));

            return status;
        }
        finally // The store may have been disposed.
        {
            shard.EndWrite(key, ref entry);
            shard.ReleaseUnused(operation.Block);
        }
    }

    // Not inlined: otherwise every write would zero these stack locals.
    [MethodImpl(MethodImplOptions.NoInlining)]
    private static WriteStatus SetAny(
        StoreState state, in EntryKey key, ReadOnlySpan<byte> value, in EntryOptions options)
    {
        var shard = state.ShardOf(key.Hash);
        var status = CheckLengths(state, key, value.Length);
        if (status != WriteStatus.Done)
            return status;
        if (options.ReplacesAll && state.IsLarge(key.Bytes.Length, value.Length))
            shard.EvictWhatCannotStay(key, state.BlockBytesOf(value.Length));
        if (!shard.TryMakeBlock(key, value, default, out var block, ref status))
            return status;
        if (!block.IsNull)
            return WriteBlock(shard, key, value, options, block);
        var operation = new SetOperation(value, options, block);
        return shard.Write(key, ref operation);
    }

    /// <summary>Writes a value that has its own block. The method owns the block, even if the write fails.</summary>
    private static WriteStatus WriteBlock(
        Shard shard, in EntryKey key, ReadOnlySpan<byte> value, in EntryOptions options, LargeBlock block)
    {
        var operation = new SetOperation(value, options, block);
        try
        {
            return shard.Write(key, ref operation, HeldBytes.OfBlock(block));
        }
        finally // The store may have been disposed.
        {
            shard.ReleaseUnused(operation.Block);
        }
    }

    private static WriteStatus CheckLengths(StoreState state, in EntryKey key, int valueLength)
    {
        if (key.Bytes.Length > EntryKey.LengthMax)
            return WriteStatus.KeyTooLong;
        return valueLength > state.ValueLengthMax ? WriteStatus.ValueTooLong : WriteStatus.Done;
    }
}
