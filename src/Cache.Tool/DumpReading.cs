using System.Runtime.InteropServices;
using Cache.Core;
using Cache.Durability.Catalog;
using Cache.Durability.Dumps;
using Cache.Durability.Files;
using Cache.Durability.Format;
using Cache.Durability.Journaling;
using Cache.Durability.Rdb;
using Cache.Tool.Verbs;

namespace Cache.Tool;

/// <summary>Makes a directory with one snapshot from an RDB file.</summary>
/// <remarks>
/// The checksum of an RDB file is at its end: the file is read twice, first to check it and to count, then to take its
/// entries. An entry is in memory only while it is copied. The snapshot gets its name when it is complete, and the
/// manifest comes last: until then a start refuses the directory.
/// </remarks>
internal sealed class DumpReading(Report output, TimeProvider time)
{
    private readonly long _nowMs = time.GetUtcNow().ToUnixTimeMilliseconds();

    public void Run(string dump, string target)
    {
        ThrowIfUsed(target);
        var counts = new DumpCounts(_nowMs);
        using (var stream = File.OpenRead(dump))
            Read(dump, stream, counts, take: null, static _ => { });
        Make(dump, target, counts);
        counts.Print(output);
        output.Line($"{target} has {counts.Taken:n0} entries. A server starts from it: it is dir/appenddirname.");
    }

    private void Make(string dump, string target, DumpCounts counts)
    {
        bool isNew = !Directory.Exists(target);
        MakeFolder(target);
        var directory = new SystemDirectory(target);
        using var taken = directory.Lock(FileNames.Lock);
        ThrowIfUsed(target); // From now on, all that comes into it is of this process.
        try
        {
            Fill(dump, directory, counts);
        }
        catch
        {
            Empty(directory);
            taken.Dispose();
            directory.Delete(FileNames.Lock);
            if (isNew)
                Directory.Delete(target);
            throw;
        }
    }

    private void Fill(string dump, SystemDirectory directory, DumpCounts counts)
    {
        var manifest = new Manifest { StoreId = JournalFiles.NewId(), State = ManifestState.Clean };
        using var snapshot = new SnapshotWriter(directory, manifest, time, compresses: true);
        var again = new DumpCounts(_nowMs);
        List<byte[]> functions = [];
        using (var stream = File.OpenRead(dump))
            Read(dump, stream, again, snapshot, functions.Add);
        if (again.Taken != counts.Taken)
            throw new ToolException($"{dump} was changed while it was read. Try again.");
        snapshot.Complete();
        if (functions.Count > 0)
            FunctionsFile.Write(directory, DumpedFunctions.Make(functions));
        ManifestFile.Publish(directory, manifest with { Base = snapshot.Name });
    }

    private static void Empty(SystemDirectory directory)
    {
        foreach (string name in directory.List().Where(static name => name != FileNames.Lock))
            directory.Delete(name);
    }

    // Of the directory that is to be made, only the lock may be there.
    private static void ThrowIfUsed(string target)
    {
        if (File.Exists(target))
            throw new ToolException($"{target} is a file; a directory that is new or empty is needed.");
        if (!Directory.Exists(target))
            return;
        string? other = Directory.EnumerateFileSystemEntries(target).Select(Path.GetFileName)
            .FirstOrDefault(static name => name != FileNames.Lock);
        if (other != null)
            throw new ToolException($"{target} is not empty: {other} is in it. Name a directory that is new or empty.");
    }

    private static void MakeFolder(string target)
    {
        if (OperatingSystem.IsWindows())
            Directory.CreateDirectory(target);
        else
            Directory.CreateDirectory(
                target, UnixFileMode.UserRead | UnixFileMode.UserWrite | UnixFileMode.UserExecute);
    }

    private static void Read(
        string dump, Stream stream, DumpCounts counts, SnapshotWriter? take, Action<byte[]> takeFunctions)
    {
        try
        {
            var collection = new DumpCollection();
            var reader = new RdbReader(stream, collection.Elements, collection.Stream)
            {
                FunctionsRead = takeFunctions,
            };
            while (reader.TryRead(out var entry))
            {
                bool isMade = entry.Kind == RdbKind.String || collection.TryMake(entry.Kind, reader.Offset);
                if (!counts.Takes(entry, isMade) || take is null)
                    continue;
                if (entry.Kind == RdbKind.String)
                    take.Add(FieldsOf(entry), entry.Key.Span, ArrayOf(entry.Value), entry.Value.Length);
                else
                    take.Add(FieldsOf(entry), entry.Key.Span, collection.Bytes, collection.Length);
            }

            counts.NoteEnd(reader);
        }
        catch (RdbFormatException failure)
        {
            throw new ToolException($"{dump} is damaged, or no RDB file. {failure.Message}", ExitCode.Damaged);
        }
    }

    private static RecordFields FieldsOf(in RdbEntry entry) => new()
    {
        Kind = RecordKind.Set,
        Keyspace = (byte)entry.Database,
        Type = DumpCollection.TypeOf(entry.Kind),
        Flags = entry.ExpiresAtMs is null ? RecordFlags.None : RecordFlags.Expiring | RecordFlags.Moment,
        DeadlineMs = entry.ExpiresAtMs ?? 0,
    };

    // The reader's own array, from its start: nothing is copied.
    private static byte[] ArrayOf(ReadOnlyMemory<byte> value) =>
        MemoryMarshal.TryGetArray(value, out var segment) && segment is { Array: not null, Offset: 0 }
            ? segment.Array
            : value.ToArray();
}
