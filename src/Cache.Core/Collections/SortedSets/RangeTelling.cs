using Cache.Core.Collections.Packed;
using Cache.Core.Layout;

namespace Cache.Core.Collections.SortedSets;

/// <summary>Tells a sink the members of a range; and what else is asked of a copy of a sorted set.</summary>
internal static class RangeTelling
{
    public static void Tell<TSink>(in CollectionCopy copy, scoped in SortedSetRange range, ref TSink sink)
        where TSink : struct, IScoredMemberSink, allows ref struct
    {
        if (!copy.IsObject)
        {
            Tell(copy.Table, range, ref sink);
            return;
        }

        var slice = RangeSlice.Of(copy.View, range);
        sink.Begin(slice.Count);
        if (slice.Count == 0)
            return;
        long first = range.IsReversed ? slice.Index + slice.Count - 1 : slice.Index;
        copy.Tell(copy.View.Second<ByScore>().At((uint)first), slice.Count, range.IsReversed, ref sink);
    }

    /// <summary>The same of a small one.</summary>
    public static void Tell<TSink>(in PackedTable table, scoped in SortedSetRange range, ref TSink sink)
        where TSink : struct, IScoredMemberSink, allows ref struct
    {
        var slice = RangeSlice.Of(table, range);
        sink.Begin(slice.Count);
        if (slice.Count == 0)
            return;
        if (range.IsReversed)
            TellReversed(table, slice, ref sink);
        else
            Tell(table, slice, ref sink);
    }

    /// <summary>The number of members in a range.</summary>
    public static long CountOf(in CollectionCopy copy, scoped in SortedSetRange range) =>
        copy.IsObject ? RangeSlice.Of(copy.View, range).Count : RangeSlice.Of(copy.Table, range).Count;

    /// <summary>The score of a member; null: it is absent.</summary>
    public static double? ScoreOf(in CollectionCopy copy, scoped ReadOnlySpan<byte> member)
    {
        if (copy.IsObject)
        {
            return copy.View.TryFindName(member, out var entry) && PackedScore.TryRead(entry.Value, out double score)
                ? score
                : null;
        }

        var table = copy.Table;
        return table.TryFind(member, PackedPrint.Of(member), out var place) ? SortedOrder.ScoreAt(table, place) : null;
    }

    private static void Tell<TSink>(in PackedTable table, RangeSlice slice, ref TSink sink)
        where TSink : struct, IScoredMemberSink, allows ref struct
    {
        bool isThere = table.TryGetAt((int)slice.Index, out var place);
        for (long left = slice.Count; isThere && left > 0 && !sink.IsFull; left--)
        {
            sink.Take(table.NameAt(place), SortedOrder.ScoreAt(table, place));
            isThere = table.TryMoveNext(ref place);
        }
    }

    private static void TellReversed<TSink>(in PackedTable table, RangeSlice slice, ref TSink sink)
        where TSink : struct, IScoredMemberSink, allows ref struct
    {
        var starts = new ElementStarts(table);
        for (int index = (int)(slice.Index + slice.Count) - 1; index >= slice.Index && !sink.IsFull; index--)
        {
            var place = starts[index];
            sink.Take(table.NameAt(place), SortedOrder.ScoreAt(table, place));
        }
    }
}
