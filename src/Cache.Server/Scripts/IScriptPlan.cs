namespace Cache.Server.Scripts;

/// <summary>How a simple script runs without being alone. Immutable.</summary>
#pragma warning disable CA1040 // The commands make it and use it; here it is only kept.
internal interface IScriptPlan;
#pragma warning restore CA1040
