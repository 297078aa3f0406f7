using Microsoft.Extensions.Diagnostics.HealthChecks;

namespace Cache.Near.Hybrid;

/// <summary>
/// Reports that the values of a hybrid cache do not count now: the application works, and asks the second level.
/// </summary>
internal sealed class HybridHealthCheck(HybridCoherer coherer) : IHealthCheck
{
    public Task<HealthCheckResult> CheckHealthAsync(
        HealthCheckContext context, CancellationToken cancellationToken = default)
    {
        var status = coherer.Status;
        var data = new Dictionary<string, object>
        {
            ["coherent"] = status.IsCoherent,
            ["bypasses"] = status.Bypasses,
            ["pushes"] = status.Pushes,
            ["clears"] = status.Clears,
        };
        if (status.IsCoherent)
            return Task.FromResult(HealthCheckResult.Healthy("The second level tells of its changes.", data));
        if (coherer.Options.Coherence == NearCoherence.TimeOnly
            && NearHealthCheck.OfTimeOnly(status.Nodes, status.IsListening, status.Advice, data) is { } result)
        {
            return Task.FromResult(result);
        }

        var lost = status.Nodes.Where(node => !node.IsCoherent)
            .Select(node => $"{node.Server} ({node.LastFailure ?? "no heartbeat was answered in time"})");
        string which = status.Nodes.Count == 0
            ? NearHealthCheck.WithoutNodes(status.Advice)
            : status.IsProved ? string.Join("; ", lost) : status.LastProofFailure ?? "the prefix is not proved yet";
        return Task.FromResult(HealthCheckResult.Degraded(
            $"The values of the hybrid cache in this process do not count: {which}", data: data));
    }
}
