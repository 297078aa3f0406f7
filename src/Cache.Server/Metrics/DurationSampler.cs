using Cache.Server.Commands.Dispatch;
using Cache.Server.Commands.Table;
using Cache.Server.Statistics;

namespace Cache.Server.Metrics;

/// <summary>Takes one of 64 calls out of the histograms of durations, for collectors that want single ones.</summary>
/// <remarks>
/// The histograms are counted in any case; so a call costs nothing more while a collector listens. What remains of a
/// class below 64 counts the next time: in the long run each class gives exactly a 64th of its calls. For one thread at
/// a time.
/// </remarks>
/// <param name="server">Has the histograms.</param>
internal sealed class DurationSampler(ServerState server)
{
    /// <summary>The calls of which one is taken.</summary>
    public const int CallsPerSample = 64;

    // By command: the counts of the last time, less those that were not taken yet.
    private readonly long[]?[] _taken = new long[]?[server.Commands.All.Count];

    /// <summary>Forgets what was before: only later calls are taken.</summary>
    public void Begin()
    {
        foreach (var command in server.Commands.All)
            _taken[command.Index] = server.Statistics.SumLatencies(command.Index).Counts;
    }

    /// <summary>Takes samples of the calls since the last time.</summary>
    /// <param name="take">Gets the command and the duration in nanoseconds, the upper bound of its class.</param>
    public void Take(Action<CommandDefinition, long> take)
    {
        foreach (var command in server.Commands.All)
        {
            long[] counts = server.Statistics.SumLatencies(command.Index).Counts;
            long[] taken = _taken[command.Index] ??= new long[counts.Length];
            for (int i = 0; i < counts.Length; i++)
            {
                taken[i] = Math.Min(taken[i], counts[i]); // CONFIG RESETSTAT began anew.
                for (; counts[i] - taken[i] >= CallsPerSample; taken[i] += CallsPerSample)
                    take(command, LatencyHistogram.LongestOf(i));
            }
        }
    }
}
