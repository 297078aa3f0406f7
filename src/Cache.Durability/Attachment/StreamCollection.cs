using Cache.Core;
using Cache.Core.Collections.Objects;
using Cache.Core.Collections.Streams;

namespace Cache.Durability.Attachment;

/// <summary>Makes the form that a stream has in a file, from its parts in order.</summary>
/// <remarks>One thread at a time.</remarks>
internal sealed class StreamCollection
{
    // Of one stream: what can be in memory twice, once as it is read and once as it is written.
    private const int BytesMax = 1 << 30;

    private static readonly int _headSize =
        ElementReader.PrefixSize + ElementReader.SizeOf(nameLength: 1, StreamHeader.Size);

    private byte[] _bytes = [];
    private uint _lastNumber;
    private uint _group;
    private uint _consumer;

    // The names of the last entry's fields: where they are.
    private int _shapeAt;
    private int _shapeLength;

    /// <summary>The bytes, from the start of the array on.</summary>
    public byte[] Bytes => _bytes;

    public int Length { get; private set; }

    /// <summary>Whether it has more than a store takes: then it is none.</summary>
    public bool IsTooLong { get; private set; }

    /// <summary>Forgets its memory.</summary>
    public void Trim() => (_bytes, Length) = ([], 0);

    /// <summary>Begins a stream.</summary>
    public void Begin()
    {
        (_lastNumber, _group, _consumer, IsTooLong, Length) = (0, 0, 0, false, 0);
        (_shapeAt, _shapeLength) = (0, 0);
        Length = TryReserve(_headSize) ? _headSize : 0;
    }

    public void AddEntry<TFields>(StreamId id, ref TFields fields)
        where TFields : struct, IEntrySource
    {
        long length = NewEntry.LengthOf(ref fields, out int shapeLength);
        Span<byte> name = stackalloc byte[StreamElement.EntryNameSize];
        StreamElement.NameEntry(name, id);
        if (length > BytesMax)
            IsTooLong = true;
        else if (TryReserve(ElementReader.SizeOf(name.Length, (int)length)))
            AddEntry(name, ref fields, (int)length, shapeLength);
    }

    // Without its names, where they are those of the entry before.
    private void AddEntry<TFields>(ReadOnlySpan<byte> name, ref TFields fields, int length, int shapeLength)
        where TFields : struct, IEntrySource
    {
        int start = Length;
        var value = Put(name, length);
        NewEntry.Write(ref fields, shapeLength, value);
        StreamElement.TrySplit(value, out var shape, out var values);
        if (!shape.SequenceEqual(_bytes.AsSpan(_shapeAt, _shapeLength)))
        {
            _shapeAt = Length - values.Length - shape.Length;
            _shapeLength = StreamElement.InheritedOf(shape).Length;
            return;
        }

        value[0] = 0;
        values.CopyTo(value[1..]);
        Length = start;
        Put(name, 1 + values.Length);
    }

    public void AddGroup(ReadOnlySpan<byte> group, StreamId last, long entriesRead)
    {
        _group = ++_lastNumber;
        Span<byte> name = stackalloc byte[1 + StreamElement.NameLengthMax];
        if (!TryName(name, 1, group))
            return;
        name[0] = StreamElement.Group;
        if (TryReserve(ElementReader.SizeOf(1 + group.Length, StreamGroup.Size)))
            new StreamGroup(_group, last, entriesRead).Write(Put(name[..(1 + group.Length)], StreamGroup.Size));
    }

    /// <summary>Adds a consumer of the last group.</summary>
    public void AddConsumer(ReadOnlySpan<byte> consumer, long seenMs)
    {
        const int Prefix = StreamElement.GroupPrefixSize;
        _consumer = ++_lastNumber;
        Span<byte> name = stackalloc byte[Prefix + StreamElement.NameLengthMax];
        if (!TryName(name, Prefix, consumer))
            return;
        StreamElement.NameOfGroup(name, StreamElement.Consumer, _group);
        if (TryReserve(ElementReader.SizeOf(Prefix + consumer.Length, StreamConsumer.Size)))
            new StreamConsumer(_consumer, seenMs).Write(Put(name[..(Prefix + consumer.Length)], StreamConsumer.Size));
    }

    /// <summary>Adds what the last consumer has not acknowledged.</summary>
    public void AddPending(StreamId id, long deliveredMs, long deliveries)
    {
        Span<byte> name = stackalloc byte[StreamElement.PendingNameSize];
        StreamElement.NamePending(name, _group, id);
        if (TryReserve(ElementReader.SizeOf(name.Length, StreamPending.Size)))
            new StreamPending(_consumer, deliveredMs, deliveries).Write(Put(name, StreamPending.Size));
    }

    /// <summary>Ends it.</summary>
    /// <param name="length">The number of entries.</param>
    /// <param name="added">The number that were ever added.</param>
    /// <param name="last">The last id.</param>
    /// <param name="maxRemoved">The greatest id of one that was removed.</param>
    /// <returns>False if it is too long.</returns>
    public bool TryComplete(long length, long added, StreamId last, StreamId maxRemoved)
    {
        if (IsTooLong)
            return false;
        int end = Length;
        _bytes.AsSpan(0, ElementReader.PrefixSize).Clear();
        Length = ElementReader.PrefixSize;
        new StreamHeader(length, added, last, maxRemoved, _lastNumber).Write(
            Put([StreamElement.Header], StreamHeader.Size));
        Length = end;
        return true;
    }

    private bool TryName(Span<byte> name, int prefix, ReadOnlySpan<byte> text)
    {
        IsTooLong |= text.Length > StreamElement.NameLengthMax;
        if (!IsTooLong)
            text.CopyTo(name[prefix..]);
        return !IsTooLong;
    }

    private bool TryReserve(int size)
    {
        IsTooLong |= size > BytesMax - Length;
        if (!IsTooLong && _bytes.Length - Length < size)
            Array.Resize(ref _bytes, Math.Max(Length + size, (int)Math.Min(2L * _bytes.Length, BytesMax)));
        return !IsTooLong;
    }

    // Writes the head and the name of an element; its value is written by the caller.
    private Span<byte> Put(ReadOnlySpan<byte> name, int valueLength)
    {
        int size = ElementReader.SizeOf(name.Length, valueLength);
        var value = _bytes.AsSpan(Length + size - valueLength, valueLength);
        ElementChanges.WriteHead(_bytes.AsSpan(Length), ElementAction.Put, name, valueLength);
        Length += size;
        return value;
    }
}
