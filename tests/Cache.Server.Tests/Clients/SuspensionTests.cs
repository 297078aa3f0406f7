using Cache.Server.Clients;
using Cache.Testing;

namespace Cache.Server.Tests.Clients;

public sealed class SuspensionTests
{
    private readonly FakeTimeProvider _clock = new();
    private readonly Suspension _suspension = new();

    [Fact]
    public async Task Wait_EndedBeforeItBegan_IsOverAtOnce()
    {
        long number = _suspension.Begin(SuspensionReason.Replicas, Timeout.InfiniteTimeSpan);

        Assert.True(_suspension.TryEnd(number, SuspensionEnd.Event));

        Assert.Equal(SuspensionEnd.Event, await _suspension.WaitAsync(_clock));
        Assert.Equal(SuspensionReason.None, _suspension.Reason);
    }

    [Fact]
    public async Task Wait_AtItsDeadline_IsOver()
    {
        _suspension.Begin(SuspensionReason.Delay, TimeSpan.FromMilliseconds(100));
        var wait = _suspension.WaitAsync(_clock).AsTask();
        _clock.Advance(TimeSpan.FromMilliseconds(99));
        Assert.False(wait.IsCompleted);

        _clock.Advance(TimeSpan.FromMilliseconds(1));

        Assert.Equal(SuspensionEnd.Deadline, await wait);
    }

    [Fact]
    public async Task Wait_ThatBeginsLate_EndsAtTheSameDeadline()
    {
        _suspension.Begin(SuspensionReason.Keys, TimeSpan.FromMilliseconds(100), _clock);
        _clock.Advance(TimeSpan.FromMilliseconds(60)); // The replies before it are sent.
        var wait = _suspension.WaitAsync(_clock).AsTask();
        _clock.Advance(TimeSpan.FromMilliseconds(39));
        Assert.False(wait.IsCompleted);

        _clock.Advance(TimeSpan.FromMilliseconds(1));

        Assert.Equal(SuspensionEnd.Deadline, await wait.WaitAsync(TestContext.Current.CancellationToken));
    }

    [Fact]
    public async Task Wait_ThatBeginsAfterItsDeadline_IsOverAtOnce()
    {
        _suspension.Begin(SuspensionReason.Keys, TimeSpan.FromMilliseconds(100), _clock);
        _clock.Advance(TimeSpan.FromMilliseconds(200));

        Assert.Equal(SuspensionEnd.Deadline, await _suspension.WaitAsync(_clock));
    }

    [Fact]
    public async Task TryEnd_OfAnEarlierSuspension_EndsNoOther()
    {
        long earlier = _suspension.Begin(SuspensionReason.Replicas, TimeSpan.Zero);
        await _suspension.WaitAsync(_clock);
        Assert.False(_suspension.TryEnd(earlier, SuspensionEnd.Event));

        long later = _suspension.Begin(SuspensionReason.Replicas, Timeout.InfiniteTimeSpan);

        Assert.False(_suspension.TryEnd(earlier, SuspensionEnd.Event));
        Assert.True(_suspension.TryEnd(later, SuspensionEnd.Event));
    }

    [Fact]
    public async Task TryUnblock_OfADelay_DoesNothing()
    {
        Assert.False(_suspension.TryUnblock(SuspensionEnd.Unblocked));
        _suspension.Begin(SuspensionReason.Delay, TimeSpan.Zero);
        Assert.False(_suspension.TryUnblock(SuspensionEnd.Unblocked));
        Assert.Equal(SuspensionEnd.Deadline, await _suspension.WaitAsync(_clock));
    }

    [Fact]
    public async Task Close_Always_EndsThisAndAllLaterOnes()
    {
        _suspension.Begin(SuspensionReason.Delay, Timeout.InfiniteTimeSpan);
        var wait = _suspension.WaitAsync(_clock);

        _suspension.Close();

        Assert.Equal(SuspensionEnd.Closing, await wait);
        _suspension.Begin(SuspensionReason.Replicas, Timeout.InfiniteTimeSpan);
        Assert.Equal(SuspensionEnd.Closing, await _suspension.WaitAsync(_clock));
    }

    [Fact]
    public void Begin_LongerThanATimerTakes_IsWithoutEnd()
    {
        _suspension.Begin(SuspensionReason.Delay, TimeSpan.FromDays(1000));
        Assert.Equal(Timeout.InfiniteTimeSpan, _suspension.Timeout);
    }

    // Others race to end each suspension as soon as they see its number.
    [Fact]
    public async Task TryEnd_OfSeveralThreads_EndsEachSuspensionOnce()
    {
        const int Rounds = 3000;
        long number = 0;
        int won = 0;
        using var end = new CancellationTokenSource();
        var enders = Enumerable.Range(0, 3).Select(_ => Task.Run(() =>
        {
            while (!end.IsCancellationRequested)
            {
                if (_suspension.TryEnd(Volatile.Read(ref number), SuspensionEnd.Event))
                    Interlocked.Increment(ref won);
                else
                    Thread.Yield();
            }
        })).ToArray();

        for (int i = 0; i < Rounds; i++)
        {
            Volatile.Write(ref number, _suspension.Begin(SuspensionReason.Replicas, Timeout.InfiniteTimeSpan));
            Assert.Equal(SuspensionEnd.Event, await _suspension.WaitAsync(_clock));
        }

        await end.CancelAsync();
        await Task.WhenAll(enders);
        Assert.Equal(Rounds, won);
    }
}
