namespace Cache.Client;

/// <summary>Slots of a cluster that one primary has.</summary>
/// <param name="First">The first slot.</param>
/// <param name="Last">The last one, included.</param>
/// <param name="NodeId">The primary's name; empty: the server does not tell it.</param>
/// <param name="Address">Where the primary listens.</param>
internal readonly record struct SlotRange(int First, int Last, string NodeId, ServerAddress Address);
