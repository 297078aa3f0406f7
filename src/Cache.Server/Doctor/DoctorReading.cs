using Cache.Core;
using Cache.Server.Clients;
using Cache.Server.Commands.Dispatch;
using Cache.Server.Keyspace;
using Cache.Server.Statistics;

namespace Cache.Server.Doctor;

/// <summary>Reads the figures of a running server.</summary>
internal static class DoctorReading
{
    private const int RateSeconds = 60;
    private const int LookBackSeconds = 600;
    private const long IdleMsMin = LookBackSeconds * 1000;
    private const double MicrosecondsPerMillisecond = 1000;

    /// <param name="server">The server.</param>
    /// <param name="readsEntries">
    /// Whether the lengths of hot values are looked up; that waits, within a bound, for a thread which holds an entry.
    /// </param>
    public static DoctorFigures Of(ServerState server, bool readsEntries = true) =>
        Of(server, new PlainNames(), readsEntries);

    /// <param name="server">The server.</param>
    /// <param name="names">How keys, clients and other texts are named.</param>
    /// <param name="readsEntries">Whether the lengths of hot values are looked up.</param>
    public static DoctorFigures Of(ServerState server, FigureNames names, bool readsEntries = true)
    {
        var store = server.Store.GetStatistics();
        var figures = WithRates(
            new DoctorFigures
            {
                Processors = Environment.ProcessorCount,
                Keys = store.Count,
                LimitBytes = store.MemoryLimitBytes,
                ResidentBytes = Environment.WorkingSet,
                AvailableBytes = CacheOptions.AvailableMemoryBytes,
                ClientsMax = server.Settings.MaxClients,
                FilesProblem = server.Durability?.Failure is { } failure ? names.OfProblem(failure) : null,
                IsLoading = server.IsLoading,
                ClockStepSeconds = server.ClockSteps.LargestSince(server.NowMs - IdleMsMin),
            },
            series => Mean(server, series));
        figures = WithClients(WithCurve(figures, server), server, names);
        return WithSlowCalls(WithKeys(figures, server, names, readsEntries), server, names);
    }

    /// <summary>The figures with the rates of a minute.</summary>
    /// <param name="figures">The others.</param>
    /// <param name="mean">The mean of a series of the history in that minute.</param>
    public static DoctorFigures WithRates(DoctorFigures figures, Func<string, double> mean) => figures with
    {
        CommandsPerSecond = mean("commands_per_second"),
        WritesPerSecond = mean("writes_per_second"),
        EvictionsPerSecond = mean("evictions_per_second"),
        RefusedWritesPerSecond = mean("refused_writes_per_second"),
        RefusedLogInsPerSecond = mean("refused_logins_per_second"),
        RejectedConnectionsPerSecond = mean("rejected_connections_per_second"),
        TrafficPerSecond = mean("input_bytes_per_second") + mean("output_bytes_per_second"),
        ProcessorPercent = mean("cpu_user_percent") + mean("cpu_system_percent"),
        PauseMsPerSecond = mean("gc_pause_ms_per_second"),
        FullCollectionsPerSecond = mean("gc_gen2_per_second"),
        HeapBytes = mean("gc_heap_bytes"),
        QueuedWorkItems = mean("thread_pool_queue"),
    };

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

    private static DoctorFigures WithClients(DoctorFigures figures, ServerState server, FigureNames names)
    {
        var clients = server.Clients.ToList();
        int idle = 0;
        ClientSession? slowest = null;
        long unread = 0;
        foreach (var client in clients)
        {
            idle += server.NowMs - client.LastInteractionMs >= IdleMsMin && !client.IsAttentive ? 1 : 0;
            if (client.UnreadBytes > unread)
                (slowest, unread) = (client, client.UnreadBytes);
        }

        return figures with
        {
            Clients = clients.Count,
            IdleClients = idle,
            UnreadBytes = unread,
            ReadsMessages = slowest is { IsAttentive: true },
            SlowestReader = slowest is null ? "" : FormattableString.Invariant(
                $"The client {slowest.Id} at {names.OfAddress(slowest.EndPoints.Remote)}{NameOf(slowest, names)}"),
        };
    }

    private static string NameOf(ClientSession client, FigureNames names) =>
        client.Name.Length == 0 ? "" : $", '{names.OfClient(client.Name)}',";

    private static DoctorFigures WithKeys(
        DoctorFigures figures, ServerState server, FigureNames names, bool readsEntries)
    {
        var keys = server.Statistics.GetHotKeys(server.TimeProvider.GetTimestamp());
        long[] lengths = readsEntries ? HotKeyLengths.Read(server, keys) : new long[keys.Count];
        for (int i = 0; i < keys.Count; i++)
        {
            var key = keys[i];
            long length = Math.Max(0, lengths[i]);
            double share = figures.CommandsPerSecond <= 0 ? 0 : Math.Min(1, key.Rate / figures.CommandsPerSecond);
            if (share > figures.HotKeyShare)
                figures = figures with { HotKey = names.OfKey(key.Key), HotKeyShare = share };
            double traffic = figures.TrafficPerSecond <= 0
                ? 0
                : Math.Min(1, key.Rate * length / figures.TrafficPerSecond);
            if (traffic > figures.HeaviestKeyShare)
            {
                figures = figures with
                {
                    HeaviestKey = names.OfKey(key.Key),
                    HeaviestKeyLength = length,
                    HeaviestKeyShare = traffic,
                };
            }
        }

        return figures;
    }

    // CACHE PACKAGE takes long, away from other clients: who looks at a server is not what is wrong with it.
    private static bool IsOfOurs(ServerState server, SlowRequest call) =>
        server.Commands.Find(call.Arguments[0]) is { Name: "cache" };

    private static DoctorFigures WithSlowCalls(DoctorFigures figures, ServerState server, FigureNames names)
    {
        long since = server.UnixSeconds - LookBackSeconds;
        var sums = new Dictionary<string, (int Calls, double Sum, double Longest, string Client)>();
        foreach (var call in server.SlowLog.GetLast(SlowLog.LengthMax))
        {
            if (call.AtUnixSeconds < since || call.Arguments.Length == 0 || IsOfOurs(server, call))
                continue;
            string name = names.OfCommand(server, call).ToLowerInvariant();
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
                SlowClient = names.OfAddress(sum.Client),
            };
        }

        return figures;
    }
}
