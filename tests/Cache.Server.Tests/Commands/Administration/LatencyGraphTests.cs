using Cache.Server.Commands.Administration;
using Cache.Server.Statistics;

namespace Cache.Server.Tests.Commands.Administration;

public sealed class LatencyGraphTests
{
    [Fact]
    public void Draw_Samples_AreColumnsWithTheirAges()
    {
        LatencySample[] samples = [new(0, 10), new(3595, 100), new(3600 * 3 - 5, 55)];

        string graph = LatencyGraph.Draw("command", samples, nowUnixSeconds: 3600 * 3);

        Assert.Equal(
            "command - high 100 ms, low 10 ms\n" + new string('-', 80) + "\n"
            + " # \n # \n #_\n ##\n_##\n" + "325\nhhs\n",
            graph);
    }

    [Fact]
    public void Draw_MoreThanFit_ShowsTheLast()
    {
        var samples = Enumerable.Range(0, LatencyEvents.SamplesMax)
            .Select(static i => new LatencySample(i, i < 80 ? 9999 : i)).ToArray();

        string graph = LatencyGraph.Draw("command", samples, nowUnixSeconds: 200);

        Assert.StartsWith("command - high 159 ms, low 80 ms\n", graph, StringComparison.Ordinal);
        Assert.All(graph.Split('\n')[2..7], static line => Assert.Equal(80, line.Length));
    }
}
