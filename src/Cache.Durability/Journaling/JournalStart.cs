using Cache.Durability.Catalog;
using Cache.Durability.Files;
using Cache.Durability.Format;
using Cache.Durability.Recovery;
using Cache.Durability.Staging;

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
    /// <param name="report">
    /// The findings. Where writes were refused, <see cref="Journal.Renew"/> must come before the first record.
    /// </param>
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
        bool wasRefused = manifest.State == ManifestState.Refused;
        bool isEmpty = wasSuspended && mode != RecoveryMode.Force;
        var read = isEmpty ? manifest with { Base = null, Journals = [] } : manifest;
        bool skipsDamage = mode != RecoveryMode.Strict;
        using var reader = new JournalReader(directory, read, skipsDamage);
        target.Begin(LengthOf(directory, [.. read.Journals.Append(read.Base).OfType<string>()])
            - UnusedOf(directory, read));
        var (entryBlocks, entryGaps) = ReadSnapshot(directory, read, skipsDamage, target);
        var staged = new StagedRecords();
        var (blocks, bytes, lastLsn) = Read(reader, target, staged);
        report = new RecoveryReport(
            entryBlocks + blocks, reader.Tail, [.. entryGaps, .. reader.Gaps], wasSuspended, wasRefused, isEmpty);
        if (options.RefusesCutEnds && reader.Tail is { } end)
            throw new RecoveryRefusedException(end.File, end.Offset, "ends with blocks that are not whole");
        string? ringPath = options.RingFolder is { } folder
            ? SharedRing.PathOf(folder, directory.Path, manifest.StoreId)
            : null;
        string problem = "";
        if (ringPath != null && SharedRing.IsHeld(ringPath))
            (ringPath, problem) = (null, $"another process has {ringPath}, and a directory with the same path");
        var rescued = report.Gaps.Count == 0 ? Rescue(ringPath, manifest, staged, target) : [];
        target.End();
        if (!wasRefused)
            CutEnds(directory, reader);
        var kept = reader.Tail is { } tail && !wasRefused ? WithoutLaterFiles(read, tail.File) : read;

        ulong from = kept.Journals.Count == 0 ? reader.NextSequence : kept.FromSequence;
        if (isEmpty)
            PutAside(directory, manifest); // While the manifest still names them: else they would be reused.
        var catalog = new StoreCatalog(directory, kept);
        // Refused until new files replace these, which are not written again: not even their ends are cut.
        var state = wasRefused ? ManifestState.Refused : ManifestState.Open;
        // Behind all places of the last process: what it has staged, where this start does not find it, stays lost.
        lastLsn = PlaceBehind(Math.Max(lastLsn, manifest.FromLsn), rescued);
        ulong fromLsn = rescued.Count == 0 ? lastLsn : manifest.FromLsn;
        catalog.Change(
            manifest => manifest with { State = state, EndSequence = 0, FromSequence = from, FromLsn = fromLsn });
        var files = new JournalFiles(directory, catalog.Manifest, options.FileBytes, options.Time);
        files.Trim(SparesMax);

        // Bytes of a killed process may be only in the system's memory; the next block says that they are on the disk.
        if (!wasRefused)
            files.Sync(catalog.Manifest.Journals);
        var ring = ringPath == null || !options.KeepsRing
            ? null
            : SharedRing.TryCreate(ringPath, options.Chunks, manifest.StoreId, out problem);
        var journal = new Journal(catalog, files, reader.NextSequence - 1, lastLsn, options, ring);
        if (rescued.Count != 0)
            Append(rescued, journal, ring, catalog, lastLsn);
        if (ringPath != null && (ring == null || !ring.TryPublish(out problem)))
            SharedRing.DeleteQuietly(ringPath); // Its records are in files.
        long rescuedBytes = rescued.Sum(static chunk => (long)chunk.Used - BlockHeader.Size);
        report = report with { RescuedBytes = rescuedBytes, RingProblem = problem.Length == 0 ? null : problem };
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

    // The last journal is filled with zeros, or an earlier file's blocks, to its end.
    private static long UnusedOf(StorageDirectory directory, Manifest manifest)
    {
        if (manifest.Journals.Count == 0)
            return 0;
        try
        {
            using var reader = BlockReader.Open(directory, manifest.Journals[^1], manifest.StoreId);
            return reader.Length - reader.EstimateEnd();
        }
        catch (IOException)
        {
            return 0; // Who reads it says what is wrong with it.
        }
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

    private static void Append(
        List<StagingChunk> rescued, Journal journal, SharedRing? ring, StoreCatalog catalog, ulong lastLsn)
    {
        try
        {
            journal.Append(rescued);
            catalog.Change(manifest => manifest with { FromLsn = lastLsn });
        }
        catch
        {
            journal.Dispose();
            ring?.Abandon(); // The old one still has them.
            throw;
        }
    }

    // The records that the last process had staged and not written, in their order.
    private static List<StagingChunk> Rescue(
        string? path, Manifest manifest, StagedRecords staged, IBlockTarget target)
    {
        List<StagingChunk> rescued = [];
        foreach (var (sequence, block) in path == null ? [] : staged.Read(path, manifest))
        {
            var chunk = new StagingChunk(slot: 0);
            chunk.Open(sequence);
            int length = block.Length - BlockHeader.Size;
            block.AsSpan(BlockHeader.Size).CopyTo(chunk.Slice(BlockHeader.Size, length));
            chunk.Fill(BlockHeader.Size, length);
            chunk.Seal(block.Length);
            target.Apply(
                path!, BlockHeader.Size, StagedRecords.HeaderOf(sequence, block),
                chunk.Slice(BlockHeader.Size, length));
            rescued.Add(chunk);
        }

        return rescued;
    }

    private static ulong PlaceBehind(ulong lsn, List<StagingChunk> rescued)
    {
        long last = rescued.Count == 0 ? 0 : rescued[^1].Sequence;
        last = Math.Max(last, StagedPlace.SequenceOf(lsn));
        return StagedPlace.LsnOf(last + StagingArea.ChunksMax + 1, 0);
    }

    private static (long Blocks, long Bytes, ulong LastLsn) Read(
        JournalReader reader, IBlockTarget target, StagedRecords staged)
    {
        long blocks = 0;
        long bytes = 0;
        ulong lastLsn = 0;
        int gaps = 0;
        while (reader.TryRead(out var header, out var payload))
        {
            NoteGaps(reader.Gaps.Count, ref gaps, target);
            target.Apply(reader.Place.File, reader.Place.Offset, header, payload);
            staged.NoteBlock(header, payload);
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
