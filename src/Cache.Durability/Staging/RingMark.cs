using System.Buffers.Binary;
using System.Numerics;

namespace Cache.Durability.Staging;

/// <summary>The mark of a filled place: its length, and a checksum of its bytes and its place in the order.</summary>
/// <remarks>
/// Four lanes, since each instruction waits three times as long as the next could start; multiplied rather than added,
/// so that equal errors in two of them do not cancel each other. Never in a file.
/// </remarks>
internal static class RingMark
{
    private const int LengthShift = 48;
    private const int UnitShift = 3;
    private const int LaneBytes = 4 * sizeof(ulong);
    private const ulong First = 0x9E3779B97F4A7C15;
    private const ulong Second = 0xC2B2AE3D27D4EB4F;

    public static int LengthOf(ulong mark) => (int)(mark >> LengthShift) << UnitShift;

    /// <param name="place">Its bytes: a multiple of 8.</param>
    /// <param name="lsn">Its place in the order.</param>
    public static ulong Of(ReadOnlySpan<byte> place, ulong lsn)
    {
        ulong length = (ulong)place.Length >> UnitShift;
        uint a = (uint)lsn;
        uint b = (uint)(lsn >> 32);
        uint c = ~a;
        uint d = ~b;
        for (; place.Length >= LaneBytes; place = place[LaneBytes..])
        {
            a = BitOperations.Crc32C(a, BinaryPrimitives.ReadUInt64LittleEndian(place));
            b = BitOperations.Crc32C(b, BinaryPrimitives.ReadUInt64LittleEndian(place[8..]));
            c = BitOperations.Crc32C(c, BinaryPrimitives.ReadUInt64LittleEndian(place[16..]));
            d = BitOperations.Crc32C(d, BinaryPrimitives.ReadUInt64LittleEndian(place[24..]));
        }

        for (; place.Length >= sizeof(ulong); place = place[sizeof(ulong)..])
            a = BitOperations.Crc32C(a, BinaryPrimitives.ReadUInt64LittleEndian(place));
        ulong sum = (a | ((ulong)b << 32)) * First ^ BitOperations.RotateLeft((c | ((ulong)d << 32)) * Second, 32);
        return (length << LengthShift) | (sum >> (64 - LengthShift));
    }
}
