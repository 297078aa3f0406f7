using System.Net;
using System.Net.Sockets;
using Cache.Core;
using Cache.Server;
using Cache.Tool.Standalone;

namespace Cache.Hosting.Tests.Standalone;

public sealed class HealthProbeTests
{
    private static CancellationToken Token => TestContext.Current.CancellationToken;

    [Theory]
    [InlineData(null)]
    [InlineData("secret")]
    public async Task Run_BesideAServer_IsWell(string? password)
    {
        using var store = new CacheStore(new CacheOptions { MemoryLimitBytes = 16 << 20 });
        await using var server = new RespServer(store, new RespServerOptions { Port = 0, RequirePass = password });
        await server.StartAsync(Token);

        Assert.Equal(0, await HealthProbe.RunAsync(((IPEndPoint)server.EndPoints[0]).Port));
    }

    [Fact]
    public async Task Run_BesideSomethingElse_IsNot()
    {
        using var listener = new TcpListener(IPAddress.Loopback, 0);
        listener.Start();
        var probe = HealthProbe.RunAsync(((IPEndPoint)listener.LocalEndpoint).Port);
        using var client = await listener.AcceptTcpClientAsync(Token);
        await client.GetStream().WriteAsync("HTTP/1.1 400\r\n"u8.ToArray(), Token);

        Assert.Equal(1, await probe);
    }

    [Theory]
    [InlineData(true, 6379, "--ping")]
    [InlineData(true, 7000, "--ping", "7000")]
    [InlineData(false, 0, "--ping", "x")]
    [InlineData(false, 70000, "--ping", "70000")]
    [InlineData(false, 6379, "--port", "7000")]
    public void IsAsked_Arguments_SayThePort(bool isAsked, int port, params string[] arguments) =>
        Assert.Equal((isAsked, port), (HealthProbe.IsAsked(arguments, out int found), found));
}
