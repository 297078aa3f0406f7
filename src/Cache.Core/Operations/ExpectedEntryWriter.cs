using Cache.Core.Layout;
using Cache.Core.Sharding;

namespace Cache.Core.Operations;

/// <summary>Replaces the entry that was read before, whatever else is written in the key's bucket.</summary>
/// <remarks>
/// The last attempt of a write that compared versions, since any write in the bucket changes its version. This one
/// compares the value itself under the lock of the key. A long value is compared before, by a reference to its block;
/// under the lock, only the block's identity is compared.
/// </remarks>
internal static class ExpectedEntryWriter
{
    /// <returns>ConditionNotMet if the key was written or removed since it was read.</returns>
    public static WriteStatus Write(
        StoreState state, in EntryKey key, ReadOnlySpan<byte> value, in EntryOptions options, in ExpectedEntry expected)
    {
        if (value.Length > state.ValueLengthMax)
            return WriteStatus.ValueTooLong;
        var lend = new LendOperation(expected);
        var shard = state.ShardOf(key.Hash);
        var status = shard.Write(key, ref lend);
        if (status != WriteStatus.Done)
            return status;
        var lent = lend.Block;
        try
        {
            return lent.IsNull || lent.Value.SequenceEqual(expected.Value)
                ? Write(state, key, value, options, expected, lent)
                : WriteStatus.ConditionNotMet;
        }
        finally
        {
            if (!lent.IsNull)
                state.Return(lent);
        }
    }

    private static WriteStatus Write(
        StoreState state, in EntryKey key, ReadOnlySpan<byte> value, in EntryOptions options, in ExpectedEntry expected,
        LargeBlock compared)
    {
        var shard = state.ShardOf(key.Hash);
        var status = WriteStatus.Done;
        if (!shard.TryMakeBlock(key, value, default, out var block, ref status))
            return status;
        var replace = new ReplaceOperation(state, new SetOperation(value, options, block), expected, compared);
        try
        {
            return shard.Write(key, ref replace, HeldBytes.OfBlock(block));
        }
        finally // The store may have been disposed.
        {
            shard.ReleaseUnused(replace.UnusedBlock);
        }
    }

    /// <summary>Takes a reference to a value in a block of its own, if that may be what was expected.</summary>
    private ref struct LendOperation(ExpectedEntry expected) : IEntryOperation
    {
        private readonly ExpectedEntry _expected = expected;

        /// <summary>The block, whose reference the caller gives back; null if there is none.</summary>
        public LargeBlock Block { get; private set; }

        public WriteStatus Run(Shard shard, in EntryKey key, ref EntryLock entry)
        {
            if (!entry.IsFound || entry.IsOtherKind || !entry.Header.IsLarge)
                return WriteStatus.Done; // A short value is compared under the lock that replaces it.
            if (!_expected.Exists || entry.Block.Length != _expected.Value.Length)
                return WriteStatus.ConditionNotMet;
            shard.Lend(entry.Block);
            Block = entry.Block;
            return WriteStatus.Done;
        }
    }

    private ref struct ReplaceOperation(
        StoreState state, SetOperation set, ExpectedEntry expected, LargeBlock compared) : IEntryOperation
    {
        private readonly ExpectedEntry _expected = expected;
        private readonly LargeBlock _compared = compared;
        private SetOperation _set = set;

        public readonly LargeBlock UnusedBlock => _set.Block;

        public WriteStatus Run(Shard shard, in EntryKey key, ref EntryLock entry) =>
            !_expected.Watched.IsRemoved && IsExpected(shard, ref entry)
                ? _set.Run(shard, key, ref entry)
                : WriteStatus.ConditionNotMet;

        private readonly bool IsExpected(Shard shard, ref EntryLock entry)
        {
            if (!entry.IsFound)
                return !_expected.Exists || IsOver(_expected.ExpiresAtMs);
            if (!_expected.Exists || entry.IsOtherKind || ExpiresAtMs(entry) != _expected.ExpiresAtMs)
                return false;
            return entry.Header.IsLarge
                ? !_compared.IsNull && entry.Block.IsSame(_compared)
                : shard.ValueOf(ref entry).SequenceEqual(_expected.Value);
        }

        // An entry that expired is gone without a write of its key.
        private readonly bool IsOver(long expiresAtMs) => expiresAtMs != 0 && expiresAtMs <= state.Clock.ReadMs();

        private readonly long ExpiresAtMs(in EntryLock entry) =>
            entry.Header.IsExpiring ? state.Clock.Now.ToStoreMs(entry.Record.ExpiryOf(entry.Header)) : 0;
    }
}
