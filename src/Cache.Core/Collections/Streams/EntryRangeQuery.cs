using Cache.Core.Collections.Objects;
using Cache.Core.Collections.Packed;

namespace Cache.Core.Collections.Streams;

/// <summary>Copies the entries of a range of a stream, if they are few.</summary>
internal struct EntryRangeQuery(
    StreamId from, StreamId to, long count, bool isReversed, TakenEntries taken, EntryRoom room)
    : IPackedQuery, IObjectQuery
{
    // So many entries, bytes and blocks are copied without a snapshot.
    private const int EntriesMax = 256;
    private const int BytesMax = 64 << 10;
    private const int BlocksMax = 128;

    /// <summary>Whether there are more, or a long one: to be read from a snapshot.</summary>
    public bool IsLong { get; private set; }

    /// <summary>The last id that the stream has had.</summary>
    public StreamId Last { get; private set; }

    public readonly void Read(ReadOnlySpan<byte> packed) => PackedCheck.ThrowDamaged();

    public readonly void Copy(ReadOnlySpan<byte> packed)
    {
    }

    public void Read(in ObjectView view)
    {
        taken.Truncate(default);
        var stream = new StreamView(view);
        Last = stream.Header.Last;
        IsLong = false;
        var cursor = new EntryCursor(stream, from, to, isReversed, room);
        while (taken.Count < count && cursor.TryMoveNext())
        {
            IsLong = cursor.IsLong || taken.Count == EntriesMax || taken.Bytes > BytesMax
                || cursor.BlockCount > BlocksMax;
            if (IsLong)
                return;
            taken.Add(stream, cursor);
        }
    }

    public readonly void Copy(in ObjectView view)
    {
    }
}
