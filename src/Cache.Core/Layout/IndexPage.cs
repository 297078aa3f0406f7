using System.Runtime.CompilerServices;

namespace Cache.Core.Layout;

/// <summary>A page of the index: 56 home buckets, and 8 stash buckets for entries that do not fit at home.</summary>
/// <remarks>
/// <code>
///  0                                   3584            4096
///  ├─────────┬─────────┬── ··· ────────┼── ··· ──────────┤
///  │ home 0  │ home 1  │     home 55   │  stash 0 … 7    │
///  └─────────┴─────────┴── ··· ────────┴── ··· ──────────┘
/// </code>
/// An entry is in its home bucket, else in the next home bucket, else in one of the stash buckets. The home is chosen
/// by hash bits that do not choose the page, so it stays the same when a page is split.
/// </remarks>
internal readonly unsafe struct IndexPage(byte* start) : IEquatable<IndexPage>
{
    public const int Size = 4096;
    public const int BucketCount = Size / Bucket.Size;
    public const int StashCount = 8;
    public const int HomeCount = BucketCount - StashCount;
    public const int SlotCount = BucketCount * Bucket.SlotLast;

    /// <summary>The first version of a page: 0 is that of an unused page.</summary>
    public const uint FirstVersion = Bucket.VersionStep;

    private readonly byte* _start = start;

    public Bucket this[int index]
    {
        [MethodImpl(MethodImplOptions.AggressiveInlining)] // An address is one addition.
        get => new(_start + (index * Bucket.Size));
    }

    public static int HomeIndexOf(ulong hash) => (int)(((hash & 0xFFFF) * HomeCount) >> 16);

    public static int NeighbourIndexOf(int home) => home + 1 == HomeCount ? 0 : home + 1;

    [MethodImpl(MethodImplOptions.AggressiveInlining)] // The same; the first step of each operation.
    public Bucket HomeOf(ulong hash) => this[HomeIndexOf(hash)];

    public Bucket NeighbourOf(Bucket home) => this[NeighbourIndexOf(home.IndexInPage)];

    /// <summary>The number of slots in use; an estimate if the page is not locked.</summary>
    public int CountEntries()
    {
        int count = 0;
        for (int i = 0; i < SlotCount; i++)
            count += this[i / Bucket.SlotLast].EntryAt(i % Bucket.SlotLast + Bucket.SlotFirst) == 0 ? 0 : 1;
        return count;
    }

    /// <summary>Makes every byte 0; the caller holds all buckets, and this unlocks them.</summary>
    public void Clear()
    {
        AddressCheck.InRange(_start, Size);
        for (int i = Size - sizeof(ulong); i >= 0; i -= sizeof(ulong))
            Volatile.Write(ref *(ulong*)(_start + i), 0);
    }

    public bool Equals(IndexPage other) => _start == other._start;

    public override bool Equals(object? obj) => obj is IndexPage other && Equals(other);

    public override int GetHashCode() => ((nuint)_start).GetHashCode();
}
