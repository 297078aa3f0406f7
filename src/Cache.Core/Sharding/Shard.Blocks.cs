using System.Diagnostics;
using Cache.Core.Changes;
using Cache.Core.Layout;

namespace Cache.Core.Sharding;

/// <summary>Blocks of large values on their way to an entry, before it is locked.</summary>
internal sealed partial class Shard
{
    /// <summary>Puts a large value into a block; a smaller one has none.</summary>
    public bool TryMakeBlock(
        in EntryKey key, ReadOnlySpan<byte> value, in HeldBytes held, out LargeBlock block, ref WriteStatus status)
    {
        block = default;
        if (!IsLarge(key.Bytes.Length, value.Length))
            return true;
        if (!TryMakeBlock(key, value.Length, value.Length, held, out block, ref status))
            return false;
        value.CopyTo(block.Value);
        return true;
    }

    /// <summary>Makes a block for a value of a length.</summary>
    public bool TryMakeBlock(
        in EntryKey key, int length, int capacity, in HeldBytes held, out LargeBlock block, ref WriteStatus status)
    {
        Debug.Assert(length <= capacity);
        if (!_state.TryCreateBlock(length, capacity, prepaidBytes: 0, out block))
        {
            long bytes = _state.BlockBytesOf(capacity);
            if (!TryTakeRoomFor(bytes, key, held) || !_state.TryCreateBlock(length, capacity, bytes, out block))
            {
                _state.ThrowIfDisposed(); // That is why there is no memory. Nothing is locked here.
                status = WriteStatus.OutOfMemory;
                return false;
            }
        }

        RoomSteps.At(RoomStep.BlockTaken);
        return true;
    }

    /// <summary>Takes the room for a block that is made already, and begins to count it.</summary>
    /// <remarks>replaces: Whether nothing of the entry that is there is asked for.</remarks>
    public bool TryCount(in EntryKey key, LargeBlock block, bool replaces)
    {
        if (_state.TryCount(block))
            return true;
        if (replaces)
            EvictWhatCannotStay(key, block.SizeBytes);
        if (!TryTakeRoomFor(block.SizeBytes, key, default))
            return false;
        _state.CountPrepaid(block);
        return true;
    }

    /// <summary>Evicts a large value that is about to be replaced, if the new one has no room beside it.</summary>
    public void EvictWhatCannotStay(in EntryKey key, long newBytes)
    {
        long room = _state.Budget.LimitBytes - _reclaimer.UnevictableBytes - _log.LinkSpareBytes;
        if (newBytes > room || _state.Budget.HasRoomFor(newBytes + _log.LinkSpareBytes))
            return;
        var entry = default(EntryLock);
        Lock(key, ref entry);
        if (entry.IsFound && entry.Header.IsLarge && !entry.Block.IsShared
            && entry.Block.SizeBytes > room - newBytes
            && _reclaimer.AllowsEviction(entry.Header.IsExpiring))
        {
            RemoveLocked(ref entry, ChangeCause.Evicted);
            Interlocked.Increment(ref _counters.Evictions);
        }

        Unlock(ref entry);
    }

    /// <summary>Points the locked entry at a block, and leaves its expiry.</summary>
    /// <remarks>shape: What is told of it.</remarks>
    public bool TryPublishBlock(ref EntryLock entry, in EntryKey key, LargeBlock block, in ChangeShape shape)
    {
        const int length = LargeBlock.StubLength;
        var expiry = entry.IsFound ? entry.Record.ExpiryOf(entry.Header) : default;
        if (!TryStage(ref entry, key, length, isLarge: true, expiry, leaveRoom: false, shape, out var staged))
            return false;
        block.WriteStub(staged.Value);
        Publish(ref entry, key, staged, block.SizeBytes);
        return true;
    }

    /// <summary>Whether the locked entry's value still is a block; of null: whether there still is no entry.</summary>
    public static bool Holds(in EntryLock entry, LargeBlock block) =>
        block.IsNull ? !entry.IsFound : entry.IsFound && entry.Header.IsLarge && entry.Block.IsSame(block);

    /// <summary>Gives back a block that no entry took; null is ignored.</summary>
    public void ReleaseUnused(LargeBlock block)
    {
        if (!block.IsNull)
            _state.Release(block);
    }

    private bool TryTakeRoomFor(long bytes, in EntryKey key, in HeldBytes held) => key.Locks is { } locks
        ? locks.TryUseRoom(bytes)
        : _reclaimer.TryTakeRoom(
            new RoomRequest(bytes, _log.LinkSpareBytes, key.Hash, 0, held, IsLast: false));
}
