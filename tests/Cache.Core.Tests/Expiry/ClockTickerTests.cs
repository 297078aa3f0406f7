using Cache.Core.Expiry;

namespace Cache.Core.Tests.Expiry;

/// <summary>Clocks that are renewed, and no more after their end.</summary>
public sealed class ClockTickerTests
{
    private static readonly TimeSpan _patience = TimeSpan.FromSeconds(30);

    [Fact]
    public async Task NowMs_OfSeveralClocks_MovesUntilEachIsDisposed()
    {
        using var first = new CoarseClock(TimeProvider.System);
        using var second = new CoarseClock(TimeProvider.System);
        await WaitForTickAsync(first);
        await WaitForTickAsync(second);

        first.Dispose();
        await WaitForTickAsync(second); // One may have been under way.
        long end = first.NowMs;
        await WaitForTickAsync(second);
        await WaitForTickAsync(second);

        Assert.Equal(end, first.NowMs);
        second.Dispose();
        using var third = new CoarseClock(TimeProvider.System); // The thread may have ended.
        await WaitForTickAsync(third);
    }

    [Fact]
    public void NowMs_BesideThreadsThatMakeAndEndClocks_Moves()
    {
        Parallel.For(0, 200, new ParallelOptions { MaxDegreeOfParallelism = 8 }, i =>
        {
            using var clock = new CoarseClock(TimeProvider.System);
            if (i % 10 == 0)
                WaitForTickAsync(clock).GetAwaiter().GetResult();
        });
    }

    private static async Task WaitForTickAsync(CoarseClock clock)
    {
        long before = clock.NowMs;
        long start = TimeProvider.System.GetTimestamp();
        while (clock.NowMs == before)
        {
            Assert.True(TimeProvider.System.GetElapsedTime(start) < _patience, "The clock stands still.");
            await Task.Delay(1, TestContext.Current.CancellationToken);
        }
    }
}
