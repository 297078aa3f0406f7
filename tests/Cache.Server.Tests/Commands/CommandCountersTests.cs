using Cache.Server.Commands;

namespace Cache.Server.Tests.Commands;

public sealed class CommandCountersTests
{
    // A client that sends nothing but GET has counted 2^32 of them after an hour or two, where the counter begins anew.
    [Fact]
    public void CountCall_OneCommandAgainAndAgain_IsFoldedNowAndThen()
    {
        const int Calls = 3 << 20;
        var statistics = new ServerStatistics(CommandTable.Default.All.Count);
        var counters = default(CommandCounters);
        int command = CommandTable.Default.Get.Index;
        int samples = 0;
        for (int i = 0; i < Calls; i++)
        {
            if (!counters.CountCall(command, statistics))
                continue;
            counters.AddSample(command, 5);
            samples++;
        }

        Assert.InRange(statistics.SumCommands([])[command].Calls, 1, Calls);

        counters.FoldInto(statistics);
        var sum = statistics.SumCommands([])[command];
        Assert.Equal(Calls, sum.Calls);
        Assert.Equal(samples, sum.Samples);
        Assert.Equal(samples * 5, sum.SampledTicks);
    }
}
