namespace Cache.Server.Cluster;

/// <summary>Slots in a row that one server owns.</summary>
/// <param name="First">The first one.</param>
/// <param name="Last">The last one.</param>
/// <param name="Owner">The index of the server in the map.</param>
internal readonly record struct OwnedSlots(int First, int Last, int Owner);
