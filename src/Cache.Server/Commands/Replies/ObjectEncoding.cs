using Cache.Core;
using Cache.Server.Protocol;

namespace Cache.Server.Commands.Replies;

/// <summary>How Redis would keep a value: what OBJECT and DEBUG OBJECT tell.</summary>
/// <remarks>
/// The store has one form of a string, so this is what Redis chooses for a value that is set. Of one that was changed
/// in place Redis says "raw". Of another kind it is the form of a short one.
/// </remarks>
internal static class ObjectEncoding
{
    // Of longer ones Redis keeps header and text apart.
    private const int EmbeddedLengthMax = 44;

    // Redis shares the numbers from 0 to this, and gives each of them so many references.
    private const int SharedIntegerMax = 9999;
    private const int SharedReferences = int.MaxValue;

    /// <summary>"int", "embstr" or "raw", or a word for another kind; empty if there is no such key.</summary>
    /// <param name="key">The key.</param>
    /// <param name="store">Where it is.</param>
    /// <param name="number">The value, if it is kept as a number; else −1.</param>
    /// <param name="length">The length of the value.</param>
    public static ReadOnlySpan<byte> Of(ReadOnlySpan<byte> key, CacheStore store, out long number, out int length)
    {
        number = -1;
        Span<byte> room = stackalloc byte[RespInteger.LengthMax];
        var sink = new SpanSink(room);
        bool exists = store.TryPeekRange(key, 0, room.Length - 1, ref sink, out var info); // To ask is no use.
        length = info.Length;
        if (!exists)
            return OfKind(info.Kind);
        if (length > EmbeddedLengthMax)
            return "raw"u8;
        if (length > room.Length || !RespInteger.TryParse(room[..sink.Length], out long parsed))
            return "embstr"u8;
        number = parsed;
        return "int"u8;
    }

    private static ReadOnlySpan<byte> OfKind(EntryKind kind) => kind switch
    {
        EntryKind.Hash or EntryKind.SortedSet => "listpack"u8,
        EntryKind.List => "quicklist"u8,
        EntryKind.Set => "hashtable"u8,
        EntryKind.Stream => "stream"u8,
        _ => [],
    };

    /// <summary>How many references Redis would count.</summary>
    /// <param name="number">As of <see cref="Of"/>.</param>
    public static int ReferencesOf(long number) => number is >= 0 and <= SharedIntegerMax ? SharedReferences : 1;
}
