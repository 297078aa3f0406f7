namespace Cache.Near.Tests;

/// <summary>Another server becomes the primary: the second level's client learns of it by itself.</summary>
public sealed class HybridFailoverTests
{
    private static CancellationToken Cancellation => TestContext.Current.CancellationToken;

    // The former primary still answers the second level; the new one tells of nothing that is written there.
    [Fact]
    public async Task Get_SecondLevelIsStillAtTheFormerPrimary_KeepsNothing()
    {
        await using var first = new FakeRedis();
        await using var second = new FakeRedis { Role = "slave" };
        await using var reader = await StartAsync(first, second);
        await reader.Cache.SetAsync("1", "one", cancellationToken: Cancellation);
        await FailOverAsync(first, second, reader);
        Assert.Equal("one", await reader.GetAsync("1"));
        first.DeleteSilently("a:1");
        Assert.Equal("made 1", await reader.GetAsync("1"));
        await reader.UntilIdleAsync();
        first.DeleteSilently("a:1");
        Assert.Equal("made 2", await reader.GetAsync("1"));
        await CoherentHybrid.UntilAsync(() => reader.Status.LastProofFailure is not null);
        Assert.Equal((false, false), (reader.Status.IsProved, reader.Status.IsCoherent));
        Assert.StartsWith(
            "HybridCoherenceOptions.KeyPrefix is \"a:\";", reader.Status.LastProofFailure, StringComparison.Ordinal);
    }

    [Fact]
    public async Task Get_SecondLevelHasFollowed_CountsAgainAndForgetsWhatItReadBefore()
    {
        await using var first = new FakeRedis();
        await using var second = new FakeRedis { Role = "slave" };
        await using var reader = await StartAsync(first, second);
        await reader.Cache.SetAsync("1", "one", cancellationToken: Cancellation);
        await FailOverAsync(first, second, reader);
        Assert.Equal("one", await reader.GetAsync("1")); // Of the former primary; the new one has it no more.
        reader.Level.Server = second;
        await CoherentHybrid.UntilAsync(() => reader.Status is { IsCoherent: true, IsProved: true });
        Assert.Equal("made 1", await reader.GetAsync("1"));
        await reader.UntilIdleAsync();
        await CoherentHybrid.UntilAsync(() => !reader.Store.Contains("1"u8)); // The own write was told of.
        Assert.Equal("made 1", await reader.GetAsync("1"));
        int reads = reader.Level.ReadCount;
        Assert.Equal("made 1", await reader.GetAsync("1"));
        Assert.Equal(reads, reader.Level.ReadCount);
    }

    // What the first link would have told of is lost with it, which is no mistake in the options.
    [Fact]
    public async Task Start_LinkIsLostDuringTheProof_GoesOn()
    {
        await using var redis = new FakeRedis();
        int writes = 0;
        await using var hybrid = await CoherentHybrid.StartAsync(
            redis,
            configure: static options => options.Servers.ReplyTimeout = TimeSpan.FromSeconds(2),
            before: hybrid => hybrid.Level.BeforeWrite = () =>
            {
                if (Interlocked.Increment(ref writes) == 1)
                    redis.Disconnect();
            });
        await CoherentHybrid.UntilAsync(() => hybrid.Status is { IsCoherent: true, IsProved: true });
        Assert.Null(hybrid.Status.LastProofFailure);
        Assert.Equal(2, Volatile.Read(ref writes));
    }

    // The former primary has told of the write, whose reply comes when another link is there.
    [Fact]
    public async Task Start_AnotherLinkDuringTheProof_IsNotProvedByIt()
    {
        await using var first = new FakeRedis();
        await using var second = new FakeRedis { Role = "slave" };
        CoherentHybrid? made = null;
        var starting = StartAsync(first, second, hybrid =>
        {
            made = hybrid;
            hybrid.Level.HoldWrites();
        });
        await CoherentHybrid.UntilAsync(() => made?.Status.Pushes == 1);
        await FailOverAsync(first, second, made!);
        made!.Level.Release();
        await using var hybrid = await starting;
        Assert.False(hybrid.Status.IsProved);
        hybrid.Level.Server = second;
        await CoherentHybrid.UntilAsync(() => hybrid.Status is { IsCoherent: true, IsProved: true });
    }

    private static Task<CoherentHybrid> StartAsync(
        FakeRedis first, FakeRedis second, Action<CoherentHybrid>? before = null) => CoherentHybrid.StartAsync(
        first,
        configure: options =>
        {
            options.Servers.EndPoints.Add(second.EndPoint);
            options.Servers.ReplyTimeout = TimeSpan.FromSeconds(1);
        },
        before: before);

    private static async Task FailOverAsync(FakeRedis first, FakeRedis second, CoherentHybrid reader)
    {
        (first.Role, second.Role) = ("slave", "master");
        await CoherentHybrid.UntilAsync(
            () => reader.Status.Nodes is [{ IsCoherent: true } node] && node.Server == second.EndPoint);
    }
}
