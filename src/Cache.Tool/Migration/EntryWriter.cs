using System.Globalization;
using System.Text;
using Cache.Durability.Rdb;
using Cache.Tool.Client;

namespace Cache.Tool.Migration;

/// <summary>Puts the entries of an RDB file into a server.</summary>
/// <remarks>
/// A value goes as it is, as a payload of RESTORE. A collection longer than <see cref="WholeBytesMax"/> is built
/// by plain commands under a name of its own, and renamed when it is complete: nobody sees half of it, and neither we
/// nor the server have its payload in memory beside it.
/// </remarks>
internal sealed class EntryWriter(
    Target target, ImportCounts counts, bool replaces, int? onlyDatabase, TimeProvider time)
{
    /// <summary>From so many bytes on a collection goes in parts: its payload keeps a server from others.</summary>
    public const int WholeBytesMax = 16 << 20;

    // A command of so many bytes keeps no other client waiting for long.
    private const int PartBytes = 256 << 10;

    private static readonly byte[] s_prefix = "cache-import:"u8.ToArray();

    /// <summary>Reads all entries, and puts those that are wanted.</summary>
    /// <param name="reader">Reads values as they are.</param>
    /// <param name="afterEach">Called after each one.</param>
    public void Run(RdbReader reader, Action afterEach)
    {
        while (reader.TryRead(out var entry))
        {
            Put(reader, entry);
            afterEach();
        }

        target.Drain();
        foreach (var (name, count) in reader.Skipped)
        {
            for (long i = 0; i < count; i++)
                counts.NoteLeft($"of type {name}");
        }
    }

    private void Put(RdbReader reader, in RdbEntry entry)
    {
        if (onlyDatabase is { } only && entry.Database != only)
            counts.NoteLeft("of other databases");
        else if (entry.ExpiresAtMs <= time.GetUtcNow().ToUnixTimeMilliseconds())
            counts.NoteLeft("that have expired");
        else if (!target.TrySelect(entry.Database))
            Refuse(entry, "ERR the target has no database of that number");
        else if (entry.State == RdbRawState.TooLong)
            Refuse(entry, $"ERR it is longer than the {RdbFormat.StringLengthMax >> 20} MB that RESTORE takes");
        else if (entry.State == RdbRawState.InParts)
            PutParts(reader, entry);
        else
            target.Restore(entry, reader.Version);
    }

    private void Refuse(in RdbEntry entry, string reason) => counts.NoteRefused(PendingOf(entry, 0), reason);

    private static Pending PendingOf(in RdbEntry entry, int bytes) => new(
        PendingKind.Entry, RdbSkipper.NameOf(entry.Type) ?? "", entry.Database, entry.Key.ToArray(), bytes);

    private void PutParts(RdbReader reader, in RdbEntry entry)
    {
        byte[] key = entry.Key.ToArray();
        var there = target.Call("EXISTS"u8.ToArray(), key);
        if (there.Kind == ReplyKind.Error)
        {
            target.JudgeEntry(PendingOf(entry, 0), there.Text); // Once, not for each part.
            return;
        }

        if (!replaces && there.Number != 0)
        {
            counts.NoteLeft("that are there already; --replace takes them");
            return;
        }

        byte[] unfinished = UnfinishedOf(key);
        target.Call("DEL"u8.ToArray(), unfinished); // What an earlier run has left.
        _ = target.TakePartRefusals();
        long bytes = 0;
        var kind = RdbCollections.KindOf(entry.Type)!.Value;
        reader.ReadParts(PartBytes, part => bytes += Send(part, kind, key, unfinished));
        if (entry.ExpiresAtMs is { } moment)
            target.Part("PEXPIREAT", key, 0).Begin(3).Add("PEXPIREAT"u8).Add(unfinished).Add(moment);
        target.Drain();
        var pending = PendingOf(entry, (int)Math.Min(int.MaxValue, bytes));
        var renamed = target.TakePartRefusals() != 0
            ? null
            : target.Call(replaces ? "RENAME"u8.ToArray() : "RENAMENX"u8.ToArray(), unfinished, key);
        if (renamed is { Kind: ReplyKind.Error })
            counts.NoteRefused(pending, renamed.Text);
        if (renamed is null or { Kind: ReplyKind.Error } or { Kind: ReplyKind.Number, Number: 0 })
            target.Call("DEL"u8.ToArray(), unfinished);
        else
            counts.NoteTaken(pending.Name, pending.Bytes);
    }

    // Of the same slot.
    private static byte[] UnfinishedOf(byte[] key) => key.AsSpan().ContainsAny((byte)'{', (byte)'}')
        ? [.. s_prefix, .. key]
        : [.. s_prefix, (byte)'{', .. key, (byte)'}'];

    private int Send(RdbElements part, RdbKind kind, byte[] key, byte[] name)
    {
        int count = (int)part.Count;
        if (count == 0)
            return 0;
        var (command, words) = kind switch
        {
            RdbKind.List => ("RPUSH", count),
            RdbKind.Set => ("SADD", count),
            RdbKind.Hash => ("HSET", count),
            _ => ("ZADD", 2 * count),
        };
        var request = target.Part(command, key, part.Bytes).Begin(2 + words);
        request.Add(Encoding.ASCII.GetBytes(command)).Add(name);
        for (int i = 0; i < count; i++)
        {
            if (kind == RdbKind.SortedSet)
                request.Add(TextOf(part.Scores[i]));
            request.Add(part[i]);
        }

        return part.Bytes;
    }

    private static byte[] TextOf(double score) => Encoding.ASCII.GetBytes(
        double.IsInfinity(score) ? score > 0 ? "inf" : "-inf" : score.ToString("R", CultureInfo.InvariantCulture));
}
