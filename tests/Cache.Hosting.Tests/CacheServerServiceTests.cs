using System.Net;
using System.Net.Sockets;
using Cache.Core;
using Cache.Server;
using Microsoft.Extensions.Caching.Distributed;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Hosting;
using Microsoft.Extensions.Logging;
using Microsoft.Extensions.Options;

namespace Cache.Hosting.Tests;

/// <summary>A server in a generic host, over real sockets on ports that the system chooses.</summary>
public sealed class CacheServerServiceTests
{
    private static CancellationToken Token => TestContext.Current.CancellationToken;

    [Fact]
    public async Task Start_ServesUntilStop()
    {
        using var host = BuildHost(services => services.AddCacheServer(o => o.Port = 0));
        await host.StartAsync(Token);
        var endPoint = EndPointOf(host);
        await using (var client = await TestClient.ConnectAsync(endPoint))
            await client.ExpectAsync("PING", "+PONG\r\n");
        await host.StopAsync(Token);
        await Assert.ThrowsAnyAsync<SocketException>(() => TestClient.ConnectAsync(endPoint));
    }

    [Fact]
    public async Task Start_LogsWhereItListensAndWhenItStopped()
    {
        var log = new LogLines();
        using var host = BuildHost(
            services => services.AddLogging(l => l.AddProvider(log)).AddCacheServer(o => o.Port = 0));
        await host.StartAsync(Token);
        string ready = $"Information: Ready to accept connections on {EndPointOf(host)}";
        await host.StopAsync(Token);
        Assert.Contains(ready, log.Lines);
        Assert.Contains("Information: Stopped", log.Lines);
    }

    // What it says is what a client of another machine would meet.
    [Theory]
    [InlineData("0.0.0.0", false, null, "can be reached from other machines and needs no password")]
    [InlineData("0.0.0.0", true, null, "protected mode refuses clients of other machines")]
    [InlineData("0.0.0.0", false, "secret", null)]
    [InlineData("0.0.0.0", true, "secret", null)]
    [InlineData("127.0.0.1", false, null, null)]
    public async Task Start_BeyondTheMachine_WarnsOfWhatOthersMayDo(
        string address, bool isProtected, string? password, string? warning)
    {
        var log = new LogLines();
        using var host = BuildHost(services => services
            .AddLogging(l => l.AddProvider(log))
            .AddCacheServer(o =>
                (o.Port, o.Bind, o.RequirePass, o.ProtectedMode) = (0, [address], password, isProtected)));
        await host.StartAsync(Token);
        await host.StopAsync(Token);
        string[] warnings =
            [.. log.Lines.Where(static line => line.StartsWith("Warning: 0.0.0.0:", StringComparison.Ordinal))];
        Assert.Equal(warning is null ? 0 : 1, warnings.Length);
        Assert.All(warnings, line => Assert.Contains(warning!, line, StringComparison.Ordinal));
    }

    // The password of a user of the options counts as well as requirepass.
    [Fact]
    public async Task Start_BeyondTheMachineWithAPasswordOfTheDefaultUser_DoesNotWarn()
    {
        var log = new LogLines();
        using var host = BuildHost(services => services
            .AddLogging(l => l.AddProvider(log))
            .AddCacheServer(o => (o.Port, o.Bind, o.Users) = (0, ["0.0.0.0"], ["default on >secret ~* +@all"])));
        await host.StartAsync(Token);
        await host.StopAsync(Token);
        Assert.DoesNotContain(log.Lines, static line => line.StartsWith("Warning", StringComparison.Ordinal));
    }

    [Theory]
    [InlineData(100, true)]
    [InlineData(50, false)]
    public async Task Start_LimitOfAllMemory_Warns(int percent, bool warns)
    {
        var log = new LogLines();
        using var host = BuildHost(services => services
            .AddLogging(l => l.AddProvider(log))
            .AddCache(o => o.MemoryLimitBytes = CacheOptions.AvailableMemoryBytes / 100 * percent)
            .AddCacheServer(o => o.Port = 0));
        await host.StartAsync(Token);
        await host.StopAsync(Token);
        Assert.Equal(
            warns,
            log.Lines.Any(static line => line.StartsWith("Warning: The memory limit ", StringComparison.Ordinal)));
    }

    [Fact]
    public async Task Start_PortTaken_FailsWithAddressPortAndReason()
    {
        using var other = new TcpListener(IPAddress.Loopback, 0);
        other.Start();
        int port = ((IPEndPoint)other.LocalEndpoint).Port;
        using var host = BuildHost(services => services.AddCacheServer(o => o.Port = port));
        var refused = await Assert.ThrowsAsync<IOException>(() => host.StartAsync(Token));
        Assert.Equal(
            $"RespServerOptions.Port is {port}; cannot listen on 127.0.0.1:{port}: "
            + "another process listens there already. Stop it, or choose another port or address.",
            refused.Message);
    }

    [Fact]
    public async Task Start_WrongServerOption_FailsWithNameValueAndRange()
    {
        using var host = BuildHost(services => services.AddCacheServer(o => (o.Port, o.MaxClients) = (70_000, 0)));
        var refused = await Assert.ThrowsAsync<OptionsValidationException>(() => host.StartAsync(Token));
        Assert.Equal(
            [
                "RespServerOptions.Port is 70000; it must be between 0 and 65535.",
                "RespServerOptions.MaxClients is 0; it must be between 1 and 1000000.",
            ],
            refused.Failures);
    }

    [Fact]
    public async Task Start_WrongStoreOption_FailsWithNameValueAndRange()
    {
        using var host = BuildHost(
            services => services.AddCache(o => o.KeyspaceCount = 99).AddCacheServer(o => o.Port = 0));
        var refused = await Assert.ThrowsAsync<OptionsValidationException>(() => host.StartAsync(Token));
        Assert.Equal(["CacheOptions.KeyspaceCount is 99; it must be between 1 and 16."], refused.Failures);
    }

    [Fact]
    public async Task Stop_AnswersWhatWasReceivedThenCloses()
    {
        const int requests = 1_000;
        const string pong = "+PONG\r\n";
        using var host = BuildHost(services => services.AddCacheServer(o => o.Port = 0));
        await host.StartAsync(Token);
        await using var client = await TestClient.ConnectAsync(EndPointOf(host));
        await client.SendAsync(string.Concat(Enumerable.Repeat("PING\r\n", requests)));
        Assert.Equal(pong, await client.ReadAsync(pong.Length));
        await host.StopAsync(Token);
        string rest = await client.ReadAsync((requests * pong.Length) + 1);
        Assert.Equal(string.Concat(Enumerable.Repeat(pong, requests - 1)), rest);
    }

    [Fact]
    public void AddCacheServer_LeavesTheApplicationsDistributedCacheAlone()
    {
        using var host = BuildHost(services => services.AddCacheServer());
        Assert.Null(host.Services.GetService<IDistributedCache>());
    }

    private static EndPoint EndPointOf(IHost host) => TestHost.EndPointOf(host);

    private static IHost BuildHost(Action<IServiceCollection> configure) => TestHost.Build(configure);
}
