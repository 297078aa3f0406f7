using Cache.Server.Connections;
using Cache.Testing;

namespace Cache.Server.Tests.Connections;

public sealed class LiveConnectionsTests
{
    [Fact]
    public void Enumerate_AfterAnyAddsAndRemoves_GivesThoseThatAreLeft() => RandomSeed.Run(this, seed =>
    {
        var random = new Random(seed);
        var list = new LiveConnections();
        var expected = new List<LiveConnection>();
        for (int i = 0; i < 2000; i++)
        {
            if (expected.Count > 0 && random.Next(5) < 2)
            {
                int index = random.Next(expected.Count);
                list.Remove(expected[index]);
                expected.RemoveAt(index);
            }
            else
            {
                var connection = new LiveConnection(transport: null!, client: null);
                list.Add(connection);
                expected.Add(connection);
            }

            if (i % 100 == 0)
                Assert.Equal(expected.ToHashSet(), list.ToHashSet());
        }

        Assert.Equal(expected.Count, list.Count);
        Assert.Equal(expected.Count, list.ToList().Count);
        expected.ForEach(list.Remove);
        Assert.Empty(list);
    });

    // The sweep and a stop look while connections come and go.
    [Fact]
    public async Task Enumerate_WhileOthersChange_GivesThoseThatWereThereThroughout()
    {
        var list = new LiveConnections();
        var lasting = Enumerable.Range(0, 50).Select(_ => new LiveConnection(null!, null)).ToHashSet();
        foreach (var connection in lasting)
            list.Add(connection);
        using var stop = new CancellationTokenSource();
        var changing = Task.Run(
            () =>
            {
                while (!stop.IsCancellationRequested)
                {
                    var connection = new LiveConnection(null!, null);
                    list.Add(connection);
                    list.Remove(connection);
                }
            },
            TestContext.Current.CancellationToken);
        for (int i = 0; i < 1000; i++)
            Assert.Subset(list.ToHashSet(), lasting);
        await stop.CancelAsync();
        await changing;

        Assert.Equal(lasting, list.ToHashSet());
    }
}
