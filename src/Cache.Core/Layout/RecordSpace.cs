using System.Numerics;
using System.Runtime.CompilerServices;

namespace Cache.Core.Layout;

/// <summary>Turns addresses into records and back: the start of the segments, for the hot path.</summary>
internal readonly unsafe struct RecordSpace(byte* start, int segmentSize)
{
    private const int UnitShift = 3;

    private readonly byte* _start = start;
    private readonly int _segmentShift = BitOperations.Log2((uint)segmentSize);

    /// <summary>The record that a bucket's entry points at.</summary>
    public Record this[ulong entry]
    {
        [MethodImpl(MethodImplOptions.AggressiveInlining)] // An address is a shift and an addition.
        get => new(_start + (Bucket.AddressOf(entry) << UnitShift));
    }

    public Record At(int segment, int offset) => new(_start + ((long)segment << _segmentShift) + offset);

    public ulong AddressOf(Record record) => (record.Address - (nuint)_start) >> UnitShift;

    public int SegmentOf(Record record) => (int)((record.Address - (nuint)_start) >> _segmentShift);
}
