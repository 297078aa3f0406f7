using Microsoft.AspNetCore.Http;

namespace Cache.Dashboard;

/// <summary>What the dashboard shows and allows beyond the figures.</summary>
/// <remarks>Set once, while the endpoints are mapped; not thread-safe.</remarks>
public sealed class CacheDashboardOptions
{
    /// <summary>
    /// Whether the one who asks may see values of keys; null, the default: nobody may. A question to the application's
    /// authorization, for example. Called for each value, by any thread.
    /// </summary>
    public Func<HttpContext, ValueTask<bool>>? ShowsValues { get; set; }

    /// <summary>
    /// Whether the one who asks may disconnect clients; null, the default: everybody may who sees the dashboard. Called
    /// for each attempt, by any thread.
    /// </summary>
    public Func<HttpContext, ValueTask<bool>>? EndsClients { get; set; }

    /// <summary>Where a program has the values of parameters from, by their names.</summary>
    internal IReadOnlyDictionary<string, string> Origins { get; set; } = new Dictionary<string, string>();
}
