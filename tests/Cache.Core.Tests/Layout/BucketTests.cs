using System.Runtime.InteropServices;
using Cache.Core.Layout;

namespace Cache.Core.Tests.Layout;

public sealed class BucketTests : IDisposable
{
    private readonly IndexMemory _index = new(1 << 20, 1 << 20, hugePages: false);
    private readonly Bucket _bucket;

    public BucketTests()
    {
        _index.TryAllocate(out uint page, out _);
        _bucket = _index.Pages[page][3];
    }

    public void Dispose() => _index.Dispose();

    [Fact]
    public void Touch_EachSlot_CountsToThreeAndLeavesTheOthers()
    {
        for (int slot = Bucket.SlotFirst; slot <= Bucket.SlotLast; slot++)
        {
            for (int uses = 1; uses <= 5; uses++)
            {
                _bucket.Touch(slot);
                Assert.Equal(Math.Min(uses, 3), _bucket.FrequencyOf(slot));
            }

            for (int later = slot + 1; later <= Bucket.SlotLast; later++)
                Assert.Equal(0, _bucket.FrequencyOf(later));
        }

        Assert.Equal(0x3FFF, (ushort)Marshal.ReadInt16((nint)_bucket.Order, 4));
        _bucket.SetFrequency(4, 1);
        int[] expected = [3, 3, 3, 1, 3, 3, 3];
        Assert.Equal(expected, Enumerable.Range(1, 7).Select(_bucket.FrequencyOf));
        Assert.True(_bucket.HasNoSpill);
        Assert.Equal(0u, _bucket.ReadVersion());
    }

    [Fact]
    public void Lock_Held_IsChangingAndNobodyElseGetsIt()
    {
        Assert.True(_bucket.TryLock(out uint version));

        Assert.Equal(version + 1, _bucket.ReadVersion());
        Assert.False(_bucket.TryLock(out _));
        Assert.False(_bucket.TryLockAt(version));
        _bucket.Unlock(version, changed: false);
        Assert.True(_bucket.IsAt(version));

        Assert.True(_bucket.TryLockAt(version));
        _bucket.Unlock(version, changed: true);
        Assert.False(_bucket.IsAt(version));
        Assert.Equal(version + Bucket.VersionStep, _bucket.ReadVersion());
        Assert.False(_bucket.TryLockAt(version));
    }

    [Fact]
    public void LockReadable_Held_NobodyElseGetsItAndReadersSeeWhenItChanges()
    {
        Assert.True(_bucket.TryLockReadable(out uint version));
        uint before = _bucket.ReadVersion();
        Assert.False(_bucket.TryLock(out _));
        Assert.False(_bucket.TryLockReadable(out _));
        Assert.False(_bucket.TryLockAt(before));
        Assert.Equal((true, false, version), (Bucket.IsHeld(before), _bucket.IsChanging, Bucket.FreeVersionOf(before)));

        _bucket.BeginChange(version);
        Assert.True(_bucket.IsChanging);
        Assert.False(_bucket.IsAt(before));
        _bucket.EndChange(version);

        Assert.False(_bucket.IsChanging);
        Assert.False(_bucket.IsAt(before));
        Assert.False(_bucket.TryLock(out _));
        _bucket.UnlockReadable(version + Bucket.VersionStep);
        Assert.True(_bucket.TryLockAt(version + Bucket.VersionStep));
        _bucket.Unlock(version + Bucket.VersionStep, changed: false);
    }

    [Fact]
    public void FindEmptySlot_OfWhichSomeAreReserved_FindsTheNextOne()
    {
        Assert.True(_bucket.TryLock(out uint version));
        _bucket.SetEntry(2, 1);
        _bucket.Unlock(version, changed: true);

        Assert.Equal(1, _bucket.FindEmptySlot());
        Assert.Equal(3, _bucket.FindEmptySlot(0b10));
        Assert.Equal(0, _bucket.FindEmptySlot(0b1111_1010));
    }

    // A writer that came late to a page in nobody's use; meanwhile a disposal gives the memory back.
    [Fact]
    public void Unlock_OfAPageInNobodysUseThatBecameZero_LeavesItSo()
    {
        Assert.True(_bucket.TryLock(out uint version));
        Assert.Equal(0u, version);
        _bucket.InitializeVersion(0);

        _bucket.Unlock(version, changed: false);

        Assert.Equal(0u, _bucket.ReadVersion());
    }

    [Fact]
    public void Match_SlotsWithTheTag_AreFoundAndNoOthers()
    {
        const ulong Hash = 0xFEDC_BA98_7654_3210;
        ulong tag = Bucket.TagOf(Hash, 0);
        uint version = _bucket.Lock();
        _bucket.SetEntry(1, Bucket.EntryOf(Bucket.TagOf(~Hash, 0), 17));
        _bucket.SetEntry(2, Bucket.EntryOf(tag, 18));
        _bucket.SetEntry(7, Bucket.EntryOf(tag, (1UL << 44) - 1));
        _bucket.Unlock(version, changed: true);

        Assert.Equal((1u << 2) | (1u << 7), _bucket.Match(tag));
        Assert.Equal((1UL << 44) - 1, Bucket.AddressOf(_bucket.EntryAt(7)));
        Assert.Equal(3, _bucket.FindEmptySlot());
        // The rarest tag has a set bit, too: an empty slot matches none.
        Assert.Equal(0u, _bucket.Match(Bucket.TagOf(0, 0)));
        Assert.Equal((long)_bucket.EntryAt(2), Marshal.ReadInt64((nint)_bucket.Order, 16));
    }

    [Fact]
    public void Spill_NeighboursAndStash_AreCountedApart()
    {
        _bucket.Lock();
        _bucket.AddNeighbour(1);
        _bucket.AddStash(0);
        _bucket.AddStash(7);
        Assert.Equal((1, 2, 0x81), (_bucket.NeighbourCount, _bucket.StashCount, _bucket.StashBuckets));

        _bucket.RemoveStash();
        Assert.Equal((1, 1, 0x81), (_bucket.NeighbourCount, _bucket.StashCount, _bucket.StashBuckets));
        _bucket.RemoveStash();
        _bucket.AddNeighbour(-1);
        Assert.True(_bucket.HasNoSpill);
    }

    [Fact]
    public void AddStash_MoreThanCanBeCounted_IsNeverForgotten()
    {
        _bucket.Lock();
        for (int i = 0; i < 40; i++)
            _bucket.AddStash(i % 8);
        for (int i = 0; i < 40; i++)
            _bucket.RemoveStash();

        Assert.True(_bucket.IsStashCountSaturated);
        Assert.Equal(0xFF, _bucket.StashBuckets);
    }
}
