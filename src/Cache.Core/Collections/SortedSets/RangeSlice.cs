using Cache.Core.Collections.Objects;
using Cache.Core.Collections.Packed;
using Cache.Core.Collections.Trees;
using Cache.Core.Layout;

namespace Cache.Core.Collections.SortedSets;

/// <summary>The members of a sorted set that are in a range: some that follow each other.</summary>
/// <param name="Index">The number of the lowest one.</param>
/// <param name="Count">How many they are.</param>
internal readonly record struct RangeSlice(long Index, long Count)
{
    public static RangeSlice Of(in PackedTable table, scoped in SortedSetRange range)
    {
        var slice = range.Order switch
        {
            SortedSetOrder.Rank => ByRank(table.Count, range),
            SortedSetOrder.Score => ByScore(table, range),
            _ => ByMember(table, range),
        };
        return Narrow(slice, range);
    }

    /// <summary>The same of a large one, of a snapshot or while the caller holds it.</summary>
    public static RangeSlice Of(in ObjectView view, scoped in SortedSetRange range) =>
        Of(view, range, mayBorrow: true, out _);

    /// <summary>The same; without the object, any, and the version tells.</summary>
    /// <param name="view">The collection.</param>
    /// <param name="range">The range.</param>
    /// <param name="mayBorrow">Whether long members may be looked at.</param>
    /// <param name="needsBlocks">Whether one would have to be: the slice means nothing.</param>
    public static RangeSlice Of(
        in ObjectView view, scoped in SortedSetRange range, bool mayBorrow, out bool needsBlocks)
    {
        needsBlocks = false;
        var slice = range.Order switch
        {
            SortedSetOrder.Rank => ByRank(view.Count, range),
            SortedSetOrder.Score => ByScore(view, range),
            _ => ByMember(view, range, mayBorrow, out needsBlocks),
        };
        return Narrow(slice, range);
    }

    /// <summary>What of it is among so many members.</summary>
    public RangeSlice Within(long count) =>
        Index >= count ? default : this with { Count = Math.Min(Count, count - Index) };

    /// <summary>No more than so many of it.</summary>
    public RangeSlice LastOrFirst(long count, bool isLast)
    {
        long kept = Math.Min(Count, count);
        return new RangeSlice(isLast ? Index + Count - kept : Index, kept);
    }

    // Without the offset, and no more than the limit.
    private static RangeSlice Narrow(RangeSlice slice, scoped in SortedSetRange range)
    {
        if (slice.Count <= 0 || range.Offset < 0 || range.Offset >= slice.Count)
            return default;
        long count = slice.Count - range.Offset;
        if (range.Limit >= 0)
            count = Math.Min(count, range.Limit);
        long index = range.IsReversed
            ? slice.Index + slice.Count - range.Offset - count
            : slice.Index + range.Offset;
        return new RangeSlice(index, count);
    }

    private static RangeSlice ByRank(long count, scoped in SortedSetRange range)
    {
        long first = Math.Max(0, range.First < 0 ? range.First + count : range.First);
        long last = Math.Min(count - 1, range.Last < 0 ? range.Last + count : range.Last);
        if (first > last)
            return default;
        long index = range.IsReversed ? count - 1 - last : first;
        return new RangeSlice(index, last - first + 1);
    }

    private static RangeSlice ByScore(in ObjectView view, scoped in SortedSetRange range)
    {
        var tree = view.Second<ByScore>();
        // Behind each key comes that of the next number.
        ulong low = ScoreKey.Of(range.MinScore.Score) + (range.MinScore.IsExclusive ? 1UL : 0);
        ulong high = ScoreKey.Of(range.MaxScore.Score) + (range.MaxScore.IsExclusive ? 0 : 1UL);
        if (low >= high)
            return default;
        long first = tree.CountBelow(low, default);
        return new RangeSlice(first, tree.CountBelow(high, default) - first);
    }

    // Where scores differ, any of the members.
    private static RangeSlice ByMember(
        in ObjectView view, scoped in SortedSetRange range, bool mayBorrow, out bool needsBlocks)
    {
        needsBlocks = false;
        if (view.Count == 0 || !range.MinMember.MayReach(range.MaxMember))
            return default;
        var tree = view.Second<ByScore>();
        var reader = new MemberComparer(view, range, mayBorrow);
        if (!reader.IsIn(tree.At(0), isEnd: true) || !reader.IsIn(tree.At(view.Count - 1), isEnd: false))
        {
            needsBlocks = reader.NeedsBlocks;
            return default;
        }

        long first = Search(tree, view.Count, ref reader, isEnd: false);
        long end = Search(tree, view.Count, ref reader, isEnd: true);
        needsBlocks = reader.NeedsBlocks;
        return new RangeSlice(first, end - first);
    }

    // How many members are before the range, or before its end.
    private static long Search(TreeReader<ByScore> tree, uint count, scoped ref MemberComparer reader, bool isEnd)
    {
        long low = 0, high = count;
        while (low < high && !reader.NeedsBlocks)
        {
            long middle = (low + high) / 2;
            var cursor = tree.At((uint)middle);
            if (!cursor.IsValid)
                return low; // Torn.
            if (reader.IsIn(cursor, isEnd) == isEnd)
                low = middle + 1;
            else
                high = middle;
        }

        return low;
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

    // Compares members with the ends of a range; of long ones the blocks, if these may be looked at.
    private ref struct MemberComparer(ObjectView view, SortedSetRange range, bool mayBorrow)
    {
        private readonly SortedSetRange _range = range;

        public bool NeedsBlocks { get; private set; }

        // Whether the upper end, or the lower one, has the member on the range's side.
        public bool IsIn(in TreeCursor<ByScore> cursor, bool isEnd)
        {
            if (!cursor.IsValid)
                return false;
            var entry = cursor.Entry;
            if (!entry.IsNameStub)
                return IsIn(entry.Name, isEnd);
            NeedsBlocks |= !mayBorrow;
            if (NeedsBlocks)
                return false;
            using var loan = view.Borrow(entry);
            return IsIn(loan.Name, isEnd);
        }

        private readonly bool IsIn(scoped ReadOnlySpan<byte> member, bool isEnd) =>
            isEnd ? _range.MaxMember.IsNotPassedBy(member) : _range.MinMember.IsReachedBy(member);
    }
}
