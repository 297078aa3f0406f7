using System.Buffers.Binary;
using System.Diagnostics;
using Cache.Core.Layout;

namespace Cache.Core.Sharding;

/// <summary>Blocks that not just one entry points at: lent to readers, or shared by entries that were copied.</summary>
/// <remarks>
/// Evicting an entry does not free a block that is lent; two entries count the block that they share twice. Few blocks
/// are either, so they are listed apart, and writes of others look at a count alone. Lock order: bucket, then this
/// gate; nothing is locked inside it.
/// </remarks>
internal sealed class BlockShares
{
    private readonly Lock _gate = new();
    private readonly Dictionary<long, Share> _shares = [];

    // Written under the gate, read anywhere.
    private int _count;
    private long _lentBytes;
    private long _orphanBytes;
    private long _duplicateBytes;

    /// <summary>The bytes of blocks that are lent, each counted once.</summary>
    public long LentBytes => Volatile.Read(ref _lentBytes);

    /// <summary>Of these, the bytes of blocks that no entry points at any more.</summary>
    public long OrphanBytes => Volatile.Read(ref _orphanBytes);

    /// <summary>What entries that share a block count beyond it.</summary>
    public long DuplicateBytes => Volatile.Read(ref _duplicateBytes);

    /// <summary>Lends a block; the caller holds its entry's home, and takes the borrower's reference.</summary>
    public void Lend(LargeBlock block) => Change(block, lenders: 1, copies: 0);

    /// <summary>Ends a loan; the reference is dropped afterwards.</summary>
    public void EndLoan(LargeBlock block) => Change(block, lenders: -1, copies: 0);

    /// <summary>Counts an entry that is about to share the block of another; the caller holds both homes.</summary>
    public void NoteCopied(LargeBlock block) => Change(block, lenders: 0, copies: 1);

    /// <summary>Counts an entry that points at a block no more; the caller holds its home.</summary>
    public void NoteDropped(LargeBlock block)
    {
        if (Volatile.Read(ref _count) == 0 || !block.IsShared)
            return;
        lock (_gate)
        {
            if (!_shares.TryGetValue(AddressOf(block), out var share))
                return;
            if (share.Copies > 0)
            {
                ChangeUnderGate(block, lenders: 0, copies: -1);
                return;
            }

            Debug.Assert(share.Lenders > 0 && !share.IsOrphan);
            _shares[AddressOf(block)] = share with { IsOrphan = true };
            Volatile.Write(ref _orphanBytes, _orphanBytes + block.SizeBytes);
        }
    }

    private void Change(LargeBlock block, int lenders, int copies)
    {
        RoomSteps.At(RoomStep.ShareIsNoted);
        lock (_gate)
            ChangeUnderGate(block, lenders, copies);
    }

    private void ChangeUnderGate(LargeBlock block, int lenders, int copies)
    {
        Debug.Assert(_gate.IsHeldByCurrentThread);
        long address = AddressOf(block);
        _shares.TryGetValue(address, out var before);
        var after = before with { Lenders = before.Lenders + lenders, Copies = before.Copies + copies };
        Debug.Assert(after.Lenders >= 0 && after.Copies >= 0);
        long size = block.SizeBytes;
        if (after.Lenders != 0 || after.Copies != 0)
            _shares[address] = after; // First: there may be no memory for it, and then nothing else has changed.
        else
            _shares.Remove(address);
        Volatile.Write(ref _duplicateBytes, _duplicateBytes + copies * size);
        if (before.Lenders == 0 != (after.Lenders == 0))
        {
            Volatile.Write(ref _lentBytes, _lentBytes + lenders * size);
            if (after is { Lenders: 0, IsOrphan: true })
                Volatile.Write(ref _orphanBytes, _orphanBytes - size);
        }

        Volatile.Write(ref _count, _shares.Count);
    }

    private static long AddressOf(LargeBlock block)
    {
        Span<byte> stub = stackalloc byte[LargeBlock.StubLength];
        block.WriteStub(stub);
        return BinaryPrimitives.ReadInt64LittleEndian(stub);
    }

    private readonly record struct Share(int Lenders, int Copies, bool IsOrphan);
}
