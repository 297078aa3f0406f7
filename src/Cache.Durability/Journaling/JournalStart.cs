using Cache.Durability.Catalog;
using Cache.Durability.Files;
using Cache.Durability.Format;
using Cache.Durability.Recovery;

namespace Cache.Durability.Journaling;

/// <summary>Reads a directory's journals, repairs what a crash has left, and begins a new journal after them.</summary>
internal static class JournalStart
{
    // No more free files than a snapshot leaves behind are useful.
    public const int SparesMax = 2;

    /// <param name="directory">The directory; locked by the caller.</param>
    /// <param name="target">Receives every valid block.</param>
    /// <param name="mode">What to do with damaged or incomplete files.</param>
    /// <param name="options">The options of the new journal.</param>
    /// <param name="report">The findings.</param>
    /// <exception cref="RecoveryRefusedException">Files are damaged; nothing was changed.</exception>
    /// <exception cref="RefusedDirectoryException">The manifest is damaged; nothing was changed.</exception>
    public static Journal Open(
        StorageDirectory directory,
        IBlockTarget target,
        RecoveryMode mode,
        JournalOptions options,
        out RecoveryReport report)
    {
        var manifest = ManifestFile.Read(directory) ?? Create(directory);
        bool wasSuspended = manifest.State == ManifestState.Suspended;
        bool isEmpty = wasSuspended && mode != RecoveryMode.Force;
        var read = isEmpty ? manifest with { Base = null, Journals = [] } : manifest;
        bool skipsDamage = mode != RecoveryMode.Strict;
        using var reader = new JournalReader(directory, read, skipsDamage);
        target.Begin(LengthOf(directory, [.. read.Journals.Append(read.Base).OfType<string>()]));
        var (entryBlocks, entryGaps) = ReadSnapshot(directory, read, skipsDamage, target);
        var (blocks, bytes, lastLsn) = Read(reader, target);
        target.End();
        lastLsn = Math.Max(lastLsn, manifest.FromLsn);
        report = new RecoveryReport(
            entryBlocks + blocks, reader.Tail, [.. entryGaps, .. reader.Gaps], wasSuspended, isEmpty);
        if (options.RefusesCutEnds && reader.Tail is { } end)
            throw new RecoveryRefusedException(end.File, end.Offset, "ends with blocks that are not whole");
        CutEnds(directory, reader);
        var kept = reader.Tail is { } tail ? WithoutLaterFiles(read, tail.File) : read;

        ulong from = kept.Journals.Count == 0 ? reader.NextSequence : kept.FromSequence;
        if (isEmpty)
            PutAside(directory, manifest); // While the manifest still names them: else they would be reused.
        var catalog = new StoreCatalog(directory, kept);
        catalog.Change(manifest => manifest with { State = ManifestState.Open, EndSequence = 0, FromSequence = from });
        var files = new JournalFiles(directory, catalog.Manifest, options.FileBytes, options.Time);
        files.Trim(SparesMax);

        // Bytes of a killed process may be only in the system's memory; the next block says that they are on the disk.
        files.Sync(catalog.Manifest.Journals);
        var journal = new Journal(catalog, files, reader.NextSequence - 1, lastLsn, options);
        journal.NoteRead(bytes);
        if (read.Base is { } snapshot)
            journal.SnapshotBytes = LengthOf(directory, [snapshot]);
        return journal;
    }

    private static long LengthOf(StorageDirectory directory, IReadOnlyList<string> names)
    {
        long bytes = 0;
        foreach (string name in names)
        {
            using var file = directory.Open(name, writable: false);
            bytes += file.Length;
        }

        return bytes;
    }

    private static Manifest Create(StorageDirectory directory)
    {
        var manifest = new Manifest { StoreId = (ulong)Random.Shared.NextInt64() };
        ManifestFile.Publish(directory, manifest);
        return manifest;
    }

    private static (long Blocks, IReadOnlyList<Gap> Gaps) ReadSnapshot(
        StorageDirectory directory, Manifest manifest, bool skipsDamage, IBlockTarget target)
    {
        if (manifest.Base == null)
            return (0, []);
        long blocks = 0;
        int gaps = 0;
        using var reader = new SnapshotReader(directory, manifest.Base, manifest.StoreId, skipsDamage);
        for (; reader.TryRead(out var header, out var payload); blocks++)
        {
            NoteGaps(reader.Gaps.Count, ref gaps, target);
            target.Apply(manifest.Base, reader.Offset, header, payload);
        }

        return (blocks, reader.Gaps);
    }

    private static (long Blocks, long Bytes, ulong LastLsn) Read(JournalReader reader, IBlockTarget target)
    {
        long blocks = 0;
        long bytes = 0;
        ulong lastLsn = 0;
        int gaps = 0;
        while (reader.TryRead(out var header, out var payload))
        {
            NoteGaps(reader.Gaps.Count, ref gaps, target);
            target.Apply(reader.Place.File, reader.Place.Offset, header, payload);
            blocks++;
            bytes += header.LengthIn(FileHeader.BufferedAlignment);
            lastLsn = Math.Max(lastLsn, header.FirstLsn);
        }

        return (blocks, bytes, lastLsn);
    }

    private static void NoteGaps(int count, ref int known, IBlockTarget target)
    {
        if (count != known)
            target.NoteGap();
        known = count;
    }

    // The bytes behind it were never completely on the disk, or are the unused rest of the file.
    private static void CutEnds(StorageDirectory directory, JournalReader reader)
    {
        foreach (var (name, end) in reader.Ends)
        {
            if (reader.Gaps.Any(gap => gap.File == name))
                continue; // It is kept for inspection.
            using var file = directory.Open(name, writable: true);
            if (file.Length == end)
                continue;
            file.SetLength(end);
            file.Sync();
        }
    }

    // They have no valid block, and are free.
    private static Manifest WithoutLaterFiles(Manifest manifest, string last)
    {
        int count = 1 + manifest.Journals.ToList().IndexOf(last);
        return manifest with { Journals = [.. manifest.Journals.Take(count)] };
    }

    // They are not read any more, but kept for inspection.
    private static void PutAside(StorageDirectory directory, Manifest manifest)
    {
        string[] names = manifest.Base is { } snapshot ? [snapshot, .. manifest.Journals] : [.. manifest.Journals];
        foreach (string name in names.Where(directory.List().Contains))
            directory.Rename(name, name + FileNames.BadEnding);
    }
}
