using Cache.Server.Transport.Linux;
using Cache.Testing;

namespace Cache.Server.Tests.Transport;

public sealed class LongestRoundTests
{
    private static readonly TimeSpan _work = TimeSpan.FromMilliseconds(20);

    // A sleep may end within a tick of its time.
    private static readonly TimeSpan _seen = TimeSpan.FromMilliseconds(18);

    private static CancellationToken Token => TestContext.Current.CancellationToken;

    [Fact]
    public async Task TakeLongestRound_OfALongOne_IsItsTime()
    {
        if (!EpollTransport.IsSupported)
            return;
        using var loop = new EpollLoop("loop of a test");
        loop.TakeLongestRound(goesOn: true);

        loop.Post(static _ => Thread.Sleep(_work), this);

        await Polling.WhileAsync(() => loop.TakeLongestRound(goesOn: true) < _seen);
    }

    [Fact]
    public void TakeLongestRound_WhileNothingIsMeasured_IsZero()
    {
        if (!EpollTransport.IsSupported)
            return;
        var loop = new EpollLoop("loop of a test");
        loop.TakeLongestRound(goesOn: true);
        loop.TakeLongestRound(goesOn: false);
        using var isLate = new ManualResetEventSlim();
        loop.Post(
            static late =>
            {
                Thread.Sleep(_work);
                ((ManualResetEventSlim)late).Set();
            },
            isLate);
        isLate.Wait(Token);

        loop.Dispose();

        Assert.True(loop.TakeLongestRound(goesOn: false) < _seen);
    }
}
