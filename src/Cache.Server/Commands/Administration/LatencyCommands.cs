using System.Globalization;
using System.Text;
using Cache.Server.Commands.Dispatch;
using Cache.Server.Commands.Replies;
using Cache.Server.Commands.Table;
using Cache.Server.Protocol;
using Cache.Server.Statistics;

namespace Cache.Server.Commands.Administration;

/// <summary>LATENCY: what made clients wait, and how long commands take.</summary>
internal static class LatencyCommands
{
    private const long NanosecondsPerMicrosecond = 1000;

    // The first step of a histogram in nanoseconds, as in Redis.
    private const long FirstStep = 1024;

    // The most bytes of a cause's name: longer than that of any.
    private const int NameMax = 64;

    private static readonly string[] _help =
    [
        "LATENCY <subcommand> [<arg> [value] [opt] ...]. Subcommands are:",
        "DOCTOR",
        "    Return a human readable latency analysis report.",
        "GRAPH <event>",
        "    Return an ASCII latency graph for the <event> class.",
        "HISTORY <event>",
        "    Return time-latency samples for the <event> class.",
        "LATEST",
        "    Return the latest latency samples for all events.",
        "RESET [<event> ...]",
        "    Reset latency data of one or more <event> classes.",
        "    (default: reset all data for all event classes)",
        "HISTOGRAM [COMMAND ...]",
        "    Return a cumulative distribution of latencies in the format of a histogram for the specified command "
            + "names.",
        "    If no commands are specified then all histograms are replied.",
        "HELP",
        "    Prints this help.",
    ];

    public static IReadOnlyList<CommandBinding> Bindings { get; } =
    [
        new("latency|doctor", Doctor),
        new("latency|graph", Graph),
        new("latency|help", static (in RespRequest _, CommandContext context) => context.Reply.Help(_help)),
        new("latency|histogram", Histogram),
        new("latency|history", History),
        new("latency|latest", Latest),
        new("latency|reset", Reset),
    ];

    private static void Latest(in RespRequest request, CommandContext context)
    {
        var latest = context.Server.LatencyEvents.GetLatest();
        context.Reply.ArrayHeader(latest.Count);
        foreach (var (cause, last, longestMs) in latest)
        {
            context.Reply.ArrayHeader(4);
            context.Reply.Bulk(Encoding.ASCII.GetBytes(cause));
            context.Reply.Integer(last.AtUnixSeconds);
            context.Reply.Integer(last.Milliseconds);
            context.Reply.Integer(longestMs);
        }
    }

    // LATENCY HISTORY event
    private static void History(in RespRequest request, CommandContext context)
    {
        var samples = SamplesOf(request[2], context);
        context.Reply.ArrayHeader(samples.Length);
        foreach (var sample in samples)
        {
            context.Reply.ArrayHeader(2);
            context.Reply.Integer(sample.AtUnixSeconds);
            context.Reply.Integer(sample.Milliseconds);
        }
    }

    // LATENCY GRAPH event
    private static void Graph(in RespRequest request, CommandContext context)
    {
        var samples = SamplesOf(request[2], context);
        if (samples.Length == 0)
        {
            context.Reply.Error([.. "ERR No samples available for event '"u8, .. Shorten(request[2]), .. "'"u8]);
            return;
        }

        string graph = LatencyGraph.Draw(Name(request[2]), samples, context.Server.UnixSeconds);
        context.Reply.VerbatimText(Encoding.ASCII.GetBytes(graph));
    }

    // LATENCY RESET [event ...]
    private static void Reset(in RespRequest request, CommandContext context)
    {
        var events = context.Server.LatencyEvents;
        if (request.Count == 2)
        {
            context.Reply.Integer(events.ResetAll());
            return;
        }

        int count = 0;
        for (int i = 2; i < request.Count; i++)
            count += events.Reset(Name(request[i])) ? 1 : 0;
        context.Reply.Integer(count);
    }

    // LATENCY HISTOGRAM [command ...]
    private static void Histogram(in RespRequest request, CommandContext context)
    {
        var found = new List<(CommandDefinition Command, LatencyCounts Latencies)>();
        foreach (var command in AskedFor(request, context))
        {
            var latencies = context.Server.Statistics.SumLatencies(command.Index);
            if (latencies.Total > 0)
                found.Add((command, latencies));
        }

        context.Reply.MapHeader(found.Count);
        foreach (var (command, latencies) in found)
            Write(command.Name, latencies, context.Reply);
    }

