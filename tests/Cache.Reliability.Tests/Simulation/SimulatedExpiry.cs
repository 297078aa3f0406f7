namespace Cache.Reliability.Tests.Simulation;

/// <summary>When a value expires: a moment of the wall clock, or one of the time that only passes; 0: never.</summary>
internal readonly record struct SimulatedExpiry(long AtMs, bool IsOfWall)
{
    public bool IsNever => AtMs == 0;
}
