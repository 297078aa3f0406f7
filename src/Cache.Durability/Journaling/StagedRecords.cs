using Cache.Durability.Catalog;
using Cache.Durability.Format;
using Cache.Durability.Staging;

namespace Cache.Durability.Journaling;

/// <summary>The records that a killed process had staged and not written: they follow the files.</summary>
internal static class StagedRecords
{
    /// <summary>The file system of shared memory; other systems have none, or none by files.</summary>
    public const string RingFolder = "/dev/shm";

    /// <summary>The last chunk of which nothing follows a block of a journal.</summary>
    public static long ChunkOf(in BlockHeader header, ReadOnlySpan<byte> payload)
    {
        long chunk = StagedPlace.SequenceOf(header.FirstLsn);
        return IsPart(payload) ? chunk - 1 : chunk; // Parts come before a chunk.
    }

    /// <summary>The records in their order; none unless the manifest says "open": they would not follow.</summary>
    /// <param name="path">The ring.</param>
    /// <param name="manifest">The manifest that the process has left.</param>
    /// <param name="lastChunk">The greatest <see cref="ChunkOf"/> of all blocks of the journals; 0 without one.</param>
    public static IEnumerable<(BlockHeader Header, byte[] Records)> Read(string path, Manifest manifest, long lastChunk)
    {
        if (manifest.State != ManifestState.Open || SharedRing.ReadBoot() is not { } boot)
            yield break;
        lastChunk = Math.Max(lastChunk, StagedPlace.SequenceOf(manifest.FromLsn) - 1);
        foreach (var (sequence, block) in RingReader.Read(path, boot, manifest.StoreId, lastChunk))
        {
            int length = block.Length - BlockHeader.Size;
            var header = new BlockHeader(
                0, 0, 0, length, length, 0, BlockKind.Journal, 0, 0, StagedPlace.LsnOf(sequence, BlockHeader.Size));
            yield return (header, block[BlockHeader.Size..]);
        }
    }

    private static bool IsPart(ReadOnlySpan<byte> payload) =>
        new RecordReader(payload).TryRead(out var record) && record.Fields.Kind == RecordKind.Part;
}
