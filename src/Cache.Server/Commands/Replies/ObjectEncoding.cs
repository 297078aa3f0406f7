using Cache.Core;
using Cache.Server.Protocol;

namespace Cache.Server.Commands.Replies;

/// <summary>How Redis would store a value, for OBJECT and DEBUG OBJECT.</summary>
/// <remarks>
/// The store has one form of strings, so this is the one that Redis chooses for a value that is set. For a value that
/// was changed in place Redis says "raw". For other kinds it is the form of a short value.
/// </remarks>
internal static class ObjectEncoding
{
    // Redis keeps header and text of longer strings apart.
    private const int EmbeddedLengthMax = 44;

    // Redis shares the numbers from 0 to this, and reports this many references for each.
    private const int SharedIntegerMax = 9999;
    private const int SharedReferences = int.MaxValue;

    /// <summary>"int", "embstr" or "raw", or a word for another kind; empty if there is no such key.</summary>
    /// <param name="key">The key.</param>
    /// <param name="store">The store of the key.</param>
    /// <param name="number">The value, if it is stored as a number; else −1.</param>
    /// <param name="length">The length of the value.</param>
    public static ReadOnlySpan<byte> Of(ReadOnlySpan<byte> key, CacheStore store, out long number, out int length)
    {
        number = -1;
        Span<byte> room = stackalloc byte[RespInteger.LengthMax];
        var sink = new SpanSink(room);
        bool exists = store.TryPeekRange(key, 0, room.Length - 1, ref sink, out var info); // A peek is not a use.
        length = info.Length;
        if (!exists)
            return store.TryPeekCollection(key, out var collection) ? OfCollection(collection) : OfKind(info.Kind);
        if (length > EmbeddedLengthMax)
            return "raw"u8;
        if (length > room.Length || !RespInteger.TryParse(room[..sink.Length], out long parsed))
            return "embstr"u8;
        number = parsed;
        return "int"u8;
    }

    private static ReadOnlySpan<byte> OfCollection(CollectionInfo info) => info.Kind switch
    {
        EntryKind.Set => info.IsConverted ? "hashtable"u8 : "intset"u8,
        EntryKind.Hash when info.IsConverted => "hashtable"u8,
        EntryKind.Hash when info.IsTimed => "listpackex"u8,
        EntryKind.SortedSet when info.IsConverted => "skiplist"u8,
        _ => OfKind(info.Kind),
    };

    private static ReadOnlySpan<byte> OfKind(EntryKind kind) => kind switch
    {
        EntryKind.Hash or EntryKind.SortedSet => "listpack"u8,
        EntryKind.List => "quicklist"u8,
        EntryKind.Set => "hashtable"u8,
        EntryKind.Stream => "stream"u8,
        _ => [],
    };

    /// <summary>The number of references in Redis.</summary>
    /// <param name="number">See <see cref="Of"/>.</param>
    public static int ReferencesOf(long number) => number is >= 0 and <= SharedIntegerMax ? SharedReferences : 1;
}
