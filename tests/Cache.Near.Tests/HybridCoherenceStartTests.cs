using System.Diagnostics.Metrics;
using Cache.Client;
using Cache.Core.Hybrid;
using Microsoft.Extensions.Caching.Distributed;
using Microsoft.Extensions.Caching.Hybrid;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Diagnostics.HealthChecks;
using Microsoft.Extensions.Hosting;
using Microsoft.Extensions.Logging;
using Microsoft.Extensions.Logging.Abstractions;
using Microsoft.Extensions.Options;

namespace Cache.Near.Tests;

/// <summary>Registration, start, and what operators see.</summary>
public sealed class HybridCoherenceStartTests
{
    private static CancellationToken Cancellation => TestContext.Current.CancellationToken;

    [Fact]
    public async Task Start_TwoProcesses_OneSeesWhatTheOtherWrites()
    {
        await using var redis = new FakeRedis();
        await using var first = Provide(redis);
        await using var second = Provide(redis);
        await StartAsync(first);
        await StartAsync(second);
        var there = first.GetRequiredService<HybridCache>();
        var here = second.GetRequiredService<HybridCache>();
        await there.SetAsync("1", "one", cancellationToken: Cancellation);
        Assert.Equal("one", await MakeAsync());
        await there.SetAsync("1", "two", cancellationToken: Cancellation);
        using var limit = CancellationTokenSource.CreateLinkedTokenSource(Cancellation);
        limit.CancelAfter(TimeSpan.FromSeconds(30));
        while (await MakeAsync() != "two")
            await Task.Delay(5, limit.Token);
        Assert.True(second.GetRequiredService<IHybridCoherence>().Status.IsProved);

        ValueTask<string> MakeAsync() => here.GetOrCreateAsync(
            "1", static _ => ValueTask.FromResult("made"), cancellationToken: Cancellation);
    }

    [Fact]
    public async Task Start_Keyed_IsTheCoherenceOfThatCache()
    {
        await using var redis = new FakeRedis();
        var services = new ServiceCollection();
        services.AddKeyedSingleton<IDistributedCache>("far", new FakeSecondLevel(redis, "a:"));
        services.AddKeyedCacheHybridCache("pages", static options => options.DistributedCacheServiceKey = "far");
        services.AddKeyedCacheHybridCoherence("pages", redis.EndPoint, static options => options.KeyPrefix = "a:");
        services.AddCacheHybridCache();
        await using var provider = services.BuildServiceProvider();
        await StartAsync(provider);
        Assert.True(provider.GetRequiredKeyedService<IHybridCoherence>("pages").Status.IsProved);
        Assert.Null(provider.GetService<IHybridCoherence>());
        var other = provider.GetRequiredService<HybridCache>();
        Assert.Equal(1, await other.GetOrCreateAsync(
            "1", static _ => ValueTask.FromResult(1), cancellationToken: Cancellation));
    }

    [Fact]
    public async Task Start_ServerRefusesTracking_FailsAndNamesTheOtherWay()
    {
        await using var redis = new FakeRedis();
        redis.AnswerWith(
            "CLIENT", "-NOPERM this user has no permissions to run the 'client|tracking' command\r\n");
        await using var provider = Provide(redis);
        var failure = await Assert.ThrowsAsync<RespClientException>(() => StartAsync(provider));
        Assert.Equal("NOPERM", failure.ErrorCode);
        Assert.Contains("with Coherence = TimeOnly", failure.Message, StringComparison.Ordinal);
    }

    // Servers that tell of other keys look like servers on which nothing changes.
    [Fact]
    public async Task Start_PrefixIsNotThatOfTheSecondLevel_Fails()
    {
        await using var redis = new FakeRedis();
        await using var provider = Provide(
            redis, options =>
            {
                options.KeyPrefix = "b:";
                options.Servers.ReplyTimeout = TimeSpan.FromMilliseconds(200);
            });
        var failure = await Assert.ThrowsAsync<OptionsValidationException>(() => StartAsync(provider));
        Assert.StartsWith(
            $"HybridCoherenceOptions.KeyPrefix is \"b:\"; {redis.EndPoint} did not tell of the key \"b:__cache:proof:",
            failure.Message,
            StringComparison.Ordinal);
        var status = provider.GetRequiredService<IHybridCoherence>().Status;
        Assert.Equal((false, false), (status.IsProved, status.IsCoherent));
        Assert.Equal(failure.Message, Assert.Single(status.Advice));
    }

