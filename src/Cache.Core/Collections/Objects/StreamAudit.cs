using System.Buffers.Binary;

namespace Cache.Core.Collections.Objects;

/// <summary>Compares what a stream says of itself with its trees; for tests.</summary>
internal static class StreamAudit
{
    /// <returns>What is wrong; null: nothing.</returns>
    public static string? FindFault(in StreamView stream) => FindFaultOfBlocks(stream) ?? FindFaultOfPending(stream);

    // Blocks are in order and whole, and as long as the header says.
    private static string? FindFaultOfBlocks(in StreamView stream)
    {
        long length = 0;
        var last = StreamId.Zero;
        for (var cursor = stream.Blocks.At(0); cursor.IsValid; cursor.MoveNext())
        {
            var first = StreamView.FirstIdOf(cursor);
            if (first <= last)
                return $"a block begins with {first} behind {last}";
            if (cursor.Entry.IsValueStub)
            {
                (last, length) = (first, length + 1);
                continue;
            }

            var block = cursor.Entry.Value;
            int count = 0;
            for (var reader = new StreamBlockReader(first, block); reader.TryRead(); count++)
            {
                if (reader.Id <= last && (count != 0 || reader.Id != first))
                    return $"{reader.Id} is behind {last}";
                last = reader.Id;
            }

            if (count == 0 || count != StreamBlock.CountOf(block) || last != StreamBlock.LastIdOf(first, block))
                return $"a block of {count} entries has {StreamBlock.CountOf(block)}";
            length += count;
        }

        return length == stream.Header.Length ? null : $"{length} entries are counted as {stream.Header.Length}";
    }

    // What is pending has a consumer, and it the entry.
    private static string? FindFaultOfPending(in StreamView stream)
    {
        long pending = 0;
        for (var cursor = stream.Elements.At(0); cursor.IsValid; cursor.MoveNext())
        {
            byte tag = StreamElement.TagOf(cursor.Key);
            uint group = (uint)cursor.Key;
            pending += tag == StreamElement.Pending ? 1 : tag == StreamElement.PendingOfConsumer ? -1 : 0;
            if (tag != StreamElement.Pending)
                continue;
            uint consumer = StreamPending.Read(cursor.Entry.Value).Consumer;
            var id = StreamElement.ReadId(cursor.Entry.Name);
            var of = stream.PendingFrom(group, consumer, id);
            if (!of.IsValid || of.Key != StreamElement.KeyOf(StreamElement.PendingOfConsumer, group)
                || !of.Entry.Name[sizeof(uint)..].SequenceEqual(cursor.Entry.Name)
                || BinaryPrimitives.ReadUInt32BigEndian(of.Entry.Name) != consumer)
            {
                return $"entry {id} is pending, and its consumer has it not";
            }
        }

        return pending == 0 ? null : $"{pending} pending entries have no consumer, or several";
    }
}
