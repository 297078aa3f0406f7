namespace Cache.Core;

/// <summary>Which members of a sorted set, in which order: by rank, by score, or by the bytes of the members.</summary>
/// <remarks>
/// A sorted set is in the order of (score, member), lowest first. A range by member means something only where all
/// scores are equal.
/// <example><code>
/// SortedSetRange best = SortedSetRange.ByRank(0, 9) with { IsReversed = true };
/// SortedSetRange passed = SortedSetRange.ByScore(50, ScoreBound.Highest) with { Limit = 100 };
/// </code></example>
/// </remarks>
public readonly ref struct SortedSetRange
{
    internal SortedSetRange(SortedSetOrder order) => Order = order;

    /// <summary>Whether the highest come first; ranks and the offset are counted from there.</summary>
    public bool IsReversed { get; init; }

    /// <summary>The number of members of the range that are left out at its beginning.</summary>
    public long Offset { get; init; }

    /// <summary>The most members; negative: all.</summary>
    public long Limit { get; init; } = -1;

    internal SortedSetOrder Order { get; }

    internal long First { get; private init; }

    internal long Last { get; private init; }

    internal ScoreBound MinScore { get; private init; }

    internal ScoreBound MaxScore { get; private init; }

    internal MemberBound MinMember { get; private init; }

    internal MemberBound MaxMember { get; private init; }

    /// <summary>All members.</summary>
    public static SortedSetRange All => ByRank(0, -1);

    /// <summary>By rank, from 0; negative ranks are counted from the end, −1 being the last.</summary>
    /// <param name="first">The first rank.</param>
    /// <param name="last">The last rank; the range has it.</param>
    public static SortedSetRange ByRank(long first, long last) =>
        new(SortedSetOrder.Rank) { First = first, Last = last };

    /// <summary>By score.</summary>
    public static SortedSetRange ByScore(ScoreBound min, ScoreBound max) =>
        new(SortedSetOrder.Score) { MinScore = min, MaxScore = max };

    /// <summary>By member.</summary>
    public static SortedSetRange ByMember(MemberBound min, MemberBound max) =>
        new(SortedSetOrder.Member) { MinMember = min, MaxMember = max };
}
