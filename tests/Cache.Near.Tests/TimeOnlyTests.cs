using System.Text;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Diagnostics.HealthChecks;
using Microsoft.Extensions.Options;

namespace Cache.Near.Tests;

/// <summary>
/// Servers that tell of no changes: processes tell one another of their own writes, and the maximum age is all that is
/// promised.
/// </summary>
public sealed class TimeOnlyTests
{
    private static CancellationToken Cancellation => TestContext.Current.CancellationToken;

    [Theory]
    [InlineData(false)]
    [InlineData(true)] // Without RESP3 messages look like replies.
    public async Task Near_WriteOfAnotherProcess_IsHeardOf(bool isOld)
    {
        await using var redis = new FakeRedis { IsOld = isOld };
        redis.Set("a:1", "one");
        await using var writer = await StartNearAsync(redis);
        await using var reader = await StartNearAsync(redis);
        Assert.Equal("one", await GetAsync(reader, "a:1"));
        await writer.SetAsync("a:1", "two"u8.ToArray(), token: Cancellation);
        await CoherentHybrid.UntilAsync(() => reader.Status.UsefulPushes == 1);
        Assert.Equal("two", await GetAsync(reader, "a:1"));
        await writer.RemoveAsync("a:1", Cancellation);
        await CoherentHybrid.UntilAsync(() => reader.Status.UsefulPushes == 2);
        Assert.Null(await GetAsync(reader, "a:1"));
        Assert.Equal(0, writer.Status.Pushes); // Its own are none.
        Assert.DoesNotContain(
            redis.Requests, request => request.StartsWith("CLIENT TRACKING", StringComparison.Ordinal));
    }

    // What is not promised: nobody has told.
    [Fact]
    public async Task Near_WriteOfSomethingElse_IsSeenAfterTheMaximumAge()
    {
        await using var redis = new FakeRedis();
        redis.Set("a:1", "one");
        await using var near = await StartNearAsync(
            redis, static options => options.MaximumAge = TimeSpan.FromSeconds(1));
        Assert.Equal("one", await GetAsync(near, "a:1"));
        redis.Set("a:1", "two");
        using var limit = CancellationTokenSource.CreateLinkedTokenSource(Cancellation);
        limit.CancelAfter(TimeSpan.FromSeconds(30));
        while (await GetAsync(near, "a:1") is "one")
            await Task.Delay(5, limit.Token);
        Assert.Equal(0, near.Status.Pushes);
        Assert.False(near.Status.IsCoherent);
    }

    // What was written while the channel was lost nobody has told here.
    [Fact]
    public async Task Near_ChannelThatWasLost_ForgetsWhatItHad()
    {
        await using var redis = new FakeRedis();
        redis.Set("a:1", "one");
        await using var near = await StartNearAsync(redis);
        Assert.Equal("one", await GetAsync(near, "a:1"));
        redis.Set("a:1", "two");
        redis.Disconnect();
        await CoherentHybrid.UntilAsync(() => near.Status is { IsListening: true, Clears: 2 });
        Assert.Equal("two", await GetAsync(near, "a:1"));
    }

    [Fact]
    public async Task Near_ChannelIsRefused_WorksAndSaysWhatHolds()
    {
        await using var redis = new FakeRedis();
        redis.AnswerWith("SUBSCRIBE", "-NOPERM no access to the channel\r\n");
        redis.Set("a:1", "one");
        var services = new ServiceCollection();
        services.AddCacheNear(redis.EndPoint, static options =>
        {
            options.InstanceName = "a:";
            options.Coherence = NearCoherence.TimeOnly;
        });
        services.AddHealthChecks().AddCacheNear();
        await using var provider = services.BuildServiceProvider();
        var near = provider.GetRequiredService<NearCache>();
        await near.StartAsync(Cancellation);
        await CoherentHybrid.UntilAsync(() => near.Status.Advice.Count == 2);
        Assert.Contains("SUBSCRIBE: NOPERM no access", near.Status.Advice[1], StringComparison.Ordinal);
        Assert.False(near.Status.IsListening);
        var result = await CheckAsync(provider);
        Assert.Equal(HealthStatus.Degraded, result.Status);
        Assert.StartsWith(
            "No writes of other processes are heard of. Coherence is TimeOnly: a change may not be seen here before"
            + " 00:01:00 has passed.",
            result.Description,
            StringComparison.Ordinal);
        redis.AnswerNormally("SUBSCRIBE");
        await CoherentHybrid.UntilAsync(() => near.Status.IsListening);
        result = await CheckAsync(provider);
        Assert.Equal((HealthStatus.Healthy, true), (result.Status, (bool)result.Data["listening"]));
    }

