using Cache.Server.Settings;

namespace Cache.Server.Tests.Settings;

public sealed class MeasuringSettingsTests
{
    private const long Longest = 1L << 40;

    [Theory]
    [InlineData(10_000, 0, 10_000)]
    [InlineData(10_000, 5, 5_000)]
    [InlineData(10_000, 50, 10_000)]
    [InlineData(0, 0, 0)]
    [InlineData(0, 7, 0)]
    [InlineData(-1, 0, Longest)]
    [InlineData(-1, 7, 7_000)]
    [InlineData(-1, long.MaxValue, Longest)]
    [InlineData(long.MaxValue, 0, Longest)]
    [InlineData(long.MaxValue, 1, 1_000)]
    public void NoticedMicroseconds_OfBothLimits_IsTheShorter(long slow, long thresholdMs, long expected)
    {
        var settings = new ServerSettings { SlowLogMicroseconds = slow, LatencyThresholdMs = thresholdMs };

        Assert.Equal(expected, settings.NoticedMicroseconds);
    }
}
