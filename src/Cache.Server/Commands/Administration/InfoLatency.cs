using System.Globalization;
using System.Text;
using Cache.Server.Commands.Dispatch;
using Cache.Server.Statistics;

namespace Cache.Server.Commands.Administration;

/// <summary>The section Latencystats of INFO: percentiles of the durations of each command's calls.</summary>
internal static class InfoLatency
{
    private const double NanosecondsPerMicrosecond = 1000;

    public static void Append(InfoText text, ServerState server)
    {
        if (!server.Settings.TracksLatency)
            return;
        string[] percentiles = server.Settings.LatencyPercentiles.Split(' ', StringSplitOptions.RemoveEmptyEntries);
        foreach (var command in server.Commands.All)
        {
            var latencies = server.Statistics.SumLatencies(command.Index);
            if (latencies.Total > 0)
                text.Add("latency_percentiles_usec_" + command.Name, Format(latencies, percentiles));
        }
    }

    private static string Format(LatencyCounts latencies, string[] percentiles)
    {
        var text = new StringBuilder();
        foreach (string percentile in percentiles)
        {
            double value = double.Parse(percentile, CultureInfo.InvariantCulture);
            double microseconds = latencies.PercentileOf(value) / NanosecondsPerMicrosecond;
            text.Append(text.Length > 0 ? "," : "")
                .Append(CultureInfo.InvariantCulture, $"p{percentile}={microseconds:F3}");
        }

        return text.ToString();
    }
}
