using System.Net;
using System.Net.Sockets;
using System.Text;

namespace Cache.Hosting.Tests.Standalone;

/// <summary>The port of the dashboard, as a process of its own.</summary>
public sealed class HttpPortTests : IDisposable
{
    private readonly TemporaryFiles _files = new();
    private readonly HttpClient _http = new();

    public void Dispose()
    {
        _http.Dispose();
        _files.Dispose();
    }

    [Fact]
    public async Task HttpPort_ServesMetricsHealthAndDashboard()
    {
        string port = FreePort.Find();
        await using var server = Start("--port", FreePort.Find(), "--http-port", port);
        await using var client = await server.ConnectAsync();
        await client.ExpectAsync("SET one 1", "+OK\r\n");
        await client.ExpectAsync("CONFIG GET http-port", $"*2\r\n$9\r\nhttp-port\r\n${port.Length}\r\n{port}\r\n");

        Assert.Equal((HttpStatusCode.OK, "ready\n"), await GetAsync(port, "/health"));
        var (status, text) = await GetAsync(port, "/metrics");
        Assert.Equal(HttpStatusCode.OK, status);
        Assert.Equal(1, PrometheusText.Parse(Encoding.UTF8.GetBytes(text)).Value("redis_commands_total", "cmd=set"));
        Assert.Contains("<title>Cache</title>", (await GetAsync(port, "/")).Body, StringComparison.Ordinal);
        Assert.Contains(
            "\"origin\":\"command line\"", (await GetAsync(port, "/cache/api/configuration")).Body,
            StringComparison.Ordinal);
        Assert.DoesNotContain(
            server.Lines, static line => line.Contains("Microsoft.AspNetCore", StringComparison.Ordinal));
    }

    [Fact]
    public async Task HttpPort_ByDefault_IsOff()
    {
        await using var server = Start("--port", FreePort.Find());
        await using var client = await server.ConnectAsync();

        await client.ExpectAsync("CONFIG GET http-port", "*2\r\n$9\r\nhttp-port\r\n$1\r\n0\r\n");
        string maps = await File.ReadAllTextAsync(
            $"/proc/{server.Id}/maps", TestContext.Current.CancellationToken);
        Assert.DoesNotContain("Kestrel", maps, StringComparison.Ordinal);
    }

    [Fact]
    public async Task HttpPort_InUse_EndsTheStart()
    {
        using var taken = new TcpListener(IPAddress.Loopback, 0);
        taken.Start();
        int port = ((IPEndPoint)taken.LocalEndpoint).Port;

        await using var server = Start("--port", FreePort.Find(), "--http-port", $"{port}");

        Assert.Equal(1, await server.WaitForExitAsync());
        Assert.Contains(
            server.Lines,
            line => line.StartsWith($"cache: http-port is {port}: ", StringComparison.Ordinal)
                && line.Contains("address already in use", StringComparison.Ordinal));
    }

    // An address of documentation, which no machine has.
    [Fact]
    public async Task HttpBind_AddressOfAnotherMachine_EndsTheStart()
    {
        string port = FreePort.Find();
        await using var server = Start(
            "--port", FreePort.Find(), "--http-port", port, "--http-bind", "192.0.2.1");

        Assert.Equal(1, await server.WaitForExitAsync());
        Assert.Contains(
            server.Lines, line => line.StartsWith($"cache: http-port is {port}: ", StringComparison.Ordinal));
    }

    [Fact]
    public async Task HttpBind_Unknown_EndsTheStart()
    {
        await using var server = Start(
            "--port", FreePort.Find(), "--http-port", FreePort.Find(), "--http-bind", "no_such name.invalid");

        Assert.Equal(1, await server.WaitForExitAsync());
        Assert.Contains(server.Lines, static line => line.Contains("http-bind", StringComparison.Ordinal));
    }

    // Of a network for examples: no machine has it.
    [Fact]
    public async Task HttpBind_OfAnotherMachine_EndsTheStart()
    {
        string port = FreePort.Find();
        await using var server = Start(
            "--port", FreePort.Find(), "--http-port", port, "--http-bind", "192.0.2.1");

        Assert.Equal(1, await server.WaitForExitAsync());
        Assert.Contains(
            server.Lines, line => line.StartsWith($"cache: http-port is {port}: ", StringComparison.Ordinal));
    }

    [Fact]
    public async Task HttpBind_OfAllAddresses_TakesBothFamilies_AndLeavesOutWhatMayBeAbsent()
    {
        string port = FreePort.Find();
        await using var server = Start(
            "--port", FreePort.Find(), "--http-port", port, "--http-bind", "* -::* -192.0.2.1");

        Assert.Equal((HttpStatusCode.OK, "ready\n"), await GetAsync(port, "/health"));
    }

