using System.Buffers;
using System.Buffers.Binary;

namespace Cache.AspNetCore;

/// <summary>A stored response, followed by its tags and the number that decides whether it is still valid.</summary>
/// <remarks>
/// <code>
///  0            n      n + t    + 8      + 12    + 16
///  | response   | tags | number | t      | mark  |
/// </code>
/// The response comes first, so that a read copies it to the front of the caller's memory and ignores the rest.
/// Little-endian. Clients of a server on the same store may write such keys too: a value without the mark, or with
/// lengths that do not fit, is not an entry.
/// </remarks>
internal static class Entry
{
    private const int TrailerBytes = sizeof(long) + sizeof(int) + sizeof(int);

    // "ocs1", the format of these entries.
    private const uint Mark = 0x3173636f;

    public static long SizeOf(long responseLength, ReadOnlySpan<string> tags) =>
        responseLength + TagList.SizeOf(tags) + TrailerBytes;

    /// <summary>Writes an entry into a span of its size.</summary>
    public static void Write(
        in ReadOnlySequence<byte> response, ReadOnlySpan<string> tags, long number, Span<byte> entry)
    {
        response.CopyTo(entry);
        var list = entry[(int)response.Length..^TrailerBytes];
        TagList.Write(tags, list);
        var trailer = entry[^TrailerBytes..];
        BinaryPrimitives.WriteInt64LittleEndian(trailer, number);
        BinaryPrimitives.WriteInt32LittleEndian(trailer[sizeof(long)..], list.Length);
        BinaryPrimitives.WriteUInt32LittleEndian(trailer[(sizeof(long) + sizeof(int))..], Mark);
    }

    /// <summary>Parses an entry.</summary>
    /// <returns>False if it is not an entry.</returns>
    public static bool TryRead(ReadOnlySpan<byte> entry, out int responseLength, out long number, out TagList tags)
    {
        responseLength = 0;
        number = 0;
        tags = default;
        if (entry.Length < TrailerBytes)
            return false;
        var trailer = entry[^TrailerBytes..];
        int listLength = BinaryPrimitives.ReadInt32LittleEndian(trailer[sizeof(long)..]);
        uint mark = BinaryPrimitives.ReadUInt32LittleEndian(trailer[(sizeof(long) + sizeof(int))..]);
        if (mark != Mark || (uint)listLength > (uint)(entry.Length - TrailerBytes))
            return false;
        responseLength = entry.Length - TrailerBytes - listLength;
        number = BinaryPrimitives.ReadInt64LittleEndian(trailer);
        tags = new TagList(entry.Slice(responseLength, listLength));
        return true;
    }
}
