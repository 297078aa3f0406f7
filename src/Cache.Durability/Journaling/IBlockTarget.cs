using Cache.Durability.Format;

namespace Cache.Durability.Journaling;

/// <summary>Takes the blocks that a start reads, in their order.</summary>
internal interface IBlockTarget
{
    /// <param name="file">The file, for a refusal.</param>
    /// <param name="offset">Where in it the block begins.</param>
    /// <param name="header">The block's header.</param>
    /// <param name="payload">Its records; not to be kept.</param>
    void Apply(string file, long offset, in BlockHeader header, ReadOnlySpan<byte> payload);

    /// <summary>Tells how many bytes the files have, before the first block.</summary>
    void Begin(long bytes)
    {
    }

    /// <summary>Tells that blocks before the next one were damaged, and are skipped.</summary>
    void NoteGap();
}
