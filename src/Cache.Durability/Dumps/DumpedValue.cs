using Cache.Core;
using Cache.Durability.Attachment;
using Cache.Durability.Rdb;

namespace Cache.Durability.Dumps;

/// <summary>The payload that DUMP tells of a key.</summary>
internal static class DumpedValue
{
    // A key whose kind changes between the two looks at it is seldom met twice.
    private const int AttemptsMax = 8;

    // Of a string: its type, its length and the footer.
    private const int StringFrameLength = 32;

    /// <summary>Writes the payload of a key as it is at one moment; the key is used by that.</summary>
    /// <param name="store">The store.</param>
    /// <param name="key">The key.</param>
    /// <param name="lengthMax">The most bytes of it.</param>
    /// <param name="payload">The payload; null if it would be longer than that.</param>
    /// <returns>False if the key has nothing.</returns>
    public static bool TryMake(CacheStore store, ReadOnlySpan<byte> key, int lengthMax, out MemoryStream? payload)
    {
        payload = null;
        var stream = new MemoryStream();
        byte[] name = key.ToArray();
        for (int attempts = 0; attempts < AttemptsMax; attempts++)
        {
            var value = new ValueSink();
            if (store.TryGet(key, ref value, out var info))
            {
                var entry = new RdbEntry(0, name, value.Bytes.AsMemory(0, value.Length), ExpiresAtMs: null);
                stream.Capacity = (int)Math.Min(value.Length + (long)StringFrameLength, lengthMax);
                var writer = new RdbWriter(stream, lengthMax);
                writer.Write(entry);
                payload = End(writer, stream);
                return true;
            }

            if (info.Kind == EntryKind.None)
                return false;
            var collection = new RdbWriter(stream, lengthMax);
            if (new DumpCollectionWriting(collection).TryWrite(
                store, info.Kind, new RdbEntry(0, name, default, ExpiresAtMs: null)))
            {
                payload = End(collection, stream);
                return true;
            }

            stream.SetLength(0);
        }

        return false;
    }

    private static MemoryStream? End(RdbWriter writer, MemoryStream payload)
    {
        if (writer.IsFull)
            return null;
        writer.WritePayloadEnd();
        return payload;
    }
}