    // Of a container all subcommands, as in Redis; each once.
    private static IReadOnlyList<CommandDefinition> AskedFor(
        in RespRequest request, CommandContext context)
    {
        var commands = context.Server.Commands;
        if (request.Count == 2)
            return commands.All;
        var asked = new List<CommandDefinition>();
        for (int i = 2; i < request.Count; i++)
        {
            if (commands.FindFull(request[i]) is not { } command)
                continue;
            Add(command, asked);
            foreach (var subcommand in command.Subcommands?.Commands ?? [])
                Add(subcommand, asked);
        }

        return asked;
    }

    private static void Add(CommandDefinition command, List<CommandDefinition> asked)
    {
        if (!asked.Contains(command))
            asked.Add(command);
    }

    // In microseconds, by powers of two of nanoseconds: how many calls took no longer.
    private static void Write(string name, LatencyCounts latencies, RespReplyWriter reply)
    {
        var steps = new List<(long Microseconds, long Calls)>();
        long calls = 0;
        long before = 0;
        for (int i = 0; i < latencies.Counts.Length; i++)
        {
            calls += latencies.Counts[i];
            long end = LatencyHistogram.LongestOf(i) + 1;
            if (end < FirstStep || !long.IsPow2(end) || calls == before)
                continue;
            steps.Add((end / NanosecondsPerMicrosecond, calls));
            before = calls;
        }

        reply.Bulk(Encoding.ASCII.GetBytes(name));
        reply.MapHeader(2);
        reply.Bulk("calls"u8);
        reply.Integer(calls);
        reply.Bulk("histogram_usec"u8);
        reply.MapHeader(steps.Count);
        foreach (var (microseconds, count) in steps)
        {
            reply.Integer(microseconds);
            reply.Integer(count);
        }
    }

    private static void Doctor(in RespRequest request, CommandContext context)
    {
        var server = context.Server;
        long thresholdMs = server.Settings.LatencyThresholdMs;
        if (thresholdMs == 0)
        {
            context.Reply.VerbatimText(
                "Latency events are off. CONFIG SET latency-monitor-threshold <milliseconds> turns them on."u8);
            return;
        }

        var text = new StringBuilder();
        foreach (var (cause, _, longestMs) in server.LatencyEvents.GetLatest())
        {
            var samples = server.LatencyEvents.GetSamples(cause);
            double sum = 0;
            foreach (var sample in samples)
                sum += sample.Milliseconds;
            text.Append(CultureInfo.InvariantCulture, $"{cause}: {samples.Length} samples, average ")
                .Append(CultureInfo.InvariantCulture, $"{sum / Math.Max(1, samples.Length):F0} ms, ")
                .Append(CultureInfo.InvariantCulture, $"longest {longestMs} ms. {AdviceFor(cause)}\n");
        }

        if (text.Length == 0)
            text.Append(CultureInfo.InvariantCulture, $"Nothing took {thresholdMs} ms or more.\n");

        context.Reply.VerbatimText(Encoding.ASCII.GetBytes(text.ToString()));
    }

    private static string AdviceFor(string cause) => cause switch
    {
        "command" => "SLOWLOG GET has the calls with their arguments.",
        "fast-command" => "Its work is short, so the process waited: for processors, a pause of the garbage collector, "
            + "or memory that is swapped.",
        LatencyCauses.CollectorPause => "The process collected garbage; what the host application allocates counts.",
        LatencyCauses.Eviction => "A write waited while entries were evicted for it; INFO memory tells what memory is "
            + "used for.",
        LatencyCauses.Loop => "A thread that serves clients did not look at them for so long: many requests came at "
            + "once, or it waited for processors.",
        _ => "What is due each second began late: code in the process blocks threads of the pool, or the whole process "
            + "stood still or waited for processors.",
    };

    private static LatencySample[] SamplesOf(ReadOnlySpan<byte> cause, CommandContext context) =>
        context.Server.LatencyEvents.GetSamples(Name(cause));

    // A longer one is no cause's, and is not made a text.
    private static string Name(ReadOnlySpan<byte> cause) => Encoding.Latin1.GetString(Shorten(cause));

    private static ReadOnlySpan<byte> Shorten(ReadOnlySpan<byte> cause) => cause[..Math.Min(cause.Length, NameMax)];
}
