namespace Cache.Server.Statistics;

/// <summary>The longest wait for one cause in a second.</summary>
/// <param name="AtUnixSeconds">The second.</param>
/// <param name="Milliseconds">How long it took.</param>
internal readonly record struct LatencySample(long AtUnixSeconds, long Milliseconds);
