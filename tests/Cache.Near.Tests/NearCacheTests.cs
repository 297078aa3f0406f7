using System.Buffers;
using System.Text;
using Cache.Client;

namespace Cache.Near.Tests;

public sealed class NearCacheTests
{
    private static readonly TimeSpan _patience = TimeSpan.FromSeconds(30);

    private static CancellationToken Cancellation => TestContext.Current.CancellationToken;

    [Fact]
    public async Task Get_SecondRead_AsksNoServer()
    {
        await using var redis = new FakeRedis();
        redis.Set("a:1", "one");
        await using var near = await StartAsync(redis);
        Assert.Equal("one", await GetAsync(near, "a:1"));
        Assert.Equal("one", await GetAsync(near, "a:1"));
        Assert.Equal("one", Local(near, "a:1"));
        Assert.Equal(1, redis.CountOf("GET a:1"));
        Assert.Contains("CLIENT TRACKING ON BCAST PREFIX a:", redis.Requests);
    }

    [Fact]
    public async Task Get_AfterAPush_ReadsAgain()
    {
        await using var redis = new FakeRedis();
        redis.Set("a:1", "one");
        await using var near = await StartAsync(redis);
        await GetAsync(near, "a:1");
        redis.Set("a:1", "two");
        await UntilAsync(() => Local(near, "a:1") is null);
        Assert.Equal("two", await GetAsync(near, "a:1"));
        Assert.Equal((1, 1), ((int)near.Status.UsefulPushes, (int)near.Status.Pushes));
    }

    // Line 1 of the promise.
    [Fact]
    public async Task Get_KeyThatChangesWhileItIsRead_IsNotKept()
    {
        await using var redis = new FakeRedis();
        redis.Set("a:1", "one");
        redis.ChangeWhenRead("a:1");
        await using var near = await StartAsync(redis);
        Assert.Equal("one", await GetAsync(near, "a:1"));
        await UntilAsync(() => near.Status.Pushes == 1);
        Assert.Null(Local(near, "a:1"));
    }

    // Line 2: what a silent link proves runs out by itself.
    [Fact]
    public async Task Get_NoHeartbeatAnswered_BypassesWhenTheLeaseHasRunOut()
    {
        await using var redis = new FakeRedis();
        redis.Set("a:1", "one");
        var clock = new FakeClock();
        await using var near = await StartAsync(redis, clock: clock);
        await GetAsync(near, "a:1");
        redis.Hold("ROLE");
        int beats = redis.CountOf("ROLE");
        await UntilAsync(() => redis.CountOf("ROLE") > beats);
        Assert.Equal("one", Local(near, "a:1"));
        clock.Advance(TimeSpan.FromMilliseconds(299));
        Assert.Equal("one", Local(near, "a:1"));
        clock.Advance(TimeSpan.FromMilliseconds(1));
        Assert.Null(Local(near, "a:1"));
        Assert.False(near.Status.IsCoherent);
        redis.Release();
        await UntilAsync(() => Local(near, "a:1") is not null);
    }

    // A heartbeat counts from when it was sent: its answer may have waited anywhere.
    [Fact]
    public async Task Get_LateHeartbeat_CountsFromWhenItWasSent()
    {
        await using var redis = new FakeRedis();
        redis.Set("a:1", "one");
        var clock = new FakeClock();
        await using var near = await StartAsync(redis, clock: clock);
        await GetAsync(near, "a:1");
        redis.Hold("ROLE");
        int beats = redis.CountOf("ROLE");
        await UntilAsync(() => redis.CountOf("ROLE") > beats);
        clock.Advance(TimeSpan.FromMilliseconds(400));
        redis.Release();
        redis.Hold("ROLE");
        // The next question is asked when the lease of this answer has been taken.
        await UntilAsync(() => redis.CountOf("ROLE") > beats + 1);
        Assert.Null(Local(near, "a:1"));
    }

    [Fact]
    public async Task Get_ServerIsNoPrimaryAnyMore_Bypasses()
    {
        await using var redis = new FakeRedis();
        redis.Set("a:1", "one");
        await using var near = await StartAsync(redis);
        await GetAsync(near, "a:1");
        redis.Role = "slave";
        await UntilAsync(() => Local(near, "a:1") is null && near.Status.Nodes[0].LastFailure is not null);
        Assert.Contains("no primary", near.Status.Nodes[0].LastFailure, StringComparison.Ordinal);
        Assert.False(near.Status.IsCoherent);
    }

    [Fact]
    public async Task Get_AfterTheLinkWasLost_ForgetsWhatItHad()
    {
        await using var redis = new FakeRedis();
        redis.Set("a:1", "one");
        await using var near = await StartAsync(redis);
        await GetAsync(near, "a:1");
        redis.SetSilently("a:1", "two");
        redis.Disconnect();
        await UntilAsync(() => Local(near, "a:1") is null);
        await UntilAsync(() => near.Status.IsCoherent);
        Assert.Equal("two", await GetAsync(near, "a:1"));
    }

