namespace Cache.Server.Cluster;

/// <summary>A map as one of its servers sees it. Immutable.</summary>
/// <param name="map">The map.</param>
/// <param name="self">The server, which the map may not name any more.</param>
internal sealed class SlotView(SlotMap map, ShardNode self)
{
    public SlotMap Map => map;

    /// <summary>The index of the server; <see cref="SlotMap.Nobody"/>: it is not in the map.</summary>
    public int SelfIndex { get; } = map.IndexOf(self);

    /// <summary>Whether each slot has an owner.</summary>
    public bool IsComplete { get; } = map.AssignedCount == Cache.Protocol.KeySlot.Count;

    /// <summary>Whether the server owns a slot.</summary>
    public bool Owns(int slot) => SelfIndex != SlotMap.Nobody && map.OwnerOf(slot) == SelfIndex;
}
