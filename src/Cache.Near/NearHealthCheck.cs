using Microsoft.Extensions.Diagnostics.HealthChecks;

namespace Cache.Near;

/// <summary>
/// Reports that local entries do not count now: the application works, and asks a server for each read.
/// </summary>
internal sealed class NearHealthCheck(NearCache cache) : IHealthCheck
{
    public Task<HealthCheckResult> CheckHealthAsync(
        HealthCheckContext context, CancellationToken cancellationToken = default)
    {
        var status = cache.Status;
        var data = new Dictionary<string, object>
        {
            ["entries"] = status.Entries,
            ["hits"] = status.Hits,
            ["fills"] = status.Fills,
            ["bypasses"] = status.Bypasses,
            ["unreachable"] = status.Unreachable,
            ["pushes"] = status.Pushes,
        };
        if (status.IsCoherent)
            return Task.FromResult(HealthCheckResult.Healthy("The near cache answers.", data));
        if (cache.Options.Coherence == NearCoherence.TimeOnly
            && OfTimeOnly(status.Nodes, status.IsListening, status.Advice, data) is { } result)
        {
            return Task.FromResult(result);
        }

        var bypassed = status.Nodes.Where(node => !node.IsCoherent)
            .Select(node => $"{node.Server} ({node.LastFailure ?? "no heartbeat was answered in time"})");
        string which = status.Nodes.Count == 0 ? WithoutNodes(status.Advice) : string.Join("; ", bypassed);
        return Task.FromResult(HealthCheckResult.Degraded($"The near cache is bypassed: {which}", data: data));
    }

    /// <summary>Why there is no node.</summary>
    public static string WithoutNodes(IReadOnlyList<string> advice) =>
        string.Join(' ', (IEnumerable<string>)["no primary is known.", .. advice]);

    /// <summary>With <see cref="NearCoherence.TimeOnly"/>; null: there is no link.</summary>
    public static HealthCheckResult? OfTimeOnly(
        IReadOnlyList<NearNodeStatus> nodes,
        bool isListening,
        IReadOnlyList<string> advice,
        Dictionary<string, object> data)
    {
        data["listening"] = isListening;
        if (nodes.Count == 0 || nodes.Any(static node => !node.IsCoherent))
            return null;
        string holds = string.Join(' ', advice);
        return isListening
            ? HealthCheckResult.Healthy(holds, data)
            : HealthCheckResult.Degraded($"No writes of other processes are heard of. {holds}", data: data);
    }
}
