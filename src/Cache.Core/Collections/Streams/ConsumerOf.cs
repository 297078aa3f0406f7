using Cache.Core.Collections.Objects;

namespace Cache.Core.Collections.Streams;

/// <summary>Plans a consumer that a write names.</summary>
internal static class ConsumerOf
{
    /// <summary>Makes a consumer, unless there is one; the header is put by the caller then.</summary>
    public static bool IsMade(
        scoped in StreamView stream, ElementChanges changes, ref StreamHeader header, uint group,
        scoped ReadOnlySpan<byte> name, long nowMs, out StreamConsumer consumer)
    {
        if (stream.TryFindConsumer(group, name, out consumer))
            return false;
        header = header with { LastNumber = header.LastNumber + 1 };
        consumer = new StreamConsumer(header.LastNumber, nowMs);
        StreamChanges.PutConsumer(changes, group, name, consumer);
        return true;
    }

    /// <summary>The same, and notes of one that is there that it was seen.</summary>
    public static StreamConsumer Seen(
        scoped in StreamView stream, ElementChanges changes, uint group, scoped ReadOnlySpan<byte> name, long nowMs,
        out bool isNew)
    {
        var header = stream.Header;
        isNew = IsMade(stream, changes, ref header, group, name, nowMs, out var consumer);
        if (isNew)
        {
            StreamChanges.PutHeader(changes, header);
            return consumer;
        }

        if (consumer.SeenMs != nowMs)
            StreamChanges.PutConsumer(changes, group, name, consumer with { SeenMs = nowMs });
        return consumer;
    }
}
