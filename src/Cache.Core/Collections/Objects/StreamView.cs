using System.Buffers.Binary;
using Cache.Core.Collections.Trees;
using Cache.Core.Layout;

namespace Cache.Core.Collections.Objects;

/// <summary>
/// The trees of a stream, for who reads them; what an <see cref="ObjectView"/> says of torn ones holds.
/// </summary>
/// <remarks>
/// The first tree has the header, groups, consumers, and what is pending; it is never empty. The second one has the
/// entries, by blocks (<see cref="StreamBlock"/>); an entry that is too long for a page is a stub.
/// </remarks>
internal readonly struct StreamView(ObjectView view)
{
    /// <summary>What the stream knows of itself.</summary>
    public StreamHeader Header =>
        Elements.TryFind(0, default, out var entry) ? StreamHeader.Read(entry.Value) : default;

    /// <summary>All but the entries.</summary>
    public TreeReader<ByNumber> Elements => view.First<ByNumber>();

    /// <summary>The entries, by blocks.</summary>
    public TreeReader<ByNumber> Blocks => view.Second<ByNumber>();

    /// <summary>The object's view.</summary>
    public ObjectView Object => view;

    public bool TryFindGroup(ReadOnlySpan<byte> name, out StreamGroup group)
    {
        bool isFound = Elements.TryFind(StreamElement.KeyOf(StreamElement.Group, 0), name, out var entry);
        group = isFound ? StreamGroup.Read(entry.Value) : default;
        return isFound;
    }

    public bool TryFindConsumer(uint group, ReadOnlySpan<byte> name, out StreamConsumer consumer)
    {
        bool isFound = Elements.TryFind(StreamElement.KeyOf(StreamElement.Consumer, group), name, out var entry);
        consumer = isFound ? StreamConsumer.Read(entry.Value) : default;
        return isFound;
    }

    /// <summary>The name of a consumer; empty if there is none.</summary>
    public ReadOnlySpan<byte> NameOf(uint group, uint consumer)
    {
        Span<byte> number = stackalloc byte[sizeof(uint)];
        BinaryPrimitives.WriteUInt32BigEndian(number, consumer);
        ulong key = StreamElement.KeyOf(StreamElement.NameOfConsumer, group);
        var cursor = Elements.AtOrAbove(key, number);
        return cursor.IsValid && cursor.Key == key && cursor.Entry.Name.SequenceEqual(number)
            ? cursor.Entry.Value
            : default;
    }

    public bool TryFindPending(uint group, StreamId id, out StreamPending pending)
    {
        Span<byte> name = stackalloc byte[StreamElement.IdSize];
        StreamElement.WriteId(name, id);
        bool isFound = Elements.TryFind(StreamElement.KeyOf(StreamElement.Pending, group), name, out var entry);
        pending = isFound ? StreamPending.Read(entry.Value) : default;
        return isFound;
    }

    /// <summary>Whether a group has gone, of which this stream still has elements.</summary>
    public bool IsGone(uint group)
    {
        Span<byte> name = stackalloc byte[StreamElement.GroupPrefixSize];
        StreamElement.NameOfGroup(name, StreamElement.Gone, group);
        return Elements.TryFind(StreamElement.KeyOf(name, out var rest), rest, out _);
    }

    /// <summary>How many elements of a tag and a group there are.</summary>
    public uint CountOf(byte tag, uint group)
    {
        var elements = Elements;
        return elements.CountBelow(StreamElement.KeyOf(tag, group) + 1, default)
            - elements.CountBelow(StreamElement.KeyOf(tag, group), default);
    }

    /// <summary>How many entries a consumer has to acknowledge.</summary>
    public uint CountPendingOf(uint group, uint consumer)
    {
        Span<byte> prefix = stackalloc byte[sizeof(uint)];
        var elements = Elements;
        ulong key = StreamElement.KeyOf(StreamElement.PendingOfConsumer, group);
        BinaryPrimitives.WriteUInt32BigEndian(prefix, consumer);
        uint before = elements.CountBelow(key, prefix);
        BinaryPrimitives.WriteUInt32BigEndian(prefix, consumer + 1);
        return elements.CountBelow(key, prefix) - before;
    }

    /// <summary>The least and the greatest id that is pending in a group; 0-0: there is none.</summary>
    public (StreamId First, StreamId Last) FindPendingEnds(uint group)
    {
        var elements = Elements;
        uint count = CountOf(StreamElement.Pending, group);
        if (count == 0)
            return default;
        uint first = elements.CountBelow(StreamElement.KeyOf(StreamElement.Pending, group), default);
        var least = elements.At(first);
        var greatest = elements.At(first + count - 1);
        return (
            least.IsValid ? StreamElement.ReadId(least.Entry.Name) : default,
            greatest.IsValid ? StreamElement.ReadId(greatest.Entry.Name) : default);
    }

    /// <summary>A cursor at the first element that is pending in a group from an id on.</summary>
    public TreeCursor<ByNumber> PendingFrom(uint group, StreamId id)
    {
        Span<byte> name = stackalloc byte[StreamElement.IdSize];
        StreamElement.WriteId(name, id);
        return Elements.AtOrAbove(StreamElement.KeyOf(StreamElement.Pending, group), name);
    }

    /// <summary>The same of a consumer; the names are its number and the id.</summary>
    public TreeCursor<ByNumber> PendingFrom(uint group, uint consumer, StreamId id)
    {
        Span<byte> name = stackalloc byte[sizeof(uint) + StreamElement.IdSize];
        BinaryPrimitives.WriteUInt32BigEndian(name, consumer);
        StreamElement.WriteId(name[sizeof(uint)..], id);
        return Elements.AtOrAbove(StreamElement.KeyOf(StreamElement.PendingOfConsumer, group), name);
    }

    /// <summary>A cursor at the block that may have an id, else at the first one behind it.</summary>
    public TreeCursor<ByNumber> BlockFor(StreamId id)
    {
        Span<byte> sequence = stackalloc byte[sizeof(ulong)];
        BinaryPrimitives.WriteUInt64BigEndian(sequence, id.Sequence);
        var cursor = Blocks.AtOrAbove(id.Milliseconds, sequence);
        if (cursor.IsValid && FirstIdOf(cursor) == id)
            return cursor;
        var before = cursor;
        return before.MovePrevious() ? before : cursor;
    }

    /// <summary>The id that a block begins with.</summary>
    public static StreamId FirstIdOf(in TreeCursor<ByNumber> cursor) => FirstIdOf(cursor.Key, cursor.Entry);

    /// <summary>The same of the block's key and element.</summary>
    public static StreamId FirstIdOf(ulong key, scoped in TreeEntry block)
    {
        var name = block.Name;
        return new StreamId(key, name.Length < sizeof(ulong) ? 0 : BinaryPrimitives.ReadUInt64BigEndian(name));
    }
}
