using Cache.Core;

namespace Cache.Server.Commands.Streams;

/// <summary>Counts the entries of a range; takes none.</summary>
internal struct CountingSink : IStreamSink
{
    public long Count { get; private set; }

    public readonly bool IsFull => true;

    public void Begin(long count) => Count = count;

    public readonly void Take(StreamId id, scoped StreamFields fields)
    {
    }
}
