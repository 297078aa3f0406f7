namespace Cache.Server.Tests.Commands.Administration;

/// <summary>A clock of which each reading takes a step: of the thread that set it, and no other's.</summary>
/// <remarks>The sweep of a store reads it too, on a busy machine in the middle of a test's call.</remarks>
internal sealed class SteppingClock : TimeProvider
{
    private long _ticks = TimeSpan.TicksPerHour;
    private long _stepTicks;
    private volatile int _steppingThread;

    public TimeSpan Step
    {
        set
        {
            _steppingThread = Environment.CurrentManagedThreadId;
            _stepTicks = value.Ticks;
        }
    }

    public TimeSpan Now => new(Volatile.Read(ref _ticks));

    public override long TimestampFrequency => TimeSpan.TicksPerSecond;

    public override long GetTimestamp() => Environment.CurrentManagedThreadId == _steppingThread
        ? Interlocked.Add(ref _ticks, _stepTicks)
        : Volatile.Read(ref _ticks);

    public override DateTimeOffset GetUtcNow() =>
        DateTimeOffset.UnixEpoch.AddYears(50).AddTicks(Volatile.Read(ref _ticks));
}
