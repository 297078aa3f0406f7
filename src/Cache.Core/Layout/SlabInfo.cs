using System.Diagnostics;
using System.Numerics;
using System.Runtime.InteropServices;

namespace Cache.Core.Layout;

/// <summary>What is known of one slab of <see cref="TreePages"/>: which places of it are used, and its list.</summary>
/// <remarks>
/// <code>
///  0            16     20         24       25     26      27        32
///  | used bits  | next | previous | grains | used | state | unused  |
/// </code>
/// Guarded by the gate of the pages, except that who holds a page of the slab may read the length of its pages.
/// </remarks>
[StructLayout(LayoutKind.Explicit, Size = Size)]
internal struct SlabInfo
{
    public const int Size = 32;

    private const int PlacesPerWord = 64;

    [FieldOffset(0)]
    private ulong _usedLow;

    [FieldOffset(8)]
    private ulong _usedHigh;

    /// <summary>The next slab of its list; 0: none.</summary>
    [FieldOffset(16)]
    public int Next;

    /// <summary>The one before; 0: none.</summary>
    [FieldOffset(20)]
    public int Previous;

    /// <summary>The length of its pages.</summary>
    [FieldOffset(24)]
    public byte Grains;

    /// <summary>How many of its pages are used.</summary>
    [FieldOffset(25)]
    public byte Used;

    [FieldOffset(26)]
    public SlabState State;

    /// <summary>How many pages it has.</summary>
    public readonly int Capacity => TreePages.SlabGrains / Grains;

    public readonly int FreeCount => Capacity - Used;

    /// <summary>The used pages by their bits.</summary>
    public readonly int CountUsedBits() => BitOperations.PopCount(_usedLow) + BitOperations.PopCount(_usedHigh);

    public readonly bool IsUsed(int place)
    {
        Debug.Assert(place >= 0 && place < Capacity);
        return ((place < PlacesPerWord ? _usedLow : _usedHigh) >> (place % PlacesPerWord) & 1) != 0;
    }

    /// <summary>Marks the first free place as used.</summary>
    public int TakePlace()
    {
        Debug.Assert(Used < Capacity, "A full slab is in no list.");
        int place = ~_usedLow != 0
            ? BitOperations.TrailingZeroCount(~_usedLow)
            : PlacesPerWord + BitOperations.TrailingZeroCount(~_usedHigh);
        Debug.Assert(place < Capacity);
        Flip(place);
        Used++;
        return place;
    }

    public void GivePlace(int place)
    {
        Debug.Assert(IsUsed(place), "A page is given back once.");
        Flip(place);
        Used--;
    }

    private void Flip(int place)
    {
        Debug.Assert((uint)place < 2 * PlacesPerWord);
        if (place < PlacesPerWord)
            _usedLow ^= 1UL << place;
        else
            _usedHigh ^= 1UL << (place - PlacesPerWord);
    }
}
