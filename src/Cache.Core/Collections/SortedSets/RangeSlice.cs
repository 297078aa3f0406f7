using Cache.Core.Collections.Packed;

namespace Cache.Core.Collections.SortedSets;

/// <summary>The entries of a packed sorted set that are in a range: some that follow each other.</summary>
/// <param name="Index">The number of the lowest one.</param>
/// <param name="Count">How many they are.</param>
internal readonly record struct RangeSlice(int Index, int Count)
{
    public static RangeSlice Of(in PackedTable table, scoped in SortedSetRange range)
    {
        var slice = range.Order switch
        {
            SortedSetOrder.Rank => ByRank(table.Count, range),
            SortedSetOrder.Score => ByScore(table, range),
            _ => ByMember(table, range),
        };
        if (slice.Count <= 0 || range.Offset < 0 || range.Offset >= slice.Count)
            return default;
        int count = slice.Count - (int)range.Offset;
        if (range.Limit >= 0)
            count = (int)Math.Min(count, range.Limit);
        int index = range.IsReversed
            ? slice.Index + slice.Count - (int)range.Offset - count
            : slice.Index + (int)range.Offset;
        return new RangeSlice(index, count);
    }

    private static RangeSlice ByRank(int count, scoped in SortedSetRange range)
    {
        long first = Math.Max(0, range.First < 0 ? range.First + count : range.First);
        long last = Math.Min(count - 1, range.Last < 0 ? range.Last + count : range.Last);
        if (first > last)
            return default;
        int index = (int)(range.IsReversed ? count - 1 - last : first);
        return new RangeSlice(index, (int)(last - first + 1));
    }

    private static RangeSlice ByScore(in PackedTable table, scoped in SortedSetRange range)
    {
        int first = 0;
        int end = 0;
        for (var place = PackedTable.BeforeFirst; table.TryMoveNext(ref place);)
        {
            double score = SortedOrder.ScoreAt(table, place);
            bool isBelow = range.MinScore.IsExclusive ? score <= range.MinScore.Score : score < range.MinScore.Score;
            bool isAbove = range.MaxScore.IsExclusive ? score >= range.MaxScore.Score : score > range.MaxScore.Score;
            if (isAbove)
                break;
            first += isBelow ? 1 : 0;
            end = place.Index + 1;
        }

        return new RangeSlice(first, end - first);
    }

    // Where scores differ, the same that Redis tells: the first member that is not below the range, and those behind
    // it until one is above; reversed, the same from the end.
    private static RangeSlice ByMember(in PackedTable table, scoped in SortedSetRange range)
    {
        if (!range.MinMember.MayReach(range.MaxMember) || !HasBothEnds(table, range))
            return default;
        return range.IsReversed ? ByMemberFromEnd(table, range) : ByMemberFromStart(table, range);
    }

    private static bool HasBothEnds(in PackedTable table, scoped in SortedSetRange range) =>
        table.TryGetAt(0, out var first) && range.MaxMember.IsNotPassedBy(table.NameAt(first))
        && table.TryGetAt(table.Count - 1, out var last) && range.MinMember.IsReachedBy(table.NameAt(last));

    private static RangeSlice ByMemberFromStart(in PackedTable table, scoped in SortedSetRange range)
    {
        int first = -1;
        int end = 0;
        for (var place = PackedTable.BeforeFirst; table.TryMoveNext(ref place); end = place.Index + 1)
        {
            var member = table.NameAt(place);
            if (first < 0 && range.MinMember.IsReachedBy(member))
                first = place.Index;
            if (first >= 0 && !range.MaxMember.IsNotPassedBy(member))
                break;
        }

        return first < 0 ? default : new RangeSlice(first, end - first);
    }

    private static RangeSlice ByMemberFromEnd(in PackedTable table, scoped in SortedSetRange range)
    {
        var starts = new ElementStarts(table);
        int last = table.Count - 1;
        while (last >= 0 && !range.MaxMember.IsNotPassedBy(table.NameAt(starts[last])))
            last--;
        int first = last;
        while (first >= 0 && range.MinMember.IsReachedBy(table.NameAt(starts[first])))
            first--;
        return new RangeSlice(first + 1, last - first);
    }
}
