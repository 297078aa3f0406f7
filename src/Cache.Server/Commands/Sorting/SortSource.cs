using Cache.Core;

namespace Cache.Server.Commands.Sorting;

/// <summary>What is sorted: the elements of a key, whatever kind of collection it is.</summary>
internal static class SortSource
{
    /// <summary>Reads the elements in the order in which the collection has them.</summary>
    /// <param name="store">The store.</param>
    /// <param name="key">The key.</param>
    /// <param name="kind">The kind of its value, as it was read before.</param>
    /// <param name="texts">Receives the elements.</param>
    /// <returns>WrongType if it is none that can be sorted, or has become another one.</returns>
    public static ReadStatus Read(CacheStore store, ReadOnlySpan<byte> key, EntryKind kind, SortTexts texts)
    {
        var sink = new SortTextSink(texts);
        return kind switch
        {
            EntryKind.None => ReadStatus.NotFound,
            EntryKind.List => store.List(key).GetRange(0, -1, ref sink),
            EntryKind.Set => store.SetOf(key).GetAll(ref sink),
            EntryKind.SortedSet => store.SortedSet(key).GetRange(SortedSetRange.All, ref sink),
            _ => ReadStatus.WrongType,
        };
    }

    /// <summary>Whether the elements have an order of their own, which BY without a pattern keeps.</summary>
    public static bool IsOrdered(EntryKind kind) => kind is EntryKind.List or EntryKind.SortedSet;
}
