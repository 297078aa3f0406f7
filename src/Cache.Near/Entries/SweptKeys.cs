using Cache.Core;
using Cache.Protocol;

namespace Cache.Near.Entries;

/// <summary>Collects the keys of slots from a scan.</summary>
internal readonly struct SweptKeys(bool[] isSwept) : IKeySink
{
    public List<byte[]> Found { get; } = [];

    public bool IsFull => false;

    public void Take(ReadOnlySpan<byte> key)
    {
        if (isSwept[KeySlot.Of(key)])
            Found.Add(key.ToArray());
    }
}
