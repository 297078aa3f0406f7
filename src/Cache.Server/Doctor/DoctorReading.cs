using System.Text;
using Cache.Core;
using Cache.Server.Clients;
using Cache.Server.Commands.Dispatch;
using Cache.Server.Statistics;

namespace Cache.Server.Doctor;

/// <summary>Reads the figures of a running server.</summary>
internal static class DoctorReading
{
    private const int RateSeconds = 60;
    private const int LookBackSeconds = 600;
    private const long IdleMsMin = LookBackSeconds * 1000;
    private const double MicrosecondsPerMillisecond = 1000;

    // As wide as a sentence allows.
    private const int KeyBytesShown = 64;

    public static DoctorFigures Of(ServerState server) => Of(server, readsEntries: true);

    /// <param name="server">The server.</param>
    /// <param name="readsEntries">
    /// Whether the lengths of hot values are looked up; that waits for a thread which holds the entry.
    /// </param>
    public static DoctorFigures Of(ServerState server, bool readsEntries)
    {
        var store = server.Store.GetStatistics();
        double input = Mean(server, "input_bytes_per_second");
        double output = Mean(server, "output_bytes_per_second");
        var figures = new DoctorFigures
        {
            CommandsPerSecond = Mean(server, "commands_per_second"),
            WritesPerSecond = Mean(server, "writes_per_second"),
            EvictionsPerSecond = Mean(server, "evictions_per_second"),
            RefusedWritesPerSecond = Mean(server, "refused_writes_per_second"),
            RefusedLogInsPerSecond = Mean(server, "refused_logins_per_second"),
            RejectedConnectionsPerSecond = Mean(server, "rejected_connections_per_second"),
            TrafficPerSecond = input + output,
            ProcessorPercent = Mean(server, "cpu_user_percent") + Mean(server, "cpu_system_percent"),
            Processors = Environment.ProcessorCount,
            PauseMsPerSecond = Mean(server, "gc_pause_ms_per_second"),
            FullCollectionsPerSecond = Mean(server, "gc_gen2_per_second"),
            HeapBytes = Mean(server, "gc_heap_bytes"),
            QueuedWorkItems = Mean(server, "thread_pool_queue"),
            Keys = store.Count,
            LimitBytes = store.MemoryLimitBytes,
            ResidentBytes = Environment.WorkingSet,
            AvailableBytes = CacheOptions.AvailableMemoryBytes,
            ClientsMax = server.Settings.MaxClients,
            FilesProblem = server.Durability?.Failure?.Message,
            IsLoading = server.IsLoading,
            ClockStepSeconds = server.ClockSteps.LargestSince(server.NowMs - IdleMsMin),
        };
        return WithSlowCalls(WithKeys(WithClients(WithCurve(figures, server), server), server, readsEntries), server);
    }

    private static double Mean(ServerState server, string series)
    {
        var points = server.History.Read(
            HistorySeries.IndexOf(series), server.UnixSeconds - RateSeconds, isCoarse: false);
        double sum = 0;
        foreach (var (_, value) in points)
            sum += value;
        return points.Count == 0 ? 0 : sum / points.Count;
    }

    private static DoctorFigures WithCurve(DoctorFigures figures, ServerState server)
    {
        if (server.Store.GetHitRatioCurve() is not { IsKnown: true } curve)
            return figures;
        return figures with
        {
            HitRatio = curve.HitRatioAt(figures.LimitBytes),
            DoubledHitRatio = curve.HitRatioAt(2 * figures.LimitBytes),
        };
    }

    private static DoctorFigures WithClients(DoctorFigures figures, ServerState server)
    {
        var clients = server.Clients.ToList();
        int idle = 0;
        ClientSession? slowest = null;
        foreach (var client in clients)
        {
            idle += server.NowMs - client.LastInteractionMs >= IdleMsMin ? 1 : 0;
            if (client.PendingOutputBytes > (slowest?.PendingOutputBytes ?? 0))
                slowest = client;
        }

        return figures with
        {
            Clients = clients.Count,
            IdleClients = idle,
            UnreadBytes = slowest?.PendingOutputBytes ?? 0,
            SlowestReader = slowest is null ? "" : FormattableString.Invariant(
                $"The client {slowest.Id} at {slowest.EndPoints.Remote}{NameOf(slowest)}"),
        };
    }

    private static string NameOf(ClientSession client) =>
        client.Name.Length == 0 ? "" : $", '{Shown(client.Name)}',";

    private static DoctorFigures WithKeys(DoctorFigures figures, ServerState server, bool readsEntries)
    {
        foreach (var key in server.Statistics.GetHotKeys(server.TimeProvider.GetTimestamp()))
        {
            double share = figures.CommandsPerSecond <= 0 ? 0 : Math.Min(1, key.Rate / figures.CommandsPerSecond);
            if (share > figures.HotKeyShare)
                figures = figures with { HotKey = Shown(key.Key), HotKeyShare = share };
            long length =
                readsEntries && server.Databases[key.Database].TryPeekInfo(key.Key, out var info) ? info.Length : 0;
            double traffic = figures.TrafficPerSecond <= 0
                ? 0
                : Math.Min(1, key.Rate * length / figures.TrafficPerSecond);
            if (traffic > figures.HeaviestKeyShare)
            {
                figures = figures with
                {
                    HeaviestKey = Shown(key.Key),
                    HeaviestKeyLength = length,
                    HeaviestKeyShare = traffic,
                };
            }
        }

        return figures;
    }

    private static DoctorFigures WithSlowCalls(DoctorFigures figures, ServerState server)
    {
        long since = server.UnixSeconds - LookBackSeconds;
        var sums = new Dictionary<string, (int Calls, double Sum, double Longest, string Client)>();
        foreach (var call in server.SlowLog.GetLast(SlowLog.LengthMax))
        {
            if (call.AtUnixSeconds < since || call.Arguments.Length == 0)
                continue;
            string name = Shown(call.Arguments[0]).ToLowerInvariant();
            var sum = sums.GetValueOrDefault(name);
            double milliseconds = call.Value / MicrosecondsPerMillisecond;
            string client = milliseconds > sum.Longest ? call.Client : sum.Client;
            sums[name] = (sum.Calls + 1, sum.Sum + milliseconds, Math.Max(sum.Longest, milliseconds), client);
        }

        foreach (var (name, sum) in sums)
        {
            if (sum.Sum <= figures.SlowMilliseconds)
                continue;
            figures = figures with
            {
                SlowCommand = name,
                SlowCalls = sum.Calls,
                SlowMilliseconds = sum.Sum,
                SlowestMilliseconds = sum.Longest,
                SlowClient = sum.Client,
            };
        }

        return figures;
    }

    // What a client chose: printable, and no longer than a sentence allows.
    private static string Shown(ReadOnlySpan<byte> bytes)
    {
        var text = new StringBuilder();
        foreach (byte one in bytes[..Math.Min(bytes.Length, KeyBytesShown)])
            text.Append(one is >= (byte)' ' and < 0x7F ? (char)one : '?');
        return text.Append(bytes.Length > KeyBytesShown ? "…" : "").ToString();
    }
}
