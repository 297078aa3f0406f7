namespace Cache.Reliability.Tests.Simulation;

/// <summary>A value of the model, and when it expires.</summary>
internal readonly record struct SimulatedEntry(string Value, SimulatedExpiry Expiry);
