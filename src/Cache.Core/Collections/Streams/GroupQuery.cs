using Cache.Core.Collections.Objects;
using Cache.Core.Collections.Packed;

namespace Cache.Core.Collections.Streams;

/// <summary>Looks for a group of a stream, and whether there is something that it was not given.</summary>
internal ref struct GroupQuery(ReadOnlySpan<byte> group, EntryRoom room) : IPackedQuery, IObjectQuery
{
    private readonly ReadOnlySpan<byte> _group = group;

    public bool IsFound { get; private set; }

    public bool HasNew { get; private set; }

    /// <summary>The last id that was delivered to it.</summary>
    public StreamId Last { get; private set; }

    public readonly void Read(ReadOnlySpan<byte> packed) => PackedCheck.ThrowDamaged();

    public readonly void Copy(ReadOnlySpan<byte> packed)
    {
    }

    public void Read(in ObjectView view)
    {
        var stream = new StreamView(view);
        IsFound = stream.TryFindGroup(_group, out var found);
        (Last, HasNew) = (found.Last, false);
        if (!IsFound || found.Last == StreamId.Max)
            return;
        var last = new EntryCursor(stream, StreamId.Zero, StreamId.Max, isReversed: true, room);
        HasNew = last.TryMoveNext() && last.Id > found.Last;
    }

    public readonly void Copy(in ObjectView view)
    {
    }
}
