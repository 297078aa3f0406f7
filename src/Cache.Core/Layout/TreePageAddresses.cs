using System.Runtime.CompilerServices;

namespace Cache.Core.Layout;

/// <summary>Where the pages of trees are: what the hot path needs of <see cref="TreePages"/>.</summary>
/// <remarks>Any number is a page, so that a reader of garbage stays within the reservation.</remarks>
internal readonly unsafe struct TreePageAddresses(byte* start, uint last)
{
    private readonly byte* _start = start;
    private readonly uint _last = last;

    public TreePage this[uint page]
    {
        [MethodImpl(MethodImplOptions.AggressiveInlining)] // A comparison, a shift and an addition.
        get => new(_start + ((ulong)Math.Min(page, _last) * TreePage.GrainSize));
    }
}
