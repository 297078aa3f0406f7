using Cache.Core.Layout;

namespace Cache.Core.Expiry;

/// <summary>The store's time and the wall clock at one moment, in milliseconds.</summary>
internal readonly record struct ClockReading(long StoreMs, long UnixMs)
{
    /// <summary>
    /// A deadline of either clock in the store's time, by the present distance of the clocks; 0 stays 0.
    /// </summary>
    public long ToStoreMs(long deadline) => Deadline.IsOfWall(deadline)
        ? Math.Max(1, CoarseClock.Saturated(-deadline, StoreMs - UnixMs))
        : deadline;

    /// <summary>The same in that of the wall clock.</summary>
    public long ToUnixMs(long deadline) => Deadline.IsOfWall(deadline)
        ? -deadline
        : deadline == Deadline.None ? 0 : CoarseClock.Saturated(deadline, UnixMs - StoreMs);

    /// <summary>When a record expires unless it is used before, in the store's time; 0: never.</summary>
    public long ToStoreMs(in RecordExpiry expiry)
    {
        long deadlineMs = ToStoreMs(expiry.DeadlineMs);
        return expiry.HasMoment ? Math.Min(deadlineMs, ToStoreMs(expiry.AbsoluteMs)) : deadlineMs;
    }

    /// <summary>The same in that of the wall clock.</summary>
    public long ToUnixMs(in RecordExpiry expiry)
    {
        long deadlineMs = ToUnixMs(expiry.DeadlineMs);
        return expiry.HasMoment ? Math.Min(deadlineMs, ToUnixMs(expiry.AbsoluteMs)) : deadlineMs;
    }
}
