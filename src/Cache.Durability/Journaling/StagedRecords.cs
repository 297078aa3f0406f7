using Cache.Durability.Catalog;
using Cache.Durability.Files;
using Cache.Durability.Format;
using Cache.Durability.Staging;

namespace Cache.Durability.Journaling;

/// <summary>Finds what a killed process had staged and not written, behind the blocks that were read.</summary>
internal sealed class StagedRecords
{
    /// <summary>The file system of shared memory; other systems have none, or none by files.</summary>
    public const string Folder = "/dev/shm";

    // The last chunk whose block was read, and its bytes; 0: unknown.
    private (long Chunk, int Used) _last;

    /// <summary>The ring of a directory, where that is usual.</summary>
    public static string RingOf(StorageDirectory directory, Manifest manifest) =>
        SharedRing.PathOf(Folder, directory.Path, manifest.StoreId);

    /// <summary>Called with each block of the journals, in order.</summary>
    public void NoteBlock(in BlockHeader header, ReadOnlySpan<byte> payload)
    {
        long chunk = StagedPlace.SequenceOf(header.FirstLsn);
        if (!IsPart(payload)) // Its parts come before a chunk.
            _last = (chunk, BlockHeader.Size + payload.Length);
        else if (chunk - 1 > _last.Chunk)
            _last = (chunk - 1, 0);
    }

    /// <summary>
    /// The chunks behind the last block: numbers, and blocks whose headers are empty. None if the manifest does not say
    /// "open": they do not follow the files then.
    /// </summary>
    /// <param name="path">The ring, see <see cref="SharedRing.PathOf"/>.</param>
    /// <param name="manifest">The manifest that was read.</param>
    public IReadOnlyList<(long Sequence, byte[] Block)> Read(string path, Manifest manifest)
    {
        if (manifest.State != ManifestState.Open || SharedRing.ReadBoot() is not { } boot)
            return [];
        long before = StagedPlace.SequenceOf(manifest.FromLsn) - 1;
        var (chunk, used) = before > _last.Chunk ? (before, 0) : _last;
        return RingReader.Read(path, boot, manifest.StoreId, chunk, used);
    }

    /// <summary>The header that the block of such a chunk gets, so far as who applies its records needs it.</summary>
    public static BlockHeader HeaderOf(long sequence, byte[] block)
    {
        int length = block.Length - BlockHeader.Size;
        return new BlockHeader(
            0, 0, 0, length, length, 0, BlockKind.Journal, 0, 0, StagedPlace.LsnOf(sequence, BlockHeader.Size));
    }

    private static bool IsPart(ReadOnlySpan<byte> payload) =>
        new RecordReader(payload).TryRead(out var record) && record.Fields.Kind == RecordKind.Part;
}
