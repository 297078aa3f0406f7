using Cache.Server.Statistics;

namespace Cache.Server.Tests.Doctor;

public sealed class ClockStepsTests
{
    private readonly ClockSteps _steps = new();

    [Fact]
    public void Note_BothClocksGoOn_NoStep()
    {
        for (int i = 0; i < 10; i++)
            Assert.Equal(0, _steps.Note(i * 1000, 1_000_000 + i * 1000 + i));

        Assert.Equal(0, _steps.LargestSince(0));
    }

    [Theory]
    [InlineData(-3600)]
    [InlineData(3600)]
    [InlineData(1)]
    public void Note_TheWallClockIsSet_IsAStep(int seconds)
    {
        _steps.Note(0, 1_000_000_000);

        Assert.Equal(seconds, _steps.Note(1000, 1_000_001_000 + seconds * 1000L));
        Assert.Equal(0, _steps.Note(2000, 1_000_002_000 + seconds * 1000L));
        Assert.Equal(seconds, _steps.LargestSince(1000));
        Assert.Equal(0, _steps.LargestSince(1001));
    }

    [Fact]
    public void Note_ManySmallSteps_AddUp()
    {
        double sum = 0;
        for (int i = 0; i <= 30; i++)
            sum += _steps.Note(i * 1000, 1_000_000_000 + i * 900);

        Assert.Equal(-3, sum);
    }
}
