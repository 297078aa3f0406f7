using System.Globalization;
using System.Text;
using Cache.Server.Commands.Arguments;
using Cache.Server.Commands.Dispatch;
using Cache.Server.Commands.Replies;
using Cache.Server.Protocol;

namespace Cache.Server.Commands.Administration;

/// <summary>MEMORY: what entries and the server take.</summary>
internal static class MemoryCommands
{
    private static readonly string[] _help =
    [
        "MEMORY <subcommand> [<arg> [value] [opt] ...]. Subcommands are:",
        "DOCTOR",
        "    Return memory problems reports.",
        "MALLOC-STATS",
        "    Return internal statistics report from the memory allocator.",
        "PURGE",
        "    Attempt to purge dirty pages for reclamation by the allocator.",
        "STATS",
        "    Return information about the memory usage of the server.",
        "USAGE <key> [SAMPLES <count>]",
        "    Return memory in bytes used by <key> and its value. Nested values are",
        "    sampled up to <count> times (default: 5, 0 means sample all).",
        "HELP",
        "    Prints this help.",
    ];

    public static IReadOnlyList<CommandBinding> Bindings { get; } =
    [
        new("memory|usage", Usage),
        new("memory|stats", Statistics),
        new("memory|doctor", Doctor),
        new("memory|malloc-stats", AllocatorStatistics),
        new("memory|purge", Purge),
        new("memory|help", static (in RespRequest _, CommandContext context) => context.Reply.Help(_help)),
    ];

    // MEMORY USAGE key [SAMPLES count]: nothing is sampled, the size of each entry is known.
    private static void Usage(in RespRequest request, CommandContext context)
    {
        for (int i = 3; i < request.Count; i += 2)
        {
            if (i + 1 >= request.Count || !request[i].Is("SAMPLES"u8))
            {
                context.Reply.Error(ErrorTexts.Syntax);
                return;
            }

            if (!RespInteger.TryParse(request[i + 1], out long count))
            {
                context.Reply.Error(ErrorTexts.NotAnInteger);
                return;
            }

            if (count < 0)
            {
                context.Reply.Error(ErrorTexts.Syntax);
                return;
            }
        }

        if (context.Store.TryPeekInfo(request[2], out var info))
            context.Reply.Integer(info.MemoryBytes);
        else
            context.Reply.Null();
    }

    private static void Statistics(in RespRequest request, CommandContext context)
    {
        var figures = MemoryFigures.Of(context.Server);
        (string Name, long Value)[] counts =
        [
            ("peak.allocated", figures.PeakBytes), ("total.allocated", figures.UsedBytes),
            ("startup.allocated", figures.StartBytes), ("replication.backlog", 0), ("clients.slaves", 0),
            ("clients.normal", figures.ClientBytes), ("cluster.links", 0), ("aof.buffer", 0), ("lua.caches", 0),
            ("functions.caches", 0), ("overhead.total", figures.OverheadBytes), ("keys.count", figures.Keys),
            ("keys.bytes-per-key", figures.BytesPerKey), ("dataset.bytes", figures.DatasetBytes),
        ];
        (string Name, double Value)[] shares =
        [
            ("dataset.percentage", figures.DatasetPercent), ("peak.percentage", figures.PeakPercent),
        ];
        (string Name, long Value)[] allocated =
        [
            ("allocator.allocated", figures.UsedBytes), ("allocator.active", figures.UsedBytes),
            ("allocator.resident", figures.UsedBytes),
        ];
        (string Name, double Ratio, long Bytes)[] ratios =
        [
            ("allocator-fragmentation", 1, 0), ("allocator-rss", 1, 0),
            ("rss-overhead", figures.OverheadRatio, figures.ResidentBytes - figures.UsedBytes),
        ];
        var reply = context.Reply;
        reply.MapHeader(counts.Length + shares.Length + allocated.Length + 2 * ratios.Length + 2);
        foreach (var (name, value) in counts)
            Write(name, value, reply);
        foreach (var (name, value) in shares)
            Write(name, value, reply);
        foreach (var (name, value) in allocated)
            Write(name, value, reply);
        foreach (var (name, ratio, bytes) in ratios)
        {
            Write(name + ".ratio", ratio, reply);
            Write(name + ".bytes", bytes, reply);
        }

        Write("fragmentation", figures.FragmentationRatio, reply);
        Write("fragmentation.bytes", figures.FragmentationBytes, reply);
    }

    private static void Write(string name, long value, RespReplyWriter reply)
    {
        reply.Bulk(Encoding.ASCII.GetBytes(name));
        reply.Integer(value);
    }

    private static void Write(string name, double value, RespReplyWriter reply)
    {
        reply.Bulk(Encoding.ASCII.GetBytes(name));
        reply.Double(value);
    }

    private static void Doctor(in RespRequest request, CommandContext context) =>
        context.Reply.VerbatimText(Encoding.ASCII.GetBytes(MemoryFigures.Of(context.Server).Judge()));

    // The store's memory is mapped from the system directly; what else there is belongs to the runtime.
    private static void AllocatorStatistics(in RespRequest request, CommandContext context)
    {
        var store = context.Server.Store.GetStatistics();
        var collector = GC.GetGCMemoryInfo(GCKind.Any);
        var text = new StringBuilder()
            .Append(CultureInfo.InvariantCulture, $"store: {store.MemoryBytes} bytes of {store.MemoryLimitBytes}, ")
            .Append(CultureInfo.InvariantCulture, $"peak {store.MemoryPeakBytes}, {store.Count} entries\n")
            .Append(CultureInfo.InvariantCulture, $"runtime: heap {collector.HeapSizeBytes} bytes, ")
            .Append(CultureInfo.InvariantCulture, $"fragmented {collector.FragmentedBytes}, ")
            .Append(CultureInfo.InvariantCulture, $"committed {collector.TotalCommittedBytes}, ")
            .Append(CultureInfo.InvariantCulture, $"collections {GC.CollectionCount(0)} {GC.CollectionCount(1)} ")
            .Append(CultureInfo.InvariantCulture, $"{GC.CollectionCount(2)}, pauses ")
            .Append(CultureInfo.InvariantCulture, $"{GC.GetTotalPauseDuration().TotalMilliseconds:F0} ms\n")
            .Append(CultureInfo.InvariantCulture, $"process: resident {Environment.WorkingSet} bytes\n");
        context.Reply.VerbatimText(Encoding.ASCII.GetBytes(text.ToString()));
    }

    // Free memory of the store is given back by its reclaimer; here the runtime is asked to give back its own.
    private static void Purge(in RespRequest request, CommandContext context)
    {
        GC.Collect(GC.MaxGeneration, GCCollectionMode.Aggressive, blocking: true, compacting: true);
        context.Reply.Ok();
    }
}
