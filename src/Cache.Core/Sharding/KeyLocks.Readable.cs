using System.Diagnostics;
using System.Numerics;
using System.Runtime.CompilerServices;
using Cache.Core.Layout;

namespace Cache.Core.Sharding;

/// <summary>Locks through which others read while nothing is changed: for batches that hold many buckets.</summary>
/// <remarks>
/// <code>
///   readable ── BeginChanges ──▶ changing ── EndChanges ──▶ readable, next version ── Exit ──▶ free
/// </code>
/// All buckets that will change stop being readable before any of them is readable again: after something new, a reader
/// finds nothing old. What is looked for, reserved and counted before and behind keeps no reader waiting.
/// </remarks>
internal sealed partial class KeyLocks
{
    // Of each held page's buckets, one bit for each slot that a write of this set will take.
    private byte[] _reserved = [];

    /// <summary>Whether others read in what is held, but for what is being changed.</summary>
    public bool IsReadable { get; private set; }

    /// <summary>The first slot of a held bucket that is empty and not reserved, or 0.</summary>
    public int FindEmptySlot(Bucket bucket) =>
        bucket.FindEmptySlot(IsReadable ? ReservedOf(bucket) : 0u);

    /// <summary>Keeps an empty slot for a write that follows, and notes which buckets that will change.</summary>
    public void Reserve(Bucket home, Bucket holder, int slot)
    {
        Debug.Assert(IsReadable, "Else the slot is taken at once.");
        Debug.Assert(slot is >= Bucket.SlotFirst and <= Bucket.SlotLast);
        ReservedOf(holder) |= (byte)(1 << slot);
        MarkChanged(home);
        MarkChanged(holder);
    }

    /// <summary>Keeps readers away from all buckets that will change.</summary>
    [MethodImpl(MethodImplOptions.AggressiveOptimization)] // Readers wait: unoptimized code would take too long.
    public void BeginChanges()
    {
        RoomSteps.At(RoomStep.KeysFound);
        for (int i = 0; i < _count; i++)
        {
            ref var held = ref _pages[i];
            Debug.Assert((held.Changed & ~held.Buckets) == 0, "Only what is held is changed.");
            for (ulong buckets = held.Changed & held.Readable; buckets != 0; buckets &= buckets - 1)
            {
                int index = BitOperations.TrailingZeroCount(buckets);
                held.Page[index].BeginChange(_versions[i * IndexPage.BucketCount + index]);
            }

            held.Readable &= ~held.Changed;
        }

        Interlocked.MemoryBarrier(); // A reader that sees a change sees that the bucket is changing.
    }

    /// <summary>Keeps readers away from the home of one entry and from the bucket that holds it.</summary>
    public void BeginChange(Bucket home, Bucket holder)
    {
        if (!IsReadable)
            return;
        MarkChanged(home);
        MarkChanged(holder);
        BeginChangeOf(home);
        BeginChangeOf(holder);
        Interlocked.MemoryBarrier(); // As above.
    }

    /// <summary>Lets others read again once everything is changed; the buckets stay locked.</summary>
    [MethodImpl(MethodImplOptions.AggressiveOptimization)] // As above.
    public void EndChanges()
    {
        for (int i = 0; i < _count; i++)
        {
            ref var held = ref _pages[i];
            Debug.Assert((held.Changed & ~held.Buckets) == 0, "Only what is held was changed.");
            for (ulong buckets = held.Changed & ~held.Readable; buckets != 0; buckets &= buckets - 1)
            {
                int index = BitOperations.TrailingZeroCount(buckets);
                ref uint version = ref _versions[i * IndexPage.BucketCount + index];
                held.Page[index].EndChange(version);
                version += Bucket.VersionStep;
            }

            held.Readable |= held.Changed;
        }
    }

    private void BeginChangeOf(Bucket bucket)
    {
        Debug.Assert(IsReadable, "Only readable locks have readers.");
        int page = IndexOf(bucket.Page);
        ref ulong readable = ref _pages[page].Readable;
        ulong bit = 1UL << bucket.IndexInPage;
        if ((readable & bit) == 0)
            return;
        bucket.BeginChange(_versions[page * IndexPage.BucketCount + bucket.IndexInPage]);
        readable &= ~bit;
    }

    private ref byte ReservedOf(Bucket bucket) =>
        ref _reserved[IndexOf(bucket.Page) * IndexPage.BucketCount + bucket.IndexInPage];

    private void ClearReserved(int pages)
    {
        if (!IsReadable)
            return;
        if (_reserved.Length < _versions.Length)
            _reserved = new byte[_versions.Length];
        _reserved.AsSpan(0, pages * IndexPage.BucketCount).Clear();
    }
}
