using Cache.Core.Collections.Objects;
using Cache.Core.Collections.Packed;

namespace Cache.Core.Collections.Streams;

/// <summary>Reads what a stream knows of itself.</summary>
internal struct StreamInfoQuery(EntryRoom room) : IPackedQuery, IObjectQuery
{
    public StreamInfo Info { get; private set; }

    public readonly void Read(ReadOnlySpan<byte> packed) => PackedCheck.ThrowDamaged();

    public readonly void Copy(ReadOnlySpan<byte> packed)
    {
    }

    public void Read(in ObjectView view)
    {
        var stream = new StreamView(view);
        var header = stream.Header;
        var first = new EntryCursor(stream, StreamId.Zero, StreamId.Max, isReversed: false, room);
        Info = new StreamInfo
        {
            Length = header.Length,
            Added = header.Added,
            LastId = header.Last,
            MaxRemovedId = header.MaxRemoved,
            FirstId = first.TryMoveNext() ? first.Id : default,
            LastEntryId = LastOf(stream),
            Groups = stream.CountOf(StreamElement.Group, 0),
            Blocks = view.SecondCount,
            Elements = view.Count + (long)view.SecondCount,
            PageBytes = view.Bytes,
        };
    }

    private readonly StreamId LastOf(in StreamView stream)
    {
        var last = new EntryCursor(stream, StreamId.Zero, StreamId.Max, isReversed: true, room);
        return last.TryMoveNext() ? last.Id : default;
    }

    public readonly void Copy(in ObjectView view)
    {
    }
}
