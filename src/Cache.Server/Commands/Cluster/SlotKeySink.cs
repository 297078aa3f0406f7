using Cache.Core;
using Cache.Protocol;

namespace Cache.Server.Commands.Cluster;

/// <summary>Counts the keys of a slot, and adds the first of them to a list.</summary>
/// <param name="slot">The slot.</param>
/// <param name="kept">The most keys that are kept.</param>
/// <param name="progress">Takes them.</param>
internal readonly ref struct SlotKeySink(int slot, long kept, SlotKeysProgress progress) : IKeySink
{
    public bool IsFull => progress.Keys.IsTooLong;

    public void Take(ReadOnlySpan<byte> key)
    {
        if (KeySlot.Of(key) != slot)
            return;
        if (progress.Count++ < kept)
            progress.Keys.Add(key);
    }
}
