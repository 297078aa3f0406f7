namespace Cache.Testing;

/// <summary>A timer of a <see cref="FakeTimeProvider"/>, which guards the two moments with its lock.</summary>
internal sealed class FakeTimer(FakeTimeProvider owner, Action callback) : ITimer
{
    public long DueTicks { get; set; }

    public long PeriodTicks { get; set; }

    public void Fire() => callback();

    public bool Change(TimeSpan dueTime, TimeSpan period)
    {
        owner.Schedule(this, dueTime, period);
        return true;
    }

    public void Dispose() => owner.Cancel(this);

    public ValueTask DisposeAsync()
    {
        Dispose();
        return ValueTask.CompletedTask;
    }
}