    [Fact]
    public async Task Hybrid_WriteOfAnotherProcess_IsHeardOf()
    {
        await using var redis = new FakeRedis();
        await using var writer = await StartHybridAsync(redis);
        await using var reader = await StartHybridAsync(redis);
        await writer.Cache.SetAsync("1", "one", cancellationToken: Cancellation);
        await CoherentHybrid.UntilAsync(() => reader.Status.Pushes == 1);
        Assert.Equal("one", await reader.GetAsync("1"));
        Assert.Equal("one", await reader.GetAsync("1"));
        Assert.Equal(1, reader.Level.ReadCount);
        await writer.Cache.SetAsync("1", "two", cancellationToken: Cancellation);
        await CoherentHybrid.UntilAsync(() => reader.Status.UsefulPushes == 1);
        Assert.Equal("two", await reader.GetAsync("1"));
        await writer.Cache.RemoveAsync("1", Cancellation);
        await CoherentHybrid.UntilAsync(() => reader.Status.UsefulPushes == 2);
        Assert.Equal("made 1", await reader.GetAsync("1", ["red"]));
        await reader.UntilIdleAsync();
        Assert.Equal("made 1", await reader.GetAsync("1", ["red"])); // Its own write is no other's.
        await writer.Cache.RemoveByTagAsync("red", Cancellation);
        await CoherentHybrid.UntilAsync(() => reader.Status.Pushes == 4);
        Assert.Equal("made 2", await reader.GetAsync("1", ["red"]));
    }

    [Fact]
    public async Task Hybrid_KeyThatIsToldOfWhileItIsRead_IsNotKept()
    {
        await using var redis = new FakeRedis();
        await using var writer = await StartHybridAsync(redis);
        await using var reader = await StartHybridAsync(redis);
        await writer.Cache.SetAsync("1", "one", cancellationToken: Cancellation);
        await CoherentHybrid.UntilAsync(() => reader.Status.Pushes == 1);
        reader.Level.HoldReads();
        var read = reader.GetAsync("1").AsTask();
        await CoherentHybrid.UntilAsync(() => reader.Level.ReadCount == 1);
        await writer.Cache.RemoveAsync("1", Cancellation);
        await CoherentHybrid.UntilAsync(() => reader.Status.Pushes == 2);
        reader.Level.Release();
        Assert.Equal("one", await read);
        Assert.Equal("made 1", await reader.GetAsync("1"));
    }

    // A link is needed all the same: without one nothing would be heard of.
    [Fact]
    public async Task Hybrid_LinkIsLost_AsksTheSecondLevel()
    {
        await using var redis = new FakeRedis();
        await using var reader = await StartHybridAsync(redis);
        Assert.Equal("made 1", await reader.GetAsync("1"));
        await reader.UntilIdleAsync();
        Assert.Equal("made 1", await reader.GetAsync("1"));
        redis.AnswerWith("HELLO", "-LOADING\r\n");
        redis.Disconnect();
        await CoherentHybrid.UntilAsync(() => !reader.Status.Nodes[0].IsCoherent);
        redis.DeleteSilently("a:1");
        Assert.Equal("made 2", await reader.GetAsync("1"));
    }

    private static async Task<NearCache> StartNearAsync(FakeRedis redis, Action<NearCacheOptions>? configure = null)
    {
        var options = new NearCacheOptions
        {
            Coherence = NearCoherence.TimeOnly,
            Layout = NearLayout.Plain,
            MaximumAge = TimeSpan.FromHours(1),
        };
        options.Servers.EndPoints.Add(redis.EndPoint);
        options.KeyPrefixes.Add("a:");
        configure?.Invoke(options);
        var near = new NearCache(options);
        await near.StartAsync(Cancellation);
        await CoherentHybrid.UntilAsync(() => near.Status.IsListening);
        return near;
    }

    private static async Task<CoherentHybrid> StartHybridAsync(FakeRedis redis)
    {
        var hybrid = await CoherentHybrid.StartAsync(
            redis, configure: static options => options.Coherence = NearCoherence.TimeOnly);
        await CoherentHybrid.UntilAsync(() => hybrid.Status.IsListening);
        return hybrid;
    }

    private static async Task<string?> GetAsync(NearCache near, string key) =>
        await near.GetAsync(key, Cancellation) is { } value ? Encoding.UTF8.GetString(value) : null;

    private static Task<HealthCheckResult> CheckAsync(ServiceProvider provider)
    {
        var registration = Assert.Single(
            provider.GetRequiredService<IOptions<HealthCheckServiceOptions>>().Value.Registrations);
        return registration.Factory(provider).CheckHealthAsync(
            new HealthCheckContext { Registration = registration }, Cancellation);
    }
}
