namespace Cache.Reliability.Tests.Simulation;

/// <summary>What a simulation went through.</summary>
internal sealed record SimulationReport(
    long Requests, double Hours, long Evictions, long Expirations, int Reconnects, int LimitChanges,
    int WallClockChanges, int Clears, string TraceHash);
