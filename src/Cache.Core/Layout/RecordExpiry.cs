namespace Cache.Core.Layout;

/// <summary>When a record expires, in Unix milliseconds; 0 means never, or none.</summary>
/// <param name="DeadlineMs">The next moment at which it expires unless it is used before.</param>
/// <param name="AbsoluteMs">The last moment, whatever its use.</param>
/// <param name="SlidingMs">The interval without use after which it expires.</param>
internal readonly record struct RecordExpiry(long DeadlineMs, long AbsoluteMs, long SlidingMs)
{
    public bool IsExpiring => DeadlineMs != 0;

    public bool IsSliding => SlidingMs != 0;
}