    [Fact]
    public async Task Get_AfterAFlush_ReadsAgain()
    {
        await using var redis = new FakeRedis();
        redis.Set("a:1", "one");
        await using var near = await StartAsync(redis);
        await GetAsync(near, "a:1");
        redis.PushAll(">2\r\n$10\r\ninvalidate\r\n_\r\n");
        await UntilAsync(() => Local(near, "a:1") is null);
    }

    [Fact]
    public async Task Push_KeyThatIsTooLongHere_IsPassedOver()
    {
        await using var redis = new FakeRedis();
        redis.Set("a:1", "one");
        await using var near = await StartAsync(redis);
        await GetAsync(near, "a:1");
        redis.Set("a:" + new string('k', 70_000), "long");
        redis.Set("a:1", "two");
        await UntilAsync(() => near.Status.Pushes == 2);
        Assert.Equal("two", await GetAsync(near, "a:1"));
        Assert.True(near.Status.IsCoherent);
    }

    // Line 3.
    [Fact]
    public async Task Set_Awaited_IsReadHere()
    {
        await using var redis = new FakeRedis();
        redis.Set("a:1", "one");
        await using var near = await StartAsync(redis);
        await GetAsync(near, "a:1");
        await near.SetAsync("a:1", "two"u8.ToArray(), TimeSpan.FromMinutes(1), Cancellation);
        Assert.Equal("two", redis.Get("a:1"));
        Assert.Contains("SET a:1 two PX 60000", redis.Requests);
        Assert.Equal("two", await GetAsync(near, "a:1"));
        await near.RemoveAsync("a:1", Cancellation);
        Assert.Null(await GetAsync(near, "a:1"));
    }

    // Line 3, without any push: the second drop is what does it.
    [Fact]
    public async Task Set_ReadUnderWay_IsNotKeptBeyondIt()
    {
        await using var redis = new FakeRedis();
        redis.SetSilently("a:1", "one");
        await using var near = await StartAsync(redis, options => options.Coherence = NearCoherence.TimeOnly);
        redis.Hold("GET");
        var read = near.GetAsync("a:1", Cancellation);
        await UntilAsync(() => redis.CountOf("GET a:1") == 1);
        var write = near.SetAsync("a:1", "two"u8.ToArray(), null, Cancellation);
        await UntilAsync(() => redis.CountOf("SET a:1 two") == 1);
        redis.Release();
        await write;
        Assert.Equal("one", Encoding.UTF8.GetString((await read)!));
        Assert.Equal("two", await GetAsync(near, "a:1"));
    }

    [Fact]
    public async Task Get_AbsentKey_IsKnownUntilItIsSet()
    {
        await using var redis = new FakeRedis();
        await using var near = await StartAsync(redis);
        Assert.Null(await GetAsync(near, "a:1"));
        Assert.Null(await GetAsync(near, "a:1"));
        Assert.Equal(1, redis.CountOf("GET a:1"));
        redis.Set("a:1", "one");
        await UntilAsync(() => near.Status.UsefulPushes == 1);
        Assert.Equal("one", await GetAsync(near, "a:1"));
    }

    [Fact]
    public async Task Get_ManyAtOnce_IsOneReadOfTheServer()
    {
        await using var redis = new FakeRedis();
        redis.Set("a:1", "one");
        await using var near = await StartAsync(redis);
        redis.Hold("GET");
        var reads = Enumerable.Range(0, 50).Select(_ => near.GetAsync("a:1", Cancellation).AsTask()).ToArray();
        await UntilAsync(() => redis.CountOf("GET a:1") == 1);
        redis.Release();
        foreach (byte[]? value in await Task.WhenAll(reads))
            Assert.Equal("one", Encoding.UTF8.GetString(value!));
        Assert.Equal(1, redis.CountOf("GET a:1"));
        Assert.Equal((1, 49), ((int)near.Status.Fills, (int)near.Status.Joins));
    }

    [Fact]
    public async Task GetMany_SomeHereSomeNot_AreInOrder()
    {
        await using var redis = new FakeRedis();
        await using var near = await StartAsync(redis);
        for (int i = 0; i < 600; i += 2)
            redis.SetSilently($"a:{i}", $"{i}");
        await GetAsync(near, "a:4");
        var values = await near.GetManyAsync([.. Enumerable.Range(0, 600).Select(i => $"a:{i}")], Cancellation);
        for (int i = 0; i < 600; i++)
            Assert.Equal(i % 2 == 0 ? $"{i}" : null, values[i] is { } value ? Encoding.UTF8.GetString(value) : null);
        Assert.Equal(1, redis.CountOf("GET a:4"));
    }

