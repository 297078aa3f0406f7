using System.Diagnostics;
using Cache.Durability.Control;

namespace Cache.Durability.Tests.Control;

public sealed class SnapshotPaceTests
{
    private const long Rate = 10_000_000;

    private long _rate = Rate;
    private bool _mustStop;

    [Fact]
    public void Wait_WithALimit_TakesAtLeastItsTime()
    {
        var pace = Create();
        long start = Stopwatch.GetTimestamp();
        for (long bytes = 0; bytes <= Rate / 4; bytes += 1_000)
            pace.Wait(bytes);
        Assert.True(Stopwatch.GetElapsedTime(start).TotalMilliseconds >= 200);
    }

    [Fact]
    public void Wait_WithoutALimitOrWhenItMustStop_IsOver()
    {
        var pace = Create();
        pace.Wait(0);
        _mustStop = true;
        pace.Wait(long.MaxValue / 1_000);
        (_mustStop, _rate) = (false, 0);
        pace.Wait(long.MaxValue / 1_000);
    }

    // One that begins has not written what the last one has.
    [Fact]
    public void Wait_OfTheNextSnapshot_BeginsAnew()
    {
        var pace = Create();
        pace.Wait(0);
        _mustStop = true;
        pace.Wait(long.MaxValue / 1_000);
        _mustStop = false;
        pace.Wait(0);
        pace.Wait(1);
    }

    private SnapshotPace Create() => new(() => _rate, () => _mustStop);
}
