using Cache.Core;

namespace Cache.Server.Commands.SortedSets;

/// <summary>Takes only the number of members.</summary>
internal struct ScoredCountSink : IScoredMemberSink
{
    public long Count { get; private set; }

    public readonly bool IsFull => true;

    public void Begin(long count) => Count = count;

    public readonly void Take(scoped ReadOnlySpan<byte> member, double score)
    {
    }
}
