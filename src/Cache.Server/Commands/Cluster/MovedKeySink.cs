using Cache.Core;
using Cache.Protocol;

namespace Cache.Server.Commands.Cluster;

/// <summary>Adds the keys of certain slots to a list.</summary>
/// <param name="slots">Which slots.</param>
/// <param name="found">Takes the keys.</param>
internal readonly struct MovedKeySink(bool[] slots, List<byte[]> found) : IKeySink
{
    public bool IsFull => false;

    public void Take(ReadOnlySpan<byte> key)
    {
        if (slots[KeySlot.Of(key)])
            found.Add(key.ToArray());
    }
}
