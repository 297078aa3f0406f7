namespace Cache.Server.Commands.SortedSets;

/// <summary>What the ends of a range are.</summary>
internal enum RangeKind
{
    /// <summary>An option says so; else ranks.</summary>
    Any,
    Rank,
    Score,
    Member,
}
