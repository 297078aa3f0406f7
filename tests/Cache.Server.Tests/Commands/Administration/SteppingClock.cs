namespace Cache.Server.Tests.Commands.Administration;

/// <summary>A clock that moves on by a step each time its timestamp is read: how long each call takes.</summary>
internal sealed class SteppingClock : TimeProvider
{
    private long _ticks = TimeSpan.TicksPerHour;

    public TimeSpan Step { get; set; }

    public TimeSpan Now => new(Volatile.Read(ref _ticks));

    public override long TimestampFrequency => TimeSpan.TicksPerSecond;

    public override long GetTimestamp() => Interlocked.Add(ref _ticks, Step.Ticks);

    public override DateTimeOffset GetUtcNow() => DateTimeOffset.UnixEpoch.AddYears(50).AddTicks(_ticks);
}
