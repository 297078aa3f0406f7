namespace Cache.Core;

/// <summary>By what a range of a sorted set is bounded.</summary>
internal enum SortedSetOrder
{
    Rank,
    Score,
    Member,
}
