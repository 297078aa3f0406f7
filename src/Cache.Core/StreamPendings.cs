using System.Buffers.Binary;
using Cache.Core.Collections.Objects;

namespace Cache.Core;

/// <summary>
/// Entries of a stream's snapshot that were not acknowledged, by their ids; valid until that is disposed.
/// </summary>
public ref struct StreamPendings
{
    private readonly StreamView _stream;
    private readonly uint _group;
    private readonly uint _consumer;
    private StreamElements _elements;
    private StreamPending _state;
    private StreamId _id;

    // consumer: The number of the only one; 0: all.
    internal StreamPendings(StreamView stream, uint group, uint consumer, StreamId from)
    {
        _stream = stream;
        _group = group;
        _consumer = consumer;
        Span<byte> name = stackalloc byte[sizeof(uint) + StreamElement.IdSize];
        BinaryPrimitives.WriteUInt32BigEndian(name, consumer);
        StreamElement.WriteId(name[sizeof(uint)..], from);
        _elements = consumer == 0
            ? new StreamElements(stream, StreamElement.Pending, group, name[sizeof(uint)..])
            : new StreamElements(stream, StreamElement.PendingOfConsumer, group, name);
    }

    /// <summary>The name of the consumer that has the present entry.</summary>
    public readonly ReadOnlySpan<byte> Consumer => _stream.NameOf(_group, _state.Consumer);

    /// <summary>What is known of the present entry.</summary>
    public readonly StreamPendingInfo Current => new()
    {
        Id = _id,
        DeliveredUnixMs = _state.DeliveredMs,
        Deliveries = _state.Deliveries,
    };

    /// <summary>Goes to the next entry; at first, to the first one.</summary>
    /// <returns>False behind the last one.</returns>
    public bool MoveNext()
    {
        if (_group == 0 || !_elements.MoveNext())
            return false;
        var name = _elements.Name;
        if (_consumer == 0)
        {
            (_id, _state) = (StreamElement.ReadId(name), StreamPending.Read(_elements.Value));
            return true;
        }

        if (name.Length < sizeof(uint) || BinaryPrimitives.ReadUInt32BigEndian(name) != _consumer)
            return false;
        _id = StreamElement.ReadId(name[sizeof(uint)..]);
        return _stream.TryFindPending(_group, _id, out _state);
    }
}