    [Fact]
    public async Task Get_LifeThatEndsBeforeTheReply_IsNotKept()
    {
        await using var redis = new FakeRedis();
        redis.Set("a:1", "one");
        redis.SetLife("a:1", 200);
        var clock = new FakeClock();
        await using var near = await StartAsync(redis, clock: clock);
        redis.Hold("GET");
        var read = near.GetAsync("a:1", Cancellation);
        await UntilAsync(() => redis.CountOf("GET a:1") == 1);
        clock.Advance(TimeSpan.FromMilliseconds(200));
        redis.Release();
        await read;
        await UntilAsync(() => near.Status.IsCoherent);
        Assert.Null(Local(near, "a:1"));
    }

    [Fact]
    public async Task Get_KeyWithoutThePrefix_IsNotKept()
    {
        await using var redis = new FakeRedis();
        redis.Set("b:1", "one");
        await using var near = await StartAsync(redis);
        Assert.Equal("one", await GetAsync(near, "b:1"));
        Assert.Equal("one", await GetAsync(near, "b:1"));
        Assert.Equal(2, redis.CountOf("GET b:1"));
        Assert.Equal(2, near.Status.Outside);
    }

    [Fact]
    public async Task Start_TrackingRefused_FailsUnlessTimeIsChosen()
    {
        await using var redis = new FakeRedis();
        redis.Set("a:1", "one");
        redis.AnswerWith("CLIENT", "-NOPERM no\r\n");
        var failure = await Assert.ThrowsAsync<RespClientException>(() => StartAsync(redis));
        Assert.Contains(
            "CLIENT TRACKING: NOPERM no; with Coherence = TimeOnly", failure.Message, StringComparison.Ordinal);
        await using var near = await StartAsync(redis, options => options.Coherence = NearCoherence.TimeOnly);
        await GetAsync(near, "a:1");
        Assert.Equal("one", Local(near, "a:1"));
        Assert.Contains("TimeOnly", Assert.Single(near.Status.Advice), StringComparison.Ordinal);
    }

    [Fact]
    public async Task Get_ServerUnreachable_IsWhatTheOptionSays()
    {
        await using var redis = new FakeRedis();
        redis.Set("a:1", "one");
        WhenUnreachable[] policies =
            [WhenUnreachable.Miss, WhenUnreachable.Throw, WhenUnreachable.Stale(_patience)];
        foreach (var policy in policies)
        {
            redis.Role = "master";
            await using var near = await StartAsync(redis, options => options.WhenUnreachable = policy);
            await GetAsync(near, "a:1");
            redis.Role = "slave";
            await UntilAsync(() => !near.Status.IsCoherent);
            if (policy == WhenUnreachable.Throw)
                await Assert.ThrowsAsync<RespClientException>(() => GetAsync(near, "a:1"));
            else
                Assert.Equal(policy == WhenUnreachable.Miss ? null : "one", await GetAsync(near, "a:1"));
            Assert.Equal(1, near.Status.Unreachable);
        }
    }

    [Fact]
    public async Task Get_ErrorOfTheServer_IsAnException()
    {
        await using var redis = new FakeRedis();
        redis.AnswerWith("GET", "-WRONGTYPE Operation against a key\r\n");
        await using var near = await StartAsync(redis);
        var failure = await Assert.ThrowsAsync<RespClientException>(() => GetAsync(near, "a:1"));
        Assert.Equal("WRONGTYPE", failure.ErrorCode);
    }

    private static async Task<NearCache> StartAsync(
        FakeRedis redis, Action<NearCacheOptions>? configure = null, FakeClock? clock = null)
    {
        var options = new NearCacheOptions
        {
            StalenessBound = TimeSpan.FromMilliseconds(300),
            Layout = NearLayout.Plain,
            MemoryLimitBytes = 4 << 20,
            MaximumAge = TimeSpan.FromHours(1),
        };
        options.Servers.EndPoints.Add(redis.EndPoint);
        options.Servers.ReplyTimeout = options.Servers.ConnectTimeout = _patience;
        options.KeyPrefixes.Add("a:");
        configure?.Invoke(options);
        // A clock that stands still unless a test moves it: a loaded machine is no reason to bypass.
        var near = new NearCache(options, (clock ?? new FakeClock()).Clock);
        try
        {
            await near.StartAsync(Cancellation);
            return near;
        }
        catch
        {
            await near.DisposeAsync();
            throw;
        }
    }

    private static async Task<string?> GetAsync(NearCache near, string key) =>
        await near.GetAsync(key, Cancellation) is { } value ? Encoding.UTF8.GetString(value) : null;

    private static string? Local(NearCache near, string key)
    {
        var writer = new ArrayBufferWriter<byte>();
        return near.TryGetLocal(key, writer) ? Encoding.UTF8.GetString(writer.WrittenSpan) : null;
    }

    private static async Task UntilAsync(Func<bool> condition)
    {
        using var limit = CancellationTokenSource.CreateLinkedTokenSource(Cancellation);
        limit.CancelAfter(_patience);
        while (!condition())
            await Task.Delay(5, limit.Token);
    }
}
