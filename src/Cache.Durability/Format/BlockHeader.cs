using System.Buffers.Binary;
using System.Diagnostics;

namespace Cache.Durability.Format;

/// <summary>The first 64 bytes of a block; the payload follows, then zeros up to the alignment.</summary>
/// <remarks>
/// <code>
///     0 u32 magic        4 u32 CRC32C of 8..63      8 u64 file id: an old block of a recycled file never matches
///    16 u64 sequence    24 u64 durable: every block up to this one was synced when this one was written
///    32 u32 stored      36 u32 raw bytes           40 u32 CRC32C of the stored payload
///    44 u8 kind  45 u8 codec: 0 none, 1 LZ4  46 u16 0
///    48 i64 wall ms     56 u64 LSN of the first record
/// </code>
/// Sequences increase by one, also from one file to the next, so that a missing block is detected.
/// </remarks>
/// <param name="FileId">The id in the file's header.</param>
/// <param name="Sequence">The block's number in the whole journal, or in its snapshot.</param>
/// <param name="Durable">The last block that was on the disk when this one was written.</param>
/// <param name="StoredBytes">The length of the payload as stored.</param>
/// <param name="RawBytes">The length of the uncompressed payload.</param>
/// <param name="PayloadChecksum">The checksum of the stored payload.</param>
/// <param name="Kind">The content of the payload.</param>
/// <param name="Codec">The compression.</param>
/// <param name="WallMs">When it was written.</param>
/// <param name="FirstLsn">The place of its first record in the order of all records.</param>
internal readonly record struct BlockHeader(
    ulong FileId,
    ulong Sequence,
    ulong Durable,
    int StoredBytes,
    int RawBytes,
    uint PayloadChecksum,
    BlockKind Kind,
    byte Codec,
    long WallMs,
    ulong FirstLsn)
{
    public const int Size = 64;

    /// <summary>The longest payload: read at once, and sealed at once by the staging.</summary>
    public const int PayloadBytesMax = 256 << 10;

    /// <summary>The first bytes of each block: "CBK1".</summary>
    public const uint Magic = 0x314B4243;

    /// <summary>The codec of a payload that is stored as it is.</summary>
    public const byte PlainCodec = 0;

    /// <summary>The codec of a payload that is one block of the LZ4 format.</summary>
    public const byte Lz4Codec = 1;

    private const int ChecksumStart = 8;

    /// <summary>The bytes of the block in its file.</summary>
    public long LengthIn(int alignment) => LengthOf(StoredBytes, alignment);

    public static int LengthOf(int storedBytes, int alignment)
    {
        Debug.Assert(storedBytes is >= 0 and <= PayloadBytesMax);
        return (Size + storedBytes + alignment - 1) / alignment * alignment;
    }

    public void Write(Span<byte> header)
    {
        header = header[..Size];
        BinaryPrimitives.WriteUInt32LittleEndian(header, Magic);
        BinaryPrimitives.WriteUInt64LittleEndian(header[8..], FileId);
        BinaryPrimitives.WriteUInt64LittleEndian(header[16..], Sequence);
        BinaryPrimitives.WriteUInt64LittleEndian(header[24..], Durable);
        BinaryPrimitives.WriteInt32LittleEndian(header[32..], StoredBytes);
        BinaryPrimitives.WriteInt32LittleEndian(header[36..], RawBytes);
        BinaryPrimitives.WriteUInt32LittleEndian(header[40..], PayloadChecksum);
        BinaryPrimitives.WriteUInt32LittleEndian(header[44..], (uint)Kind | ((uint)Codec << 8));
        BinaryPrimitives.WriteInt64LittleEndian(header[48..], WallMs);
        BinaryPrimitives.WriteUInt64LittleEndian(header[56..], FirstLsn);
        BinaryPrimitives.WriteUInt32LittleEndian(header[4..], Crc32C.Of(header[ChecksumStart..]));
    }

    /// <summary>Whether a block of this file begins here; its payload is not checked.</summary>
    public static bool TryRead(ReadOnlySpan<byte> header, ulong fileId, out BlockHeader read)
    {
        read = default;
        if (header.Length < Size || BinaryPrimitives.ReadUInt32LittleEndian(header) != Magic)
            return false;
        header = header[..Size];
        if (BinaryPrimitives.ReadUInt64LittleEndian(header[8..]) != fileId
            || BinaryPrimitives.ReadUInt32LittleEndian(header[4..]) != Crc32C.Of(header[ChecksumStart..]))
        {
            return false;
        }

        read = new BlockHeader(
            fileId,
            BinaryPrimitives.ReadUInt64LittleEndian(header[16..]),
            BinaryPrimitives.ReadUInt64LittleEndian(header[24..]),
            BinaryPrimitives.ReadInt32LittleEndian(header[32..]),
            BinaryPrimitives.ReadInt32LittleEndian(header[36..]),
            BinaryPrimitives.ReadUInt32LittleEndian(header[40..]),
            (BlockKind)header[44],
            header[45],
            BinaryPrimitives.ReadInt64LittleEndian(header[48..]),
            BinaryPrimitives.ReadUInt64LittleEndian(header[56..]));
        return read.HasPossibleSizes;
    }

    // A right checksum proves nothing: sizes are checked before they are used.
    private bool HasPossibleSizes =>
        StoredBytes is >= 0 and <= PayloadBytesMax && RawBytes is >= 0 and <= PayloadBytesMax;
}
