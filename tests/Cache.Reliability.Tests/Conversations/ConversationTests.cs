using System.Globalization;
using Cache.Testing;

namespace Cache.Reliability.Tests.Conversations;

/// <summary>
/// Transactions, waits, channels and tracking of several clients at once, answer by answer as the model's.
/// </summary>
/// <remarks>The environment variable CACHE_SIMULATIONS makes more of them.</remarks>
public sealed class ConversationTests(ITestOutputHelper output)
{
    private const string SimulationsVariable = "CACHE_SIMULATIONS";
    private const int SimulationsDefault = 4;
    private const int Steps = 2_000;

    private static int Simulations =>
        int.TryParse(
            Environment.GetEnvironmentVariable(SimulationsVariable), CultureInfo.InvariantCulture, out int count)
            ? count
            : SimulationsDefault;

    [Fact]
    public Task Conversations_OfOneSeedEach_AreTheModels() => RandomSeed.RunAsync(this, async seed =>
    {
        for (int i = 0; i < Simulations; i++)
        {
            output.WriteLine($"{seed + i}");
            await ConversationSimulation.RunAsync(seed + i, Steps);
        }
    });
}
