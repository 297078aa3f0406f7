using System.Globalization;
using Cache.Testing;

namespace Cache.Reliability.Tests.Heavy;

/// <summary>Requests of megabytes beside lent values, a limit that changes, and a bystander.</summary>
/// <remarks>The environment variable CACHE_HEAVY_SIMULATIONS makes more of them.</remarks>
[Collection(nameof(ProcessWideCollection))]
public sealed class HeavySimulationTests(ITestOutputHelper output)
{
    private const string SimulationsVariable = "CACHE_HEAVY_SIMULATIONS";
    private const int SimulationsDefault = 2;
    private const int Steps = 400;

    // A machine whose processors are lent may stop a thread for a tenth of a second and count it as the thread's own
    // time. What a request really takes, it takes each time that the same seed is run.
    private const int TriesMax = 3;

    private static int Simulations =>
        int.TryParse(
            Environment.GetEnvironmentVariable(SimulationsVariable), CultureInfo.InvariantCulture, out int count)
            ? count
            : SimulationsDefault;

    [Fact]
    public Task Requests_OfMegabytes_AreAnsweredWithinBounds() => RandomSeed.RunAsync(this, async seed =>
    {
        long evictions = 0;
        for (int i = 0; i < Simulations; i++)
        {
            var report = await RunAsync(seed + i);
            output.WriteLine($"{seed + i}: {report}");
            Assert.All(
                [report.Requests, report.Cuts, report.LimitChanges, report.Lent],
                static count => Assert.NotEqual(0, count));
            evictions += report.Evictions;
        }

        Assert.NotEqual(0, evictions);
    });

    private async Task<HeavyReport> RunAsync(int seed)
    {
        for (int attempt = 1; ; attempt++)
        {
            try
            {
                return await HeavySimulation.RunAsync(seed, Steps);
            }
            catch (LongTurnException failure) when (attempt < TriesMax)
            {
                output.WriteLine($"{seed}, run {attempt}: {failure.Message}");
            }
        }
    }
}
