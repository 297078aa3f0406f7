using System.Buffers.Binary;

namespace Cache.Core.Collections.Objects;

/// <summary>What a stream knows besides its entries.</summary>
/// <remarks>
/// <code>
///  length 8 │ entries that were ever added 8 │ last id 16 │ greatest removed id 16 │ last number 4 │ 0 4
/// </code>
/// The last number is that of a group or consumer; none is used twice.
/// </remarks>
internal readonly record struct StreamHeader(
    long Length, long Added, StreamId Last, StreamId MaxRemoved, uint LastNumber)
{
    public const int Size = 56;

    /// <summary>Reads one; of bytes that are none, as a torn tree has them, an empty one.</summary>
    public static StreamHeader Read(ReadOnlySpan<byte> bytes) => bytes.Length != Size
        ? default
        : new StreamHeader(
            BinaryPrimitives.ReadInt64LittleEndian(bytes),
            BinaryPrimitives.ReadInt64LittleEndian(bytes[8..]),
            StreamElement.ReadId(bytes[16..]),
            StreamElement.ReadId(bytes[32..]),
            BinaryPrimitives.ReadUInt32LittleEndian(bytes[48..]));

    public void Write(Span<byte> at)
    {
        BinaryPrimitives.WriteInt64LittleEndian(at, Length);
        BinaryPrimitives.WriteInt64LittleEndian(at[8..], Added);
        StreamElement.WriteId(at[16..], Last);
        StreamElement.WriteId(at[32..], MaxRemoved);
        BinaryPrimitives.WriteUInt32LittleEndian(at[48..], LastNumber);
        at[52..Size].Clear();
    }
}
