using System.Diagnostics;
using Cache.Core.Compression;
using Cache.Durability.Format;
using Cache.Durability.Staging;

namespace Cache.Durability.Journaling;

/// <summary>Makes blocks from chunks and their long values.</summary>
/// <param name="compresses">Whether payloads are compressed that become shorter by it.</param>
internal sealed class BlockEncoder(bool compresses = false)
{
    private const int PartOverhead = 2 * RecordLayout.HeaderSize;
    private const int PartBytesMax = StagingArea.RecordBytesMax - PartOverhead;

    private byte[] _part = [];
    private byte[] _packed = [];

    /// <summary>Completes a chunk in place: header, checksums, and zeros behind it.</summary>
    public static ReadOnlyMemory<byte> Encode(
        StagingChunk chunk, ulong fileId, ulong sequence, ulong durable, int alignment, long wallMs)
    {
        Debug.Assert(chunk.IsWhole);
        var header = new BlockHeader(
            fileId, sequence, durable, chunk.Used - BlockHeader.Size, chunk.Used - BlockHeader.Size, 0,
            BlockKind.Journal, 0, wallMs, StagedPlace.LsnOf(chunk.Sequence, BlockHeader.Size));
        return Complete(chunk.Memory, header, alignment);
    }

    /// <summary>The number of blocks for the parts of a value.</summary>
    public static int PartCountOf(int length) => (length + PartBytesMax - 1) / PartBytesMax;

    /// <summary>Makes the block of one part; valid until the next call.</summary>
    public ReadOnlyMemory<byte> EncodePart(
        LongValue value, int index, ulong fileId, ulong sequence, ulong durable, int alignment, long wallMs,
        BlockKind kind)
    {
        if (_part.Length == 0)
            _part = new byte[StagingChunk.Size];
        int offset = index * PartBytesMax;
        int length = Math.Min(PartBytesMax, value.Length - offset);
        var fields = new RecordFields { Kind = RecordKind.Part, Owner = value.Lsn, Offset = offset };
        int size = RecordLayout.SizeOf(fields.Kind, fields.Flags, 0, length);
        var record = _part.AsSpan(BlockHeader.Size, size);
        RecordLayout.Write(record, fields, default, default, length);
        value.CopyTo(offset, record.Slice(PartOverhead, length));
        var header = new BlockHeader(
            fileId, sequence, durable, size, size, 0, kind, 0, wallMs, value.Lsn);
        return Pack(_part, header, alignment);
    }

    /// <summary>Completes a block, compressed if that is wanted and useful; valid until the next call.</summary>
    public ReadOnlyMemory<byte> Pack(Memory<byte> block, in BlockHeader header, int alignment)
    {
        int lengthMax = compresses ? Lz4Format.KeptLengthMax(header.RawBytes) : 0;
        if (lengthMax <= 0)
            return Complete(block, header, alignment);
        if (_packed.Length == 0)
            _packed = new byte[StagingChunk.Size];
        var payload = block.Span.Slice(BlockHeader.Size, header.RawBytes);
        var target = _packed.AsSpan(BlockHeader.Size, lengthMax);
        return Lz4Encoder.TryEncode(payload, null, target, out int length)
            ? Complete(_packed, header with { Codec = BlockHeader.Lz4Codec, StoredBytes = length }, alignment)
            : Complete(block, header, alignment);
    }

    /// <summary>Completes a block whose records are behind the room for its header.</summary>
    public static ReadOnlyMemory<byte> Complete(Memory<byte> block, in BlockHeader header, int alignment)
    {
        int end = BlockHeader.Size + header.StoredBytes;
        int length = BlockHeader.LengthOf(header.StoredBytes, alignment);
        Debug.Assert(length <= block.Length);
        var bytes = block.Span[..length];
        bytes[end..].Clear();
        uint checksum = Crc32C.OfQuarters(bytes[BlockHeader.Size..end]);
        (header with { PayloadChecksum = checksum }).Write(bytes);
        return block[..length];
    }
}