    // Some balancers ask so.
    [Fact]
    public async Task Health_ByHead_IsAnswered()
    {
        string port = FreePort.Find();
        await using var server = Start("--port", FreePort.Find(), "--http-port", port);
        await WaitForHealthAsync(port);

        using var request = new HttpRequestMessage(HttpMethod.Head, $"http://127.0.0.1:{port}/health");
        using var response = await _http.SendAsync(request, TestContext.Current.CancellationToken);

        Assert.Equal(HttpStatusCode.OK, response.StatusCode);
    }

    // Anybody may connect, and do little: the page shows no more than such a client could see.
    [Fact]
    public async Task Dashboard_WhereTheDefaultUserHasFewRights_AsksForAnother()
    {
        string port = FreePort.Find();
        await using var server = Start(
            "--port", FreePort.Find(), "--http-port", port, "--user", "default on nopass ~public:* +get +set",
            "--user", "ops on >word ~* +@all");
        await WaitForHealthAsync(port);

        Assert.Equal(HttpStatusCode.Unauthorized, (await GetAsync(port, "/cache/api/keys")).Status);
        Assert.Equal(HttpStatusCode.Unauthorized, (await GetAsync(port, "/cache/api/configuration")).Status);
        Assert.Equal(HttpStatusCode.Unauthorized, (await GetAsync(port, "/cache/api/keys", "ops:wrong")).Status);
        Assert.Equal(HttpStatusCode.OK, (await GetAsync(port, "/cache/api/keys", "ops:word")).Status);
    }

    [Fact]
    public async Task Dashboard_WithAPassword_AsksForAUserWithTheRights()
    {
        string port = FreePort.Find();
        await using var server = Start(
            "--port", FreePort.Find(), "--http-port", port, "--requirepass", "secret",
            "--user", "ops on >word ~* +@admin +info +scan +memory|usage +latency|history",
            "--user", "reader on >word ~* +get +info");
        await server.WaitForAsync("Ready to accept");
        await WaitForHealthAsync(port);

        Assert.Equal(HttpStatusCode.Unauthorized, (await GetAsync(port, "/cache/")).Status);
        Assert.Equal(HttpStatusCode.Unauthorized, (await GetAsync(port, "/cache/api/keys", "default:wrong")).Status);
        Assert.Equal(HttpStatusCode.Unauthorized, (await GetAsync(port, "/cache/api/keys", "nobody:word")).Status);
        var (status, body) = await GetAsync(port, "/cache/api/server", "reader:word");
        Assert.Equal(HttpStatusCode.Forbidden, status);
        Assert.Contains("no right to", body, StringComparison.Ordinal);
        Assert.Equal(HttpStatusCode.OK, (await GetAsync(port, "/cache/api/server", "ops:word")).Status);
        Assert.Equal(HttpStatusCode.OK, (await GetAsync(port, "/cache/api/server", "default:secret")).Status);
        Assert.Equal(HttpStatusCode.OK, (await GetAsync(port, "/metrics")).Status);
    }

    [Fact]
    public async Task Dashboard_ValuesAndSlowArguments_NeedTheRightToGet()
    {
        string port = FreePort.Find();
        await using var server = Start(
            "--port", FreePort.Find(), "--http-port", port, "--user", "default on nopass ~* +@all -get");
        await using var client = await server.ConnectAsync();
        await client.ExpectAsync("SET one hidden", "+OK\r\n");
        await WaitForHealthAsync(port);

        var (status, body) = await GetAsync(port, "/cache/api/key?key=one");

        Assert.Equal(HttpStatusCode.OK, status);
        Assert.DoesNotContain("hidden", body, StringComparison.Ordinal);
    }

    private StandaloneProcess Start(params string[] arguments) => StandaloneProcess.Start(_files.PathOf(""), arguments);

    // It listens a moment after the port of Redis.
    private async Task WaitForHealthAsync(string port)
    {
        for (int i = 0; i < 200; i++)
        {
            try
            {
                if ((await SendAsync(port, "/health", null)).Status == HttpStatusCode.OK)
                    return;
            }
            catch (HttpRequestException)
            {
                // Not yet.
            }

            await Task.Delay(50, TestContext.Current.CancellationToken);
        }

        Assert.Fail("/health does not answer.");
    }

    private async Task<(HttpStatusCode Status, string Body)> GetAsync(
        string port, string path, string? credentials = null)
    {
        await WaitForHealthAsync(port);
        return await SendAsync(port, path, credentials);
    }

    private async Task<(HttpStatusCode Status, string Body)> SendAsync(string port, string path, string? credentials)
    {
        using var request = new HttpRequestMessage(HttpMethod.Get, $"http://127.0.0.1:{port}{path}");
        if (credentials is not null)
            request.Headers.Authorization = new("Basic", Convert.ToBase64String(Encoding.UTF8.GetBytes(credentials)));
        using var response = await _http.SendAsync(request, TestContext.Current.CancellationToken);
        return (response.StatusCode, await response.Content.ReadAsStringAsync(TestContext.Current.CancellationToken));
    }
}
