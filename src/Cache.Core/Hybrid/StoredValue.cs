using System.Buffers.Binary;
using System.Diagnostics;

namespace Cache.Core.Hybrid;

/// <summary>A value in its stored form: the payload, and a trailer if it needs one.</summary>
/// <remarks>
/// <code>
///  payload | tag hashes | stamp | fresh until | length of payload | tags | flags | format | mark
///    any   |  8 a tag   |   8   |      8      |         4         |  2   |   1   |   1    |  8
/// </code>
/// Little-endian. A plain value is the payload alone, so that a Redis client and the other doors see what the
/// application cached; a trailer is written for tags, for fail-safe, for null and for strings without a UTF-8 form. The
/// mark has bytes that never occur in UTF-8; a payload that ends like a trailer gets one too, so it is never mistaken.
/// </remarks>
internal readonly ref struct StoredValue
{
    public const int TrailerBytes = 32;

    private const int FormatOffset = 23;
    private const byte Format = 1;

    private StoredValue(ReadOnlySpan<byte> value, int payloadLength)
    {
        Payload = value[..payloadLength];
        if (payloadLength == value.Length)
            return;
        var trailer = value[^TrailerBytes..];
        IsStamped = true;
        TagHashes = value[payloadLength..^TrailerBytes];
        Stamp = BinaryPrimitives.ReadInt64LittleEndian(trailer);
        FreshUntilMs = BinaryPrimitives.ReadInt64LittleEndian(trailer[8..]);
        Flags = (ValueFlags)trailer[22];
    }

    private static ReadOnlySpan<byte> Mark => [0xFE, (byte)'h', (byte)'y', (byte)'b', (byte)'r', (byte)'i', 0xFF, 0];

    public ReadOnlySpan<byte> Payload { get; }

    /// <summary>Whether there is a trailer; else all other members are zero.</summary>
    public bool IsStamped { get; }

    /// <summary>When the value was asked for, on the clock of <see cref="Invalidations"/>.</summary>
    public long Stamp { get; }

    /// <summary>Until when the value is fresh, in Unix milliseconds of the store; 0: as long as it is stored.</summary>
    public long FreshUntilMs { get; }

    public ValueFlags Flags { get; }

    /// <summary>Eight bytes for each tag.</summary>
    public ReadOnlySpan<byte> TagHashes { get; }

    public static StoredValue Read(ReadOnlySpan<byte> value)
    {
        int payloadLength = value.Length;
        if (value.Length >= TrailerBytes && value.EndsWith(Mark) && value[^TrailerBytes..][FormatOffset] == Format)
        {
            var trailer = value[^TrailerBytes..];
            int length = BinaryPrimitives.ReadInt32LittleEndian(trailer[16..]);
            int tags = BinaryPrimitives.ReadUInt16LittleEndian(trailer[20..]);
            if (length >= 0 && length + (tags * 8L) + TrailerBytes == value.Length)
                payloadLength = length;
        }

        return new StoredValue(value, payloadLength);
    }

    /// <summary>Whether a payload could be mistaken for one with a trailer.</summary>
    public static bool LooksStamped(ReadOnlySpan<byte> payload) => payload.EndsWith(Mark);

    public static int TrailerLength(int tags) => TrailerBytes + (tags * 8);

    /// <summary>Writes a trailer behind a payload.</summary>
    /// <param name="target">As long as <see cref="TrailerLength"/> says.</param>
    /// <param name="payloadLength">The length of the payload.</param>
    /// <param name="stamp">See <see cref="Stamp"/>.</param>
    /// <param name="freshUntilMs">See <see cref="FreshUntilMs"/>.</param>
    /// <param name="flags">How to read the payload.</param>
    /// <param name="tags">The hashes of the tags.</param>
    public static void WriteTrailer(
        Span<byte> target, int payloadLength, long stamp, long freshUntilMs, ValueFlags flags, ReadOnlySpan<ulong> tags)
    {
        Debug.Assert(target.Length == TrailerLength(tags.Length));
        for (int i = 0; i < tags.Length; i++)
            BinaryPrimitives.WriteUInt64LittleEndian(target[(i * 8)..], tags[i]);
        var trailer = target[^TrailerBytes..];
        BinaryPrimitives.WriteInt64LittleEndian(trailer, stamp);
        BinaryPrimitives.WriteInt64LittleEndian(trailer[8..], freshUntilMs);
        BinaryPrimitives.WriteInt32LittleEndian(trailer[16..], payloadLength);
        BinaryPrimitives.WriteUInt16LittleEndian(trailer[20..], (ushort)tags.Length);
        trailer[22] = (byte)flags;
        trailer[FormatOffset] = Format;
        Mark.CopyTo(trailer[24..]);
    }

    /// <summary>The hashes of the tags as an array; empty if there are none.</summary>
    public ulong[] CopyTags()
    {
        var tags = TagHashes.IsEmpty ? [] : new ulong[TagHashes.Length / 8];
        for (int i = 0; i < tags.Length; i++)
            tags[i] = BinaryPrimitives.ReadUInt64LittleEndian(TagHashes[(i * 8)..]);
        return tags;
    }
}
