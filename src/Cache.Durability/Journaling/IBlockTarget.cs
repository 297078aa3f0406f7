using Cache.Durability.Format;

namespace Cache.Durability.Journaling;

/// <summary>Receives the blocks that a start reads, in order.</summary>
internal interface IBlockTarget
{
    /// <param name="file">The file, for errors.</param>
    /// <param name="offset">The offset of the block in it.</param>
    /// <param name="header">The block's header.</param>
    /// <param name="payload">Its records; valid during the call.</param>
    void Apply(string file, long offset, in BlockHeader header, ReadOnlySpan<byte> payload);

    /// <summary>Called with the bytes of all files, before the first block.</summary>
    void Begin(long bytes)
    {
    }

    /// <summary>Called after the last block, before files are changed; throws if a record is refused.</summary>
    void End()
    {
    }

    /// <summary>Called when blocks before the next one were damaged and are skipped.</summary>
    void NoteGap();
}
