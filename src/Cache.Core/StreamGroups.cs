using Cache.Core.Collections.Objects;
using Cache.Core.Collections.Streams;

namespace Cache.Core;

/// <summary>The groups of a stream's snapshot, by their names; valid until that is disposed.</summary>
public ref struct StreamGroups
{
    private readonly StreamView _stream;
    private readonly StreamInfo _info;
    private StreamElements _elements;

    internal StreamGroups(StreamView stream, scoped in StreamInfo info)
    {
        _stream = stream;
        _info = info;
        _elements = new StreamElements(stream, StreamElement.Group, 0, default);
    }

    /// <summary>The present group's name.</summary>
    public readonly ReadOnlySpan<byte> Name => _elements.Name;

    /// <summary>What is known of the present group.</summary>
    public readonly StreamGroupInfo Current => InfoOf(_stream, _info, StreamGroup.Read(_elements.Value));

    /// <summary>Goes to the next group; at first, to the first one.</summary>
    /// <returns>False behind the last one.</returns>
    public bool MoveNext() => _elements.MoveNext();

    internal static StreamGroupInfo InfoOf(in StreamView stream, in StreamInfo info, in StreamGroup group)
    {
        var (first, last) = stream.FindPendingEnds(group.Number);
        return new StreamGroupInfo
        {
            LastDeliveredId = group.Last,
            EntriesRead = group.EntriesRead == StreamGroup.Unknown ? null : group.EntriesRead,
            Lag = GroupCounts.LagOf(stream.Header, info.FirstId, group),
            Consumers = stream.CountOf(StreamElement.Consumer, group.Number),
            Pending = stream.CountOf(StreamElement.Pending, group.Number),
            FirstPendingId = first,
            LastPendingId = last,
        };
    }
}
