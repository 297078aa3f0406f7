namespace Cache.Server.Statistics;

/// <summary>Commands and bytes per second.</summary>
internal readonly record struct Throughput(double Commands, double InputBytes, double OutputBytes);
