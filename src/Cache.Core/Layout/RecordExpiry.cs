namespace Cache.Core.Layout;

/// <summary>When a record expires: two moments in the form of <see cref="Deadline"/>, and an interval.</summary>
/// <param name="DeadlineMs">The next moment at which it expires unless it is used before.</param>
/// <param name="AbsoluteMs">
/// The moment at which it expires even if used. With an interval, a moment of the wall clock is kept separately: which
/// of the two comes first changes when that clock is set. Any other is no earlier than the deadline.
/// </param>
/// <param name="SlidingMs">The interval without use after which it expires.</param>
internal readonly record struct RecordExpiry(long DeadlineMs, long AbsoluteMs, long SlidingMs)
{
    public bool IsExpiring => DeadlineMs != 0;

    public bool IsSliding => SlidingMs != 0;

    /// <summary>Whether it ends at a moment of the wall clock at the latest.</summary>
    public bool HasMoment => Deadline.IsOfWall(AbsoluteMs);

    /// <summary>Whether it has passed at this reading of the two clocks.</summary>
    public bool IsPast(long storeMs, long unixMs) => IsPast(DeadlineMs, storeMs, unixMs)
        || (HasMoment && IsPast(AbsoluteMs, storeMs, unixMs));

    private static bool IsPast(long deadline, long storeMs, long unixMs) =>
        deadline != Deadline.None && (Deadline.IsOfWall(deadline) ? -deadline <= unixMs : deadline <= storeMs);
}
