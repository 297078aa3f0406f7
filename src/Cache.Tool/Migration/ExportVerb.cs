using System.Security.Cryptography;
using Cache.Durability.Rdb;
using Cache.Tool.Verbs;

namespace Cache.Tool.Migration;

/// <summary>Writes what a running server has into an RDB file.</summary>
/// <remarks>
/// SCAN may tell a key twice, and no Redis loads a file that has one twice: of each key its digest is remembered.
/// </remarks>
internal static class ExportVerb
{
    private const string FromOption = "--from";

    // Of a digest: that two keys of a server have the same is not to be expected in the life of the universe.
    private const int DigestLength = 16;

    public static Verb Verb { get; } = new(
        "export",
        ["FILE"],
        "Writes what a running server has into an RDB file, for redis-server 7.0 or later.",
        [
            "",
            "cache export --from HOST:PORT dump.rdb      dump.rdb is new or empty",
            "",
            "--from SERVER      HOST:PORT, the path of a socket, or redis://[USER:PASSWORD@]HOST[:PORT][/DB], for one",
            "                   database; rediss:// by TLS",
            .. ImportVerb.ServerHelp("--from"),
            "",
            "Keys are read by SCAN and DUMP: of what is written meanwhile, the file has some state of that time.",
            "Exit codes: 0 done, 1 some keys are not in the file, 2 wrong words, or a file or server that fails.",
        ],
        new Dictionary<string, string?>(ServerName.Options.Prepend(new(FromOption, "SERVER"))),
        Run);

    private static ExitCode Run(VerbWords words, Report output, TimeProvider time)
    {
        if (!words.Has(FromOption))
            throw new ToolException($"{FromOption} SERVER is needed: {Verb.Usage}");
        var source = ServerName.Of(words, FromOption, hasOptions: true);
        ServerName.CheckTls(words, source);
        using var interrupt = new Interrupt();
        return Run(words.Operands[0], source, output, time, interrupt.Token);
    }

    private static ExitCode Run(
        string dump, ServerName source, Report output, TimeProvider time, CancellationToken stop)
    {
        NewDumpFile.ThrowIfUsed(dump);
        var counts = new ImportCounts();
        var progress = new Progress(output, counts, time);
        using var scan = new ScanSource(source.Address, time);
        NewDumpFile.Write(dump, stream =>
        {
            var writer = new RdbWriter(stream, time.GetUtcNow());
            var seen = new HashSet<UInt128>();
            int database = -1;
            scan.Read(source.Database, entry =>
            {
                if (stop.IsCancellationRequested)
                    throw new ToolException($"Interrupted: {dump} was not written.");
                if (entry.Database != database)
                    seen.Clear();
                database = entry.Database;
                if (seen.Add(DigestOf(entry.Key)))
                    Write(writer, entry, counts);
                progress.Tick();
            });
            writer.WriteEnd();
        });
        progress.End();
        output.Line($"{dump} has {counts.Taken:n0} entries.");
        return counts.Refused == 0 ? ExitCode.Whole : ExitCode.Damaged;
    }

    private static UInt128 DigestOf(byte[] key)
    {
        Span<byte> digest = stackalloc byte[SHA256.HashSizeInBytes];
        SHA256.HashData(key, digest);
        return System.Buffers.Binary.BinaryPrimitives.ReadUInt128LittleEndian(digest[..DigestLength]);
    }

    private static void Write(RdbWriter writer, in ScannedEntry entry, ImportCounts counts)
    {
        ReadOnlySpan<byte> value = default;
        string? refusal = entry.Refusal;
        if (refusal is null && (!RdbPayload.TryOpen(entry.Payload, out value) || value.IsEmpty))
            refusal = $"ERR its payload is damaged, or of a version behind {RdbFormat.VersionMax} (Redis 7.0)";
        string name = value.IsEmpty ? "" : RdbSkipper.NameOf((RdbType)value[0]) ?? "unknown type";
        if (refusal is not null)
        {
            counts.NoteRefused(new Pending(PendingKind.Entry, name, entry.Database, entry.Key, 0), refusal);
            return;
        }

        writer.WriteHead(
            new RdbEntry(entry.Database, entry.Key, default, entry.ExpiresAtMs), (RdbType)value[0]);
        writer.WriteRaw(value[1..]);
        counts.NoteTaken(name, value.Length);
    }
}
