using Cache.Core.Layout;

namespace Cache.Core.Sharding;

/// <summary>What is known of a value that was copied from its home bucket.</summary>
internal struct PlainRead
{
    public Bucket Home;
    public uint Version;
    public int Slot;
    public int Length;
}
