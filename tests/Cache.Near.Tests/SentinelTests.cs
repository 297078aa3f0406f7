using System.Globalization;
using System.Text;

namespace Cache.Near.Tests;

public sealed class SentinelTests
{
    private static readonly TimeSpan _patience = TimeSpan.FromSeconds(30);

    private static CancellationToken Cancellation => TestContext.Current.CancellationToken;

    // The former primary says for some seconds that it still is one; what it acknowledges then is lost.
    [Fact]
    public async Task Get_SentinelsNameAnotherPrimary_ReadsThereAlthoughTheFormerOneAnswers()
    {
        await using var sentinel = new FakeRedis();
        await using var first = new FakeRedis();
        await using var second = new FakeRedis();
        first.SetSilently("a:1", "old");
        second.SetSilently("a:1", "new");
        Name(sentinel, first);
        await using var near = await StartAsync(sentinel);
        Assert.Equal("old", await GetAsync(near));
        Name(sentinel, second);
        using var limit = CancellationTokenSource.CreateLinkedTokenSource(Cancellation);
        limit.CancelAfter(_patience);
        while (near.Status.Nodes[0].Server != second.EndPoint || !near.Status.IsCoherent)
            await Task.Delay(5, limit.Token);
        Assert.Equal("new", await GetAsync(near));
    }

    [Fact]
    public async Task Get_SentinelsAreSilent_StaysWithThePrimary()
    {
        await using var sentinel = new FakeRedis();
        await using var first = new FakeRedis();
        first.SetSilently("a:1", "one");
        Name(sentinel, first);
        await using var near = await StartAsync(sentinel);
        sentinel.Hold("SENTINEL");
        sentinel.Disconnect();
        int beats = first.CountOf("ROLE");
        using var limit = CancellationTokenSource.CreateLinkedTokenSource(Cancellation);
        limit.CancelAfter(_patience);
        while (first.CountOf("ROLE") < beats + 3)
            await Task.Delay(5, limit.Token);
        Assert.Equal("one", await GetAsync(near));
        Assert.True(near.Status.IsCoherent);
    }

    [Fact]
    public async Task Start_SentinelsDoNotKnowTheName_SaysSoAndGoesOn()
    {
        await using var sentinel = new FakeRedis();
        sentinel.AnswerWith("SENTINEL", "_\r\n");
        await using var near = await StartAsync(sentinel);
        Assert.Equal(
            $"No sentinel names the primary: {sentinel.EndPoint} does not know \"shop\"",
            near.Status.Nodes[0].LastFailure);
        Assert.Null(await near.GetAsync("a:1", Cancellation));
    }

    private static void Name(FakeRedis sentinel, FakeRedis primary)
    {
        string port = primary.Address.Port.ToString(CultureInfo.InvariantCulture);
        sentinel.AnswerWith("SENTINEL", $"*2\r\n$9\r\n127.0.0.1\r\n${port.Length}\r\n{port}\r\n");
    }

    private static async Task<string?> GetAsync(NearCache near) =>
        await near.GetAsync("a:1", Cancellation) is { } value ? Encoding.UTF8.GetString(value) : null;

    private static async Task<NearCache> StartAsync(FakeRedis sentinel)
    {
        var options = new NearCacheOptions
        {
            StalenessBound = TimeSpan.FromMilliseconds(300),
            Layout = NearLayout.Plain,
            MemoryLimitBytes = 4 << 20,
        };
        options.Servers.ServiceName = "shop";
        options.Servers.ReplyTimeout = options.Servers.ConnectTimeout = _patience;
        options.Servers.EndPoints.Add(sentinel.EndPoint);
        options.KeyPrefixes.Add("a:");
        var near = new NearCache(options, new FakeClock().Clock);
        await near.StartAsync(Cancellation);
        return near;
    }
}
