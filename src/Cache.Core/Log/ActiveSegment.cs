using System.Runtime.InteropServices;

namespace Cache.Core.Log;

/// <summary>The segment that a stream appends to, and how far: on a cache line of its own.</summary>
[StructLayout(LayoutKind.Explicit, Size = 64)]
internal struct ActiveSegment
{
    /// <summary>
    /// The segment's number in the upper half, the bytes handed out in the lower; written by compare-exchange.
    /// </summary>
    [FieldOffset(0)]
    public long Word;

    public static int SegmentOf(long word) => (int)(word >> 32);

    public static int UsedOf(long word) => (int)word;

    public static long WordOf(int segment, int used) => ((long)segment << 32) | (uint)used;
}
