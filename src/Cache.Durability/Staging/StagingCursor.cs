using System.Diagnostics;
using System.Runtime.InteropServices;

namespace Cache.Durability.Staging;

/// <summary>The place of the next record: one word on its own cache lines.</summary>
/// <remarks>
/// <code>
///     63            24 23     17 16          0
///     chunk's sequence │ slot   │ used / 8
/// </code>
/// One compare-exchange reserves a place, and an exchange ends a chunk for all threads atomically. Sequences are never
/// reused, so that a late compare-exchange fails.
/// </remarks>
[StructLayout(LayoutKind.Explicit, Size = 128)]
internal struct StagingCursor
{
    public const int UnitShift = 3;
    public const int SlotsMax = 1 << SlotBits;

    private const int UsedBits = 17;
    private const int SlotBits = 7;
    private const int SequenceShift = UsedBits + SlotBits;

    /// <summary>
    /// Written by the compare-exchange of a reserving thread, and by exchange under the gate of the staging.
    /// </summary>
    [FieldOffset(64)]
    public long Word;

    public static int UsedOf(long word) => ((int)word & ((1 << UsedBits) - 1)) << UnitShift;

    public static int SlotOf(long word) => (int)(word >> UsedBits) & (SlotsMax - 1);

    public static long SequenceOf(long word) => (long)((ulong)word >> SequenceShift);

    public static long WordOf(long sequence, int slot, int used)
    {
        Debug.Assert(slot is >= 0 and < SlotsMax);
        Debug.Assert(used >> UnitShift < 1 << UsedBits);
        return (sequence << SequenceShift) | ((long)slot << UsedBits) | (uint)(used >> UnitShift);
    }
}
