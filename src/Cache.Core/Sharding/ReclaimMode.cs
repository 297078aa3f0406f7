namespace Cache.Core.Sharding;

/// <summary>What becomes of the live records of a segment that is reclaimed.</summary>
internal enum ReclaimMode
{
    /// <summary>All are copied: the segment has enough dead bytes.</summary>
    Compact,

    /// <summary>Those that were used often enough go to main, the others are evicted and leave ghosts.</summary>
    EvictSmall,

    /// <summary>Those that were used are copied with one use less, the others are evicted.</summary>
    EvictMain,

    /// <summary>Those that never expire are copied, the others are evicted unless they were used often.</summary>
    EvictExpiring,
}
