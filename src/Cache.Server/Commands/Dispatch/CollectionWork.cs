using Cache.Core;

namespace Cache.Server.Commands.Dispatch;

/// <summary>
/// Whether a command that handles many elements of one large collection is too much work for this thread.
/// </summary>
internal static class CollectionWork
{
    // A collection in one record has fewer bytes.
    private const long LargeMin = 16 << 10;

    // The time to find, tell or remove an element of a large collection, in nanoseconds.
    private const long ElementWork = 200;

    // About what an element has in bytes that a scan compares with a pattern.
    private const long ElementBytes = 32;

    /// <summary>The same for all elements: about as many nanoseconds as the collection has bytes.</summary>
    public static bool TryGiveWay(ReadOnlySpan<byte> key, CommandContext context) =>
        IsLarge(key, context, out long bytes) && context.TryGiveWay(bytes);

    /// <summary>The same for so many elements.</summary>
    public static bool TryGiveWay(ReadOnlySpan<byte> key, long count, CommandContext context) =>
        IsLarge(key, context, out long bytes) && context.TryGiveWay(Math.Min(count, bytes) * ElementWork);

    /// <summary>The same for the members of a range.</summary>
    public static bool TryGiveWay(ReadOnlySpan<byte> key, in SortedSetRange range, CommandContext context) =>
        IsLarge(key, context, out _)
        && context.Store.SortedSet(key).GetCount(range, out long count) == ReadStatus.Found
        && context.TryGiveWay(count * ElementWork);

    /// <summary>The bytes that a step of a scan compares with its pattern, about.</summary>
    public static long ScannedBytes(in EntryInfo info, long count) =>
        info.MemoryBytes <= LargeMin ? info.Length : Math.Min(count, info.MemoryBytes / ElementBytes) * ElementBytes;

    private static bool IsLarge(ReadOnlySpan<byte> key, CommandContext context, out long bytes)
    {
        bytes = context.SharesThread && context.Store.TryPeekInfo(key, out var info) ? info.MemoryBytes : 0;
        return bytes > LargeMin;
    }
}
