using Cache.Durability.Format;

namespace Cache.Durability.Staging;

/// <summary>A place for a record, reserved and not filled yet. None if nothing is recorded at present.</summary>
/// <param name="chunk">The chunk.</param>
/// <param name="sequence">The chunk's number.</param>
/// <param name="offset">Where in it.</param>
/// <param name="length">How long.</param>
internal readonly struct StagedPlace(StagingChunk chunk, long sequence, int offset, int length)
{
    private const int OffsetBits = 24;

    public bool IsNone => chunk == null;

    /// <summary>The place in the order of all records.</summary>
    public ulong Lsn => LsnOf(sequence, offset);

    /// <summary>The place behind it: what a caller waits for.</summary>
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

    /// <summary>Tells that its bytes are whole; they belong to the thread that writes from now on.</summary>
    public void Fill() => chunk.Fill(length);
}
