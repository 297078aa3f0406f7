namespace Cache.Server.Metrics;

/// <summary>A label of a sample.</summary>
/// <param name="Name">Letters, digits and underscores.</param>
/// <param name="Value">Any text.</param>
internal readonly record struct MetricLabel(string Name, string Value);
