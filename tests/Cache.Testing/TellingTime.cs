namespace Cache.Testing;

/// <summary>A clock that tells each time that somebody looks at it, also under a lock of the store.</summary>
internal sealed class TellingTime(TimeProvider time, Action<string> pass) : TimeProvider
{
    public override long TimestampFrequency => time.TimestampFrequency;

    public override TimeZoneInfo LocalTimeZone => time.LocalTimeZone;

    public override long GetTimestamp()
    {
        pass("at a look at the clock");
        return time.GetTimestamp();
    }

    public override DateTimeOffset GetUtcNow()
    {
        pass("at a look at the wall clock");
        return time.GetUtcNow();
    }

    public override ITimer CreateTimer(TimerCallback callback, object? state, TimeSpan dueTime, TimeSpan period) =>
        time.CreateTimer(callback, state, dueTime, period);
}
