using System.Globalization;
using Cache.Testing;

namespace Cache.Reliability.Tests.Simulation;

/// <summary>Thousands of simulated hours of expiry, eviction and reconnects, answer by answer as the model's.</summary>
/// <remarks>The environment variable CACHE_SIMULATIONS makes more of them.</remarks>
public sealed class SimulationTests(ITestOutputHelper output)
{
    private const string SimulationsVariable = "CACHE_SIMULATIONS";
    private const int SimulationsDefault = 5;
    private const int Steps = 25_000;
    private const int ShortSteps = 6_000;

    private static int Simulations =>
        int.TryParse(
            Environment.GetEnvironmentVariable(SimulationsVariable), CultureInfo.InvariantCulture, out int count)
            ? count
            : SimulationsDefault;

    [Fact]
    [PinnedSeeds(1451586454, 1163148022)]
    public Task Simulations_OfOneSeedEach_AnswerAsTheModel() => RandomSeed.RunAsync(this, async seed =>
    {
        double hours = 0;
        int clears = 0;
        for (int i = 0; i < Simulations; i++)
        {
            var report = await Simulation.RunAsync(seed + i, Steps);
            output.WriteLine($"{seed + i}: {report}");
            hours += report.Hours;
            clears += report.Clears;
            Assert.All(
                [report.Requests, report.Evictions, report.Expirations, report.Reconnects, report.LimitChanges,
                    report.WallClockChanges],
                static count => Assert.NotEqual(0, count));
        }

        Assert.True(clears > 0 || Simulations < SimulationsDefault, "Nothing was cleared."); // That is rare.
        output.WriteLine($"{hours} hours.");
    });

    [Fact]
    [PinnedSeeds(1436368796)]
    public Task Simulation_SameSeedTwice_TakesTheSameCourse() => RandomSeed.RunAsync(this, async seed =>
    {
        var first = await Simulation.RunAsync(seed, ShortSteps);
        var second = await Simulation.RunAsync(seed, ShortSteps);
        var other = await Simulation.RunAsync(seed + 1, ShortSteps);

        Assert.Equal(first, second);
        Assert.NotEqual(first.TraceHash, other.TraceHash);
    });
}
