using Cache.Core;

namespace Cache.Testing;

/// <summary>Takes indexes of a list.</summary>
internal struct IndexListSink() : IIndexSink
{
    /// <summary>What was announced; −1: nothing.</summary>
    public long Count { get; private set; } = -1;

    public List<long> Indexes { get; } = [];

    public void Begin(long count) => Count = count;

    public readonly void Take(long index) => Indexes.Add(index);
}
