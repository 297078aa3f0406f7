namespace Cache.Server.Tests.Commands.Administration;

public sealed class SteppingClockTests
{
    [Fact]
    public void GetTimestamp_OfAnotherThread_TakesNoStep()
    {
        var clock = new SteppingClock { Step = TimeSpan.FromSeconds(1) };
        long before = clock.GetTimestamp();

        var other = new Thread(() => clock.GetTimestamp());
        other.Start();
        other.Join();

        Assert.Equal(before + TimeSpan.TicksPerSecond, clock.GetTimestamp());
    }
}
