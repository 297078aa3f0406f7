using Cache.Core;

namespace Cache.Server.Commands.Sets;

/// <summary>Takes only the number of members.</summary>
internal struct CountSink : IMemberSink
{
    public long Count { get; private set; }

    public readonly bool IsFull => true;

    public void Begin(long count) => Count = count;

    public readonly void Take(scoped ReadOnlySpan<byte> member)
    {
    }
}
