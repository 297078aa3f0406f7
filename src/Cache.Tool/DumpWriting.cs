using Cache.Core;
using Cache.Durability.Attachment;
using Cache.Durability.Catalog;
using Cache.Durability.Dumps;
using Cache.Durability.Files;
using Cache.Durability.Format;
using Cache.Durability.Journaling;
using Cache.Durability.Rdb;
using Cache.Durability.Recovery;
using Cache.Tool.Migration;
using Cache.Tool.Verbs;

namespace Cache.Tool;

/// <summary>Makes an RDB file from the directory of a store.</summary>
/// <remarks>
/// Later records replace earlier ones, so all are loaded into a store first, as a start does, but changing nothing. The
/// files are read twice: first to check them, then to take their entries. The RDB file gets its name when it is
/// complete and on the disk.
/// </remarks>
internal sealed class DumpWriting(Report output, TimeProvider time, long memoryLimitBytes)
{
    private const int ScanCount = 1_000;

    private long _written;
    private long _sliding;
    private long _expiringFields;

    public void Run(string from, string dump)
    {
        NewDumpFile.ThrowIfUsed(dump);
        var idle = IdleDirectory.Open(from);
        ThrowIfNotWhole(idle, from);
        using var store = new CacheStore(
            new CacheOptions { MemoryLimitBytes = memoryLimitBytes, Eviction = EvictionPolicy.None }, time);
        using var loader = new StoreLoader(store);
        Load(idle, store, loader);
        idle.ThrowIfUsedMeanwhile();
        long loaded = store.GetStatistics().Count; // None of them expires before the end of the load.
        loader.Complete();
        var functions = ReadFunctions(idle.Directory, from);
        NewDumpFile.Write(dump, stream => WriteEntries(stream, store, loader.Databases, functions));
        if (loaded != _written)
            output.Line($"not taken: {loaded - _written:n0} that have expired.");
        if (_sliding != 0)
        {
            output.Line(
                $"{_sliding:n0} entries expire some time after their last use, which Redis does not know: in the dump "
                + "they expire as if they were not used again.");
        }

        if (_expiringFields != 0)
        {
            output.Line(
                $"{_expiringFields:n0} fields of hashes expire on their own, which Redis 7.0 does not know: in the "
                + "dump they never do; those that have expired are not in it.");
        }

        output.Line($"{dump} has {_written:n0} entries.");
    }

    private void ThrowIfNotWhole(IdleDirectory idle, string from)
    {
        var check = DirectoryCheck.Of(idle.Directory, idle.Manifest);
        if (check.Damages.Count != 0)
        {
            throw new ToolException(
                $"{from} is damaged: {check.Damages[0]}. cache verify {from} tells all.", ExitCode.Damaged);
        }

        if (idle.Manifest.State == ManifestState.Suspended)
        {
            throw new ToolException(
                $"{from} is incomplete: the last process could not write its last changes, which may be deletions.",
                ExitCode.Damaged);
        }

        if (check.Tail is { } tail)
        {
            output.Line(
                $"not taken: {tail.Bytes:n0} bytes behind byte {tail.Offset} of {tail.File}, which were not whole when "
                + $"the machine stopped, {Moments.Seconds(tail.Milliseconds)} s of changes.");
        }
    }

    private static void Load(IdleDirectory idle, CacheStore store, StoreLoader loader)
    {
        var (directory, manifest) = (idle.Directory, idle.Manifest);
        try
        {
            if (manifest.Base is { } name)
            {
                using var snapshot = new SnapshotReader(directory, name, manifest.StoreId, skipsDamage: false);
                while (snapshot.TryRead(out var header, out var payload))
                    loader.Apply(name, snapshot.Offset, header, payload);
            }

            var staged = new StagedRecords();
            using var journal = new JournalReader(directory, manifest, skipsDamage: false);
            while (journal.TryRead(out var header, out var payload))
            {
                loader.Apply(journal.Place.File, journal.Place.Offset, header, payload);
                staged.NoteBlock(header, payload);
            }

            string ring = StagedRecords.RingOf(directory, manifest);
            foreach (var (sequence, block) in staged.Read(ring, manifest))
            {
                var header = StagedRecords.HeaderOf(sequence, block);
                loader.Apply(ring, BlockHeader.Size, header, block.AsSpan(BlockHeader.Size));
            }
        }
        catch (RecoveryRefusedException) when (store.GetStatistics().RefusedWrites != 0)
        {
            throw new ToolException(
                $"The entries need more than the limit of {store.MemoryLimitBytes >> 20}mb. Give more: "
                + "--maxmemory SIZE.");
        }
    }

    private static List<byte[]> ReadFunctions(StorageDirectory directory, string from)
    {
        if (FunctionsFile.Read(directory) is not { } payload)
            return [];
        return DumpedFunctions.Read(payload, Array.MaxLength, out var functions) is null
            ? functions
            : throw new ToolException($"{from} is damaged: its file {FileNames.Functions}.", ExitCode.Damaged);
    }

    private void WriteEntries(Stream stream, CacheStore store, byte[]? databases, List<byte[]> functions)
    {
        var writer = new RdbWriter(stream, time.GetUtcNow());
        foreach (byte[] code in functions) // As Redis, before the entries.
            writer.WriteFunction(code);
        var collections = new DumpCollectionWriting(writer);
        for (int database = 0; database < store.KeyspaceCount; database++)
        {
            int keyspace = databases != null && database < databases.Length ? databases[database] : database;
            WriteEntries(writer, collections, store.SelectKeyspace(keyspace), database);
        }

        writer.WriteEnd();
    }

    private void WriteEntries(
        RdbWriter writer, DumpCollectionWriting collections, CacheStore store, int database)
    {
        var keys = new KeyBatch();
        var value = new ValueSink();
        ulong cursor = 0;
        do
        {
            cursor = store.Scan(cursor, ScanCount, ref keys);
            for (int i = 0; i < keys.Count; i++)
            {
                bool isString = store.TryPeekRange(keys[i], 0, -1, ref value, out var info);
                if (info.Kind == EntryKind.None)
                    continue; // It has expired.
                var entry = new RdbEntry(
                    database, keys[i].ToArray(), value.Bytes.AsMemory(0, isString ? value.Length : 0),
                    info.ExpiresAtUnixMs == 0 ? null : info.ExpiresAtUnixMs);
                if (isString)
                    writer.Write(entry);
                else if (!collections.TryWrite(store, info.Kind, entry))
                {
                    if (info.Kind == EntryKind.Hash)
                        continue; // All of its fields have expired.
                    throw new ToolException($"A dump cannot hold the {info.Kind} that is at a key of {database}.");
                }

                if (info.Kind == EntryKind.Hash)
                    _expiringFields += store.TryPeekCollection(keys[i], out var fields) ? fields.ExpiringCount : 0;
                _written++;
                _sliding += info.SlidingMs != 0 ? 1 : 0;
            }

            keys.Clear();
        }
        while (cursor != 0);
    }
}