    [Fact]
    public async Task Start_ServersAreNotThere_GoesOnAndCountsLater()
    {
        await using var redis = new FakeRedis();
        redis.AnswerWith("HELLO", "-LOADING\r\n");
        await using var provider = Provide(redis);
        await StartAsync(provider);
        var coherence = provider.GetRequiredService<IHybridCoherence>();
        Assert.False(coherence.Status.IsProved);
        redis.AnswerNormally("HELLO");
        await CoherentHybrid.UntilAsync(() => coherence.Status is { IsProved: true, IsCoherent: true });
    }

    [Fact]
    public async Task Start_WrongOptions_NamesEveryMistake()
    {
        await using var redis = new FakeRedis();
        await using var provider = Provide(redis, static options =>
        {
            options.KeyPrefix = "";
            options.MaximumAge = TimeSpan.Zero;
            options.StalenessBound = TimeSpan.FromHours(1);
            options.Coherence = (NearCoherence)9;
        });
        var failure = Assert.Throws<OptionsValidationException>(
            () => provider.GetRequiredService<HybridCache>());
        string[] expected =
        [
            "HybridCoherenceOptions.KeyPrefix is empty: name what the second level puts before its keys, or set"
                + " AllKeys.",
            "HybridCoherenceOptions.MaximumAge is 00:00:00; it must be 10 ms to 1.00:00:00.",
            "HybridCoherenceOptions.StalenessBound is 01:00:00; it must be 300 ms to 00:01:00.",
            "HybridCoherenceOptions.Coherence is 9; it must be Tracking or TimeOnly.",
        ];
        Assert.Equal(expected, failure.Failures);
    }

    [Fact]
    public void Options_PrefixAndAllKeys_ExcludeEachOther()
    {
        var options = new HybridCoherenceOptions { KeyPrefix = "a:", AllKeys = true };
        options.Servers.EndPoints.Add("localhost");
        Assert.Equal(
            "KeyPrefix is \"a:\" and AllKeys is true; they exclude each other.",
            Assert.Single(options.FindProblems()));
        options.KeyPrefix = "";
        Assert.Empty(options.FindProblems());
    }

    [Fact]
    public async Task Start_NoSecondLevel_IsAMistake()
    {
        await using var redis = new FakeRedis();
        var services = new ServiceCollection();
        services.AddCacheHybridCache();
        services.AddCacheHybridCoherence(redis.EndPoint, static options => options.KeyPrefix = "a:");
        await using var provider = services.BuildServiceProvider();
        var failure = Assert.Throws<OptionsValidationException>(
            () => provider.GetRequiredService<HybridCache>());
        Assert.Equal(
            "HybridStoreOptions.SecondLevel is none; its coherence needs one: set UseSecondLevel,"
            + " DistributedCacheServiceKey or SecondLevel.",
            failure.Message);
    }

    [Fact]
    public async Task Health_NoPrimary_IsDegraded()
    {
        await using var redis = new FakeRedis();
        await using var provider = Provide(
            redis,
            static options => options.StalenessBound = TimeSpan.FromMilliseconds(300),
            static services => services
                .AddSingleton(typeof(ILogger<>), typeof(NullLogger<>))
                .AddHealthChecks()
                .AddCacheHybridCoherence());
        await StartAsync(provider);
        var options = provider.GetRequiredService<IOptions<HealthCheckServiceOptions>>().Value;
        var registration = Assert.Single(options.Registrations);
        Assert.Equal("cache_hybrid_coherence", registration.Name);
        var check = registration.Factory(provider);
        var context = new HealthCheckContext { Registration = registration };
        using var limit = CancellationTokenSource.CreateLinkedTokenSource(Cancellation);
        limit.CancelAfter(TimeSpan.FromSeconds(30));
        while ((await check.CheckHealthAsync(context, limit.Token)).Status != HealthStatus.Healthy)
            await Task.Delay(5, limit.Token);
        redis.Role = "slave";
        HealthCheckResult result;
        while ((result = await check.CheckHealthAsync(context, limit.Token)).Status != HealthStatus.Degraded
            || !result.Description!.Contains("no primary", StringComparison.Ordinal))
        {
            await Task.Delay(5, limit.Token);
        }
    }

