namespace Cache.Server.Tracking;

/// <summary>How much is remembered, or by how much that changes.</summary>
/// <param name="Keys">The keys.</param>
/// <param name="Items">The pairs of a key and a client.</param>
/// <param name="UsedBytes">The bytes of these.</param>
/// <param name="HeldBytes">The bytes of memory.</param>
internal readonly record struct TrackedSize(long Keys, long Items, long UsedBytes, long HeldBytes)
{
    public static TrackedSize operator -(TrackedSize one, TrackedSize other) => new(
        one.Keys - other.Keys, one.Items - other.Items, one.UsedBytes - other.UsedBytes,
        one.HeldBytes - other.HeldBytes);
}
