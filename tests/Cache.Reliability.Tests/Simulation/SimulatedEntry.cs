namespace Cache.Reliability.Tests.Simulation;

/// <summary>A value of the model, and when it expires; 0: never.</summary>
internal readonly record struct SimulatedEntry(string Value, long ExpiresAtMs);
