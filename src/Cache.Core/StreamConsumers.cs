using Cache.Core.Collections.Objects;

namespace Cache.Core;

/// <summary>The consumers of a group of a stream's snapshot, by their names; valid until that is disposed.</summary>
public ref struct StreamConsumers
{
    private readonly StreamView _stream;
    private readonly uint _group;
    private StreamElements _elements;

    internal StreamConsumers(StreamView stream, uint group)
    {
        _stream = stream;
        _group = group;
        _elements = new StreamElements(stream, StreamElement.Consumer, group, default);
    }

    /// <summary>The present consumer's name.</summary>
    public readonly ReadOnlySpan<byte> Name => _elements.Name;

    /// <summary>What is known of the present consumer.</summary>
    public readonly StreamConsumerInfo Current => InfoOf(_stream, _group, StreamConsumer.Read(_elements.Value));

    /// <summary>Goes to the next consumer; at first, to the first one.</summary>
    /// <returns>False behind the last one.</returns>
    public bool MoveNext() => _group != 0 && _elements.MoveNext();

    internal static StreamConsumerInfo InfoOf(in StreamView stream, uint group, in StreamConsumer consumer) => new()
    {
        SeenUnixMs = consumer.SeenMs,
        Pending = stream.CountPendingOf(group, consumer.Number),
    };
}
