using Cache.Core.Collections.Objects;
using Cache.Core.Collections.Packed;
using Cache.Core.Layout;
using Cache.Core.Sharding;

namespace Cache.Core.Collections.Lists;

/// <summary>Tells a sink elements of a list.</summary>
internal static class ListView
{
    // A store that is disposed meanwhile leaves zeros: seen after so many elements, and at the end.
    private const int ElementsPerCheck = 128;

    /// <summary>Those of a range of a small list.</summary>
    public static void Tell<TSink>(in PackedTable table, long first, long last, ref TSink sink)
        where TSink : struct, IElementSink, allows ref struct
    {
        var (start, length) = ListRange.Within(first, last, table.Count);
        sink.Begin(length);
        bool isThere = table.TryGetAt((int)start, out var place);
        for (; isThere && length > 0 && !sink.IsFull; length--)
        {
            sink.Take(table.NameAt(place));
            isThere = table.TryMoveNext(ref place);
        }
    }

    /// <summary>Those of a range of a large list, from a snapshot: nothing is held.</summary>
    public static void Tell<TSink>(StoreState state, in ObjectView view, long first, long last, ref TSink sink)
        where TSink : struct, IElementSink, allows ref struct
    {
        var (start, length) = ListRange.Within(first, last, view.Count);
        sink.Begin(length);
        var cursor = view.First<ByPosition>().At((uint)start);
        for (long i = 0; i < length && cursor.IsValid && !sink.IsFull; i++, cursor.MoveNext())
            Take(state, view, cursor.Entry, i, ref sink);
        state.ThrowIfDisposed();
    }

    /// <summary>Tells an element of a snapshot, one of many.</summary>
    public static void Take<TSink>(
        StoreState state, in ObjectView view, in TreeEntry entry, long index, ref TSink sink)
        where TSink : struct, IElementSink, allows ref struct
    {
        if (index % ElementsPerCheck == 0)
            state.ThrowIfDisposed();
        if (!entry.IsNameStub)
        {
            sink.Take(entry.Name);
            return;
        }

        using var loan = view.Borrow(entry);
        sink.Take(loan.Value);
    }

    /// <summary>Those that were taken.</summary>
    public static void Tell<TSink>(TakenMembers taken, ref TSink sink)
        where TSink : struct, IElementSink, allows ref struct
    {
        sink.Begin(taken.Count);
        for (int position = 0; !sink.IsFull && taken.TryMoveNext(ref position, out var element, out _);)
            sink.Take(element);
    }
}
