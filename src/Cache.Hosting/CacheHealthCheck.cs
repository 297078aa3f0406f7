using System.Globalization;
using Cache.Core;
using Cache.Durability;
using Microsoft.Extensions.Diagnostics.HealthChecks;

namespace Cache.Hosting;

/// <summary>
/// Reports that a store has refused a write lately, or was disposed, and the state of its files.
/// </summary>
/// <remarks>
/// The time of the last refusal is in the store, not in the check: several probes get the same answer.
/// </remarks>
internal sealed class CacheHealthCheck(CacheStore store, TimeSpan window, CacheDurability? durability = null)
    : IHealthCheck
{
    public Task<HealthCheckResult> CheckHealthAsync(
        HealthCheckContext context, CancellationToken cancellationToken = default)
    {
        if (store.IsDisposed)
            return Task.FromResult(HealthCheckResult.Unhealthy("The store was disposed."));
        if (durability?.GetStatus() is { } files && FindTrouble(files) is { } trouble)
            return Task.FromResult(trouble);
        var statistics = store.GetStatistics();
        long lastMs = statistics.LastRefusedWriteMs;
        bool refuses = lastMs > 0 && store.NowMs - lastMs < window.TotalMilliseconds;
        string text = refuses ? Refusal(statistics) : "The store takes writes.";
        var data = Figures(statistics);
        return Task.FromResult(
            refuses ? HealthCheckResult.Degraded(text, data: data) : HealthCheckResult.Healthy(text, data));
    }

    private static HealthCheckResult? FindTrouble(DurabilityStatus files)
    {
        var culture = CultureInfo.InvariantCulture;
        if (files.IsLoading)
        {
            return HealthCheckResult.Unhealthy(string.Create(
                culture, $"The store loads its files: {files.LoadedBytes} of {files.LoadTotalBytes} bytes."));
        }

        if (files.SuspendedBecause is { } reason)
            return HealthCheckResult.Degraded($"The journal cannot be written: {reason}");
        return files.SaveFailedBecause is { } problem
            ? HealthCheckResult.Degraded($"The last snapshot could not be written: {problem}")
            : null;
    }

    private static Dictionary<string, object> Figures(in CacheStatistics statistics) => new()
    {
        ["entries"] = statistics.Count,
        ["bytes"] = statistics.MemoryBytes,
        ["limitBytes"] = statistics.MemoryLimitBytes,
        ["hits"] = statistics.Hits,
        ["misses"] = statistics.Misses,
        ["evictions"] = statistics.Evictions,
        ["refusedWrites"] = statistics.RefusedWrites,
    };

    private string Refusal(in CacheStatistics statistics) => string.Create(
        CultureInfo.InvariantCulture,
        $"The store refuses writes, the last {store.NowMs - statistics.LastRefusedWriteMs} ms ago: it holds "
        + $"{statistics.MemoryBytes} of {statistics.MemoryLimitBytes} bytes, and may evict "
        + $"{EvictableBy(store.Eviction)}. Raise MemoryLimitBytes, or let it evict more.");

    private static string EvictableBy(EvictionPolicy policy) => policy switch
    {
        EvictionPolicy.AllEntries => "any entry, but a value may be larger than the limit",
        EvictionPolicy.ExpiringEntries => "only entries with an expiry (ExpiringEntries)",
        _ => "nothing (None)",
    };
}
