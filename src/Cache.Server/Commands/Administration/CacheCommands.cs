using System.Text;
using Cache.Server.Commands.Arguments;
using Cache.Server.Commands.Dispatch;
using Cache.Server.Commands.Replies;
using Cache.Server.Doctor;
using Cache.Server.Protocol;

namespace Cache.Server.Commands.Administration;

/// <summary>CACHE: what this server tells of itself beyond Redis.</summary>
internal static class CacheCommands
{
    private const int EventsDefault = 100;

    private static readonly string[] _help =
    [
        "CACHE <subcommand> [<arg> [value] [opt] ...]. Subcommands are:",
        "CLUSTER [SET <map>]",
        "    Return the map of slots and servers as JSON, or replace it; the reply comes when that is done.",
        "CURVE",
        "    Return what part of the last minutes' reads other values of maxmemory would answer, as simulated.",
        "    Points are made of: multiple of maxmemory, bytes, hit ratio. Of meaning if 'known' is 1.",
        "DOCTOR",
        "    Return what is wrong, the worst first: severity, rule, a sentence with its figures, and what to do.",
        "EVENTS [COUNT <count>] [SINCE <id>]",
        "    Return the last rare events, the youngest first (default: 100): limits that clients met,",
        "    refused log-ins, evictions, long pauses, changes of the configuration.",
        "    Entries are made of: id, Unix time in milliseconds, kind, text.",
        "MEMORY",
        "    Return what the memory of the process is used for, in bytes. The last one, unexplained, is what is",
        "    left of the resident memory, negative where reserved memory was not touched yet.",
        "PACKAGE [KEYS HASH|PREFIX|PLAIN]",
        "    Return a zip of what the server knows of itself, for somebody far away (default: HASH). It has no value,",
        "    argument or password; clients are numbered. Of keys it has hashes, the first parts, or all.",
        "PREFIXES [BY SIZE|KEYS|READS|WRITES|BYTES] [COUNT <count>]",
        "    Return what keys take and make by their prefixes, as far as the second prefix-separator (default: 32).",
        "    Entries are made of: prefix, keys, size in memory, keys that expire and their mean milliseconds left,",
        "    reads, hits, writes and bytes per second, seconds since the keys were counted (-1: not yet).",
        "    The last one, (others), has what is not told apart.",
        "TOPKEYS BY REQUESTS|READS|WRITES|BYTES|SIZE [COUNT <count>]",
        "    Return the keys that are read or written most often, or whose values make most traffic (default: 16).",
        "    Entries are made of: key, db, reads, writes and bytes per second, length of the value.",
        "    SIZE: the keys that take most memory, by a pass over all keys: key, db, size, length, age.",
        "UNSAFE <action> [I-KNOW <reason>]",
        "    Do what may lose data or protection; without I-KNOW, say what it would do. Actions are:",
        "    RESET-ACL, IGNORE-JOURNAL, END-PROCESS.",
        "HELP",
        "    Prints this help.",
    ];

    public static IReadOnlyList<CommandBinding> Bindings { get; } =
    [
        new("cache|curve", Curve),
        new("cache|doctor", Doctor),
        new("cache|events", Events),
        new("cache|memory", Memory),
        new("cache|help", static (in RespRequest _, CommandContext context) => context.Reply.Help(_help)),
    ];

    private static void Curve(in RespRequest request, CommandContext context)
    {
        var reply = context.Reply;
        var curve = context.Server.Store.GetHitRatioCurve();
        reply.MapHeader(5);
        reply.Bulk("known"u8);
        reply.Integer(curve is { IsKnown: true } ? 1 : 0);
        reply.Bulk("sampled-keys"u8);
        reply.Integer(curve?.SampledKeys ?? 0);
        reply.Bulk("keys-per-sample"u8);
        reply.Integer(curve?.KeysPerSample ?? 0);
        reply.Bulk("points"u8);
        reply.ArrayHeader(curve?.Points.Count ?? 0);
        foreach (var point in curve?.Points ?? [])
        {
            reply.ArrayHeader(3);
            reply.Double(point.Scale);
            reply.Integer(point.MemoryLimitBytes);
            reply.Double(Math.Round(point.HitRatio, CurveAdvice.Digits));
        }

        reply.Bulk("advice"u8);
        reply.Bulk(Encoding.ASCII.GetBytes(CurveAdvice.Of(curve)));
    }

    private static void Doctor(in RespRequest request, CommandContext context)
    {
        var findings = DoctorRules.Find(DoctorReading.Of(context.Server, readsEntries: !context.IsAdministrator));
        context.Reply.ArrayHeader(findings.Count);
        foreach (var finding in findings)
        {
            context.Reply.ArrayHeader(4);
            context.Reply.Bulk(Encoding.ASCII.GetBytes(finding.Severity.ToString().ToLowerInvariant()));
            context.Reply.Bulk(Encoding.ASCII.GetBytes(finding.Rule));
            context.Reply.Bulk(Encoding.UTF8.GetBytes(finding.Sentence));
            context.Reply.Bulk(Encoding.UTF8.GetBytes(finding.Advice));
        }
    }

    private static void Memory(in RespRequest request, CommandContext context)
    {
        if (context.TryGiveWay(long.MaxValue))
            return; // It asks each client, the collector and the system.
        var kinds = MemoryKinds.Of(context.Server);
        context.Reply.MapHeader(kinds.Count);
        foreach (var (name, bytes) in kinds)
        {
            context.Reply.Bulk(Encoding.ASCII.GetBytes(name));
            context.Reply.Integer(bytes);
        }
    }

    // CACHE EVENTS [COUNT count] [SINCE id]
    private static void Events(in RespRequest request, CommandContext context)
    {
        long count = EventsDefault;
        long since = 0;
        for (int i = 2; i < request.Count; i += 2)
        {
            bool isCount = request[i].Is("COUNT"u8);
            if (i + 1 == request.Count || (!isCount && !request[i].Is("SINCE"u8)))
            {
                context.Reply.Error(ErrorTexts.Syntax);
                return;
            }

            if (!RespInteger.TryParse(request[i + 1], out long number) || number < 0)
            {
                context.Reply.Error(ErrorTexts.NotAnInteger);
                return;
            }

            if (isCount)
                count = number;
            else
                since = number;
        }

        var events = context.Server.Events.GetLast((int)Math.Min(count, int.MaxValue), since);
        context.Reply.ArrayHeader(events.Count);
        foreach (var one in events)
        {
            if (context.IsReplyOverLimit)
                return;
            context.Reply.ArrayHeader(4);
            context.Reply.Integer(one.Id);
            context.Reply.Integer(one.AtUnixMs);
            context.Reply.Bulk(Encoding.UTF8.GetBytes(one.Kind));
            context.Reply.Bulk(Encoding.UTF8.GetBytes(one.Text));
        }
    }
}
