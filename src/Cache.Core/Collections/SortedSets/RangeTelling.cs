using Cache.Core.Collections.Packed;

namespace Cache.Core.Collections.SortedSets;

/// <summary>Tells a sink the members of a range.</summary>
internal static class RangeTelling
{
    public static void Tell<TSink>(in CollectionCopy copy, scoped in SortedSetRange range, ref TSink sink)
        where TSink : struct, IScoredMemberSink, allows ref struct
    {
        var table = copy.Table;
        var slice = RangeSlice.Of(table, range);
        sink.Begin(slice.Count);
        if (slice.Count == 0)
            return;
        if (range.IsReversed)
            TellReversed(table, slice, ref sink);
        else
            Tell(table, slice, ref sink);
    }

    private static void Tell<TSink>(in PackedTable table, RangeSlice slice, ref TSink sink)
        where TSink : struct, IScoredMemberSink, allows ref struct
    {
        bool isThere = table.TryGetAt(slice.Index, out var place);
        for (int left = slice.Count; isThere && left > 0 && !sink.IsFull; left--)
        {
            sink.Take(table.NameAt(place), SortedOrder.ScoreAt(table, place));
            isThere = table.TryMoveNext(ref place);
        }
    }

    private static void TellReversed<TSink>(in PackedTable table, RangeSlice slice, ref TSink sink)
        where TSink : struct, IScoredMemberSink, allows ref struct
    {
        var starts = new ElementStarts(table);
        for (int index = slice.Index + slice.Count - 1; index >= slice.Index && !sink.IsFull; index--)
        {
            var place = starts[index];
            sink.Take(table.NameAt(place), SortedOrder.ScoreAt(table, place));
        }
    }
}
