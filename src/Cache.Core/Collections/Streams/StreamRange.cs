using Cache.Core.Collections.Objects;
using Cache.Core.Sharding;

namespace Cache.Core.Collections.Streams;

/// <summary>Tells the entries of a range of a stream from a snapshot: nothing is held.</summary>
internal static class StreamRange
{
    // A store that is disposed meanwhile leaves zeros: seen after so many entries, and at the end.
    private const int EntriesPerCheck = 128;

    public static void Tell<TSink>(
        StoreState state, in ObjectView view, StreamId from, StreamId to, long count, bool isReversed, EntryRoom room,
        ref TSink sink)
        where TSink : struct, IStreamSink, allows ref struct
    {
        var stream = new StreamView(view);
        long length = Count(stream, from, to, count, isReversed, room);
        state.ThrowIfDisposed();
        sink.Begin(length);
        var cursor = new EntryCursor(stream, from, to, isReversed, room);
        for (long i = 0; i < length && !sink.IsFull && cursor.TryMoveNext(); i++)
        {
            if (i % EntriesPerCheck == 0)
                state.ThrowIfDisposed();
            if (cursor.IsLong)
            {
                using var loan = view.Borrow(cursor.Entry);
                StreamElement.TrySplit(loan.Value, out var shape, out var values);
                sink.Take(cursor.Id, new StreamFields(shape, values));
            }
            else
            {
                sink.Take(cursor.Id, new StreamFields(cursor.Shape, cursor.Values));
            }
        }

        state.ThrowIfDisposed();
    }

    // Blocks that lie within the range as wholes are not read.
    private static long Count(
        in StreamView stream, StreamId from, StreamId to, long most, bool isReversed, EntryRoom room)
    {
        long count = 0;
        if (most < StreamBlock.LengthMax) // Not more than one pass reads.
        {
            var cursor = new EntryCursor(stream, from, to, isReversed, room);
            while (count < most && cursor.TryMoveNext())
                count++;
            return count;
        }

        for (var block = stream.BlockFor(from); block.IsValid && count < most; block.MoveNext())
        {
            var first = StreamView.FirstIdOf(block);
            if (first > to)
                break;
            var entry = block.Entry;
            bool isWhole = first >= from
                && (entry.IsValueStub || StreamBlock.LastIdOf(first, entry.Value) <= to);
            if (isWhole)
            {
                count += entry.IsValueStub ? 1 : StreamBlock.CountOf(entry.Value);
                continue;
            }

            var value = entry.IsValueStub ? default : entry.Value;
            for (var reader = new StreamBlockReader(first, value); reader.TryRead();)
                count += reader.Id >= from && reader.Id <= to ? 1 : 0;
        }

        return Math.Min(count, most);
    }
}
