using Cache.Durability.Format;

namespace Cache.Durability.Staging;

/// <summary>A reserved place for a record, not filled yet. None if nothing is recorded now.</summary>
/// <param name="chunk">The chunk.</param>
/// <param name="sequence">The chunk's number.</param>
/// <param name="offset">The offset in the chunk.</param>
/// <param name="length">The length.</param>
internal readonly struct StagedPlace(StagingChunk chunk, long sequence, int offset, int length)
{
    private const int OffsetBits = 24;

    public bool IsNone => chunk == null;

    /// <summary>The place in the order of all records.</summary>
    public ulong Lsn => LsnOf(sequence, offset);

    /// <summary>The place behind it, for which a caller waits.</summary>
    public ulong EndLsn => Lsn + (uint)length;

    public int Length => length;

    /// <summary>Whether it is the first of its chunk.</summary>
    public bool IsFirst => offset == BlockHeader.Size;

    public StagingChunk Chunk => chunk;

    /// <summary>Its bytes, until <see cref="Fill"/>.</summary>
    public Span<byte> Bytes => chunk.Slice(offset, length);

    public static ulong LsnOf(long sequence, int offset) => ((ulong)sequence << OffsetBits) | (uint)offset;

    public static int OffsetOf(ulong lsn) => (int)(lsn & ((1 << OffsetBits) - 1));

    public static long SequenceOf(ulong lsn) => (long)(lsn >> OffsetBits);

    /// <summary>Marks its bytes as complete; from now on they belong to the writing thread.</summary>
    public void Fill() => chunk.Fill(offset, length);
}
