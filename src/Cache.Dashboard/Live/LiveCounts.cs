using Cache.Server.Commands.Dispatch;
using Cache.Server.Statistics;

namespace Cache.Dashboard.Live;

/// <summary>Counters at a moment; a sample is the difference of two.</summary>
internal readonly record struct LiveCounts
{
    /// <summary>The moment, in ticks of the server's clock.</summary>
    public long At { get; private init; }

    public TrafficCount Traffic { get; private init; }

    public Core.CacheStatistics Store { get; private init; }

    public long Errors { get; private init; }

    public long RejectedClients { get; private init; }

    /// <summary>What the process has used of processors.</summary>
    public TimeSpan ProcessorTime { get; private init; }

    public static LiveCounts Of(ServerState server) => new()
    {
        At = server.TimeProvider.GetTimestamp(),
        Traffic = server.Statistics.SumTraffic(),
        Store = server.Store.GetStatistics(),
        Errors = server.Statistics.GetErrors().Total,
        RejectedClients = server.Clients.RejectedCount,
        ProcessorTime = Environment.CpuUsage.TotalTime,
    };
}