    // A certificate that is refused, a name that is wrong: the start goes on, and must not be silent about it.
    [Fact]
    public async Task Health_NoServerCanBeAsked_SaysWhy()
    {
        await using var redis = new FakeRedis();
        redis.AnswerWith("HELLO", "-LOADING\r\n");
        await using var provider = Provide(
            redis,
            add: static services => services
                .AddSingleton(typeof(ILogger<>), typeof(NullLogger<>))
                .AddHealthChecks()
                .AddCacheHybridCoherence());
        await StartAsync(provider);
        var registration = Assert.Single(
            provider.GetRequiredService<IOptions<HealthCheckServiceOptions>>().Value.Registrations);
        var result = await registration.Factory(provider).CheckHealthAsync(
            new HealthCheckContext { Registration = registration }, Cancellation);
        Assert.Equal(HealthStatus.Degraded, result.Status);
        Assert.StartsWith(
            "The values of the hybrid cache in this process do not count: no primary is known. No server could be asked"
            + $" who is a primary: {redis.EndPoint}, HELLO: ",
            result.Description,
            StringComparison.Ordinal);
        var status = provider.GetRequiredService<IHybridCoherence>().Status;
        Assert.Contains(redis.EndPoint, Assert.Single(status.Advice), StringComparison.Ordinal);
    }

    [Fact]
    public async Task Metrics_AreThoseOfTheCache()
    {
        await using var redis = new FakeRedis();
        await using var provider = Provide(redis);
        Dictionary<string, object?> seen = [];
        using var listener = new MeterListener
        {
            InstrumentPublished = static (instrument, listener) =>
            {
                if (instrument.Meter.Name == "Cache.Near")
                    listener.EnableMeasurementEvents(instrument);
            },
        };
        listener.SetMeasurementEventCallback<long>((instrument, value, tags, _) => Note(instrument, value, tags));
        listener.SetMeasurementEventCallback<int>((instrument, value, tags, _) => Note(instrument, value, tags));
        listener.Start();
        await StartAsync(provider);
        listener.RecordObservableInstruments();
        Assert.Contains("cache.near.hybrid.coherent", seen.Keys);
        Assert.Contains("cache.near.hybrid.pushes", seen.Keys);
        Assert.Contains("cache.near.hybrid.bypasses", seen.Keys);

        void Note(Instrument instrument, long value, ReadOnlySpan<KeyValuePair<string, object?>> tags)
        {
            if (tags.Length == 1 && tags[0] is { Key: "dotnet.cache.name", Value: "default.hybrid" })
                seen[instrument.Name] = value;
        }
    }

    private static ServiceProvider Provide(
        FakeRedis redis,
        Action<HybridCoherenceOptions>? configure = null,
        Action<IServiceCollection>? add = null)
    {
        var services = new ServiceCollection();
        services.AddSingleton<IDistributedCache>(new FakeSecondLevel(redis, "a:"));
        services.AddCacheHybridCache(static options => options.UseSecondLevel = true);
        services.AddCacheHybridCoherence(redis.EndPoint + ",replyTimeout=30000,connectTimeout=30000", options =>
        {
            options.KeyPrefix = "a:";
            options.StalenessBound = TimeSpan.FromMinutes(1);
            configure?.Invoke(options);
        });
        add?.Invoke(services);
        return services.BuildServiceProvider();
    }

    private static async Task StartAsync(ServiceProvider provider)
    {
        foreach (var service in provider.GetServices<IHostedService>())
            await service.StartAsync(Cancellation);
    }
}
