namespace Cache.Core.Sharding;

/// <summary>Where a thread that looks for room, or holds some that others look for, may be paused by a test.</summary>
internal enum RoomStep
{
    /// <summary>A raised limit holds for writes; segments still have the former size.</summary>
    LimitRaised,

    /// <summary>Segments have the size that suits the limit that is to come.</summary>
    SegmentsFitted,

    /// <summary>A segment that is too long for a lower limit was found, and is not claimed yet.</summary>
    LongSegmentFound,
}
