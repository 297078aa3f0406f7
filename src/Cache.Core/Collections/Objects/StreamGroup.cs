using System.Buffers.Binary;

namespace Cache.Core.Collections.Objects;

/// <summary>A group of consumers: its number, the last id that it was given, and how many entries that are.</summary>
/// <remarks>
/// <code>
///  number 4 │ last id 16 │ entries that were read, or −1: unknown 8
/// </code>
/// </remarks>
internal readonly record struct StreamGroup(uint Number, StreamId Last, long EntriesRead)
{
    public const int Size = 28;

    /// <summary>How many entries were read is not known.</summary>
    public const long Unknown = -1;

    public static StreamGroup Read(ReadOnlySpan<byte> bytes) => bytes.Length != Size
        ? default
        : new StreamGroup(
            BinaryPrimitives.ReadUInt32LittleEndian(bytes),
            StreamElement.ReadId(bytes[4..]),
            BinaryPrimitives.ReadInt64LittleEndian(bytes[20..]));

    public void Write(Span<byte> at)
    {
        BinaryPrimitives.WriteUInt32LittleEndian(at, Number);
        StreamElement.WriteId(at[4..], Last);
        BinaryPrimitives.WriteInt64LittleEndian(at[20..], EntriesRead);
    }
}

/// <summary>A consumer of a group: its number, and when it was last seen, in Unix milliseconds.</summary>
/// <remarks>
/// <code>
///  number 4 │ seen 8
/// </code>
/// </remarks>
internal readonly record struct StreamConsumer(uint Number, long SeenMs)
{
    public const int Size = 12;

    public static StreamConsumer Read(ReadOnlySpan<byte> bytes) => bytes.Length != Size
        ? default
        : new StreamConsumer(
            BinaryPrimitives.ReadUInt32LittleEndian(bytes), BinaryPrimitives.ReadInt64LittleEndian(bytes[4..]));

    public void Write(Span<byte> at)
    {
        BinaryPrimitives.WriteUInt32LittleEndian(at, Number);
        BinaryPrimitives.WriteInt64LittleEndian(at[4..], SeenMs);
    }
}

/// <summary>An entry that a consumer was given and has not acknowledged.</summary>
/// <remarks>
/// <code>
///  consumer 4 │ delivered, Unix milliseconds 8 │ how often 8
/// </code>
/// </remarks>
internal readonly record struct StreamPending(uint Consumer, long DeliveredMs, long Deliveries)
{
    public const int Size = 20;

    public static StreamPending Read(ReadOnlySpan<byte> bytes) => bytes.Length != Size
        ? default
        : new StreamPending(
            BinaryPrimitives.ReadUInt32LittleEndian(bytes),
            BinaryPrimitives.ReadInt64LittleEndian(bytes[4..]),
            BinaryPrimitives.ReadInt64LittleEndian(bytes[12..]));

    public void Write(Span<byte> at)
    {
        BinaryPrimitives.WriteUInt32LittleEndian(at, Consumer);
        BinaryPrimitives.WriteInt64LittleEndian(at[4..], DeliveredMs);
        BinaryPrimitives.WriteInt64LittleEndian(at[12..], Deliveries);
    }
}
