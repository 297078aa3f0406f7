using System.Net;
using Cache.Core;
using Cache.Durability;
using Cache.Server;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Diagnostics.HealthChecks;
using Microsoft.Extensions.Hosting;

namespace Cache.Hosting.Tests;

/// <summary>A host whose store is kept on disk.</summary>
public sealed class DurabilityHostTests : IDisposable
{
    private readonly string _folder = Directory.CreateTempSubdirectory("cache-test-").FullName;

    private static CancellationToken Cancellation => TestContext.Current.CancellationToken;

    public void Dispose() => Directory.Delete(_folder, recursive: true);

    // Whatever the order of registration.
    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public async Task Start_OfAHost_LoadsBeforeAnyServiceStarts(bool isProbeFirst)
    {
        using (var first = Build(static _ => { }))
        {
            await first.StartAsync(Cancellation);
            first.Services.GetRequiredService<CacheStore>().Set("a"u8, "1"u8);
            await first.StopAsync(Cancellation);
        }

        using var second = Build(
            services =>
            {
                if (isProbeFirst)
                    services.AddHostedService<Probe>();
            },
            services =>
            {
                services.AddSingleton<Found>();
                if (!isProbeFirst)
                    services.AddHostedService<Probe>();
            });
        await second.StartAsync(Cancellation);
        Assert.True(second.Services.GetRequiredService<Found>().IsThere);
        await second.StopAsync(Cancellation);
    }

    [Fact]
    public async Task Start_FolderIsInUse_FailsTheHost()
    {
        using var first = Build(static _ => { });
        await first.StartAsync(Cancellation);
        using var second = Build(static _ => { });
        var refused = await Assert.ThrowsAnyAsync<IOException>(() => second.StartAsync(Cancellation));
        Assert.Contains($"process {Environment.ProcessId}", refused.Message, StringComparison.Ordinal);
        await first.StopAsync(Cancellation);
    }

    [Fact]
    public async Task Health_JournalCannotBeWritten_IsDegraded()
    {
        using var host = Build(static services => services.AddHealthChecks().AddCacheStore());
        await host.StartAsync(Cancellation);
        var health = host.Services.GetRequiredService<HealthCheckService>();
        Assert.Equal(HealthStatus.Healthy, (await health.CheckHealthAsync(Cancellation)).Status);
        var files = host.Services.GetRequiredService<CacheDurability>();
        string folder = Path.Combine(_folder, "store");
        Directory.Move(folder, folder + ".gone"); // Nothing heals before it is back.
        files.Durable!.Journal.Fail(new IOException("full"));
        var report = await health.CheckHealthAsync(Cancellation);
        Assert.Equal(HealthStatus.Degraded, report.Status);
        Assert.StartsWith("The journal cannot be written: ", report.Entries["cache"].Description);
        Directory.Move(folder + ".gone", folder);
        Assert.True(files.Durable.TryHeal());
        Assert.Equal(HealthStatus.Healthy, (await health.CheckHealthAsync(Cancellation)).Status);
        await host.StopAsync(Cancellation);
    }

    // Whatever the order of registration.
    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public async Task Server_OfTheHost_KnowsItsFiles(bool isServerFirst)
    {
        using var host = Build(
            services =>
            {
                if (isServerFirst)
                    services.AddCacheServer(static o => o.Port = 0);
            },
            services =>
            {
                if (!isServerFirst)
                    services.AddCacheServer(static o => o.Port = 0);
            });
        await host.StartAsync(Cancellation);
        var server = host.Services.GetRequiredService<RespServer>();
        await using (var client = await TestClient.ConnectAsync((IPEndPoint)server.EndPoints[0]))
        {
            await client.ExpectAsync("CONFIG GET appendonly", "*2\r\n$10\r\nappendonly\r\n$3\r\nyes\r\n");
            await client.ExpectAsync("SET a 1", "+OK\r\n");
            await client.ExpectAsync("SAVE", "+OK\r\n");
        }

        Assert.Equal(1, host.Services.GetRequiredService<CacheDurability>().GetStatus().Snapshots);
        await host.StopAsync(Cancellation);
    }

    private IHost Build(params Action<IServiceCollection>[] configure)
    {
        var builder = Host.CreateEmptyApplicationBuilder(new HostApplicationBuilderSettings());
        configure[0](builder.Services);
        builder.Services.AddCache(static o => o.MemoryLimitBytes = 16 << 20);
        builder.Services.AddCacheDurability(o => o.Directory = Path.Combine(_folder, "store"));
        foreach (var further in configure.Skip(1))
            further(builder.Services);
        return builder.Build();
    }

    private sealed class Found
    {
        public bool IsThere { get; set; }
    }

    private sealed class Probe(CacheStore store, Found found) : IHostedService
    {
        public Task StartAsync(CancellationToken cancellationToken)
        {
            found.IsThere = store.Contains("a"u8);
            return Task.CompletedTask;
        }

        public Task StopAsync(CancellationToken cancellationToken) => Task.CompletedTask;
    }
}
