using System.Globalization;
using System.Net;
using System.Net.Sockets;
using System.Security.Cryptography;
using System.Security.Cryptography.X509Certificates;
using System.Text;
using System.Text.Json;
using Cache.Core;

namespace Cache.Tool.Tests.Live;

public sealed class LiveVerbTests : IDisposable
{
    private readonly TemporaryFolder _folder = new();

    public void Dispose() => _folder.Dispose();

    private string PathOf(string name) => Path.Combine(_folder.Path, name);

    [Fact]
    public async Task Package_IsWrittenForItsUserAlone_AndCanBeAnalyzed()
    {
        await using var server = await RunningServer.StartAsync();
        string path = PathOf("package.zip");
        (await server.RunAsync("package", path, "--keys", "prefix")).AssertTells("bytes, keys by prefix");
        if (!OperatingSystem.IsWindows())
            Assert.Equal(UnixFileMode.UserRead | UnixFileMode.UserWrite, File.GetUnixFileMode(path));
        ToolRun.Of("analyze", path).AssertTells("keys by prefix");
        (await server.RunAsync("package", path)).AssertFails(2, "exists already");
        (await server.RunAsync("package", PathOf("other.zip"), "--keys", "all"))
            .AssertFails(2, "--keys all: hash, prefix or plain is needed.");
    }

    [Fact]
    public async Task Doctor_SaysWhatTheServerSays()
    {
        await using var server = await RunningServer.StartAsync(static options => options.MaxClients = 1);
        var run = await server.RunAsync("doctor");
        run.AssertTells("WARNING   1 of at most 1 clients are connected. (clients)");
        run.AssertTells("          Raise maxclients before the next ones are refused.");
        run = await server.RunAsync("doctor", "--json");
        using var findings = JsonDocument.Parse(run.Output);
        Assert.Equal("clients", findings.RootElement[0].GetProperty("rule").GetString());
    }

    [Fact]
    public async Task Doctor_NothingWrong_SaysSo()
    {
        await using var server = await RunningServer.StartAsync();
        (await server.RunAsync("doctor")).AssertTells("No rule of the doctor finds anything wrong.");
    }

    [Fact]
    public async Task Keys_OfAPattern_AreShownWithMemoryAndTime()
    {
        await using var server = await RunningServer.StartAsync();
        server.Store.Set("user:1"u8, "value"u8);
        server.Store.Set("user:\u001b"u8, "value"u8);
        server.Store.Set("other"u8, "value"u8);
        var run = await server.RunAsync("keys", "--match", "user:*");
        run.AssertTells("\"user:1\"");
        run.AssertTells("\"user:\\x1b\"");
        run.AssertTells("            none  ");
        Assert.DoesNotContain("other", run.Output);
        (await server.RunAsync("keys", "--match", "none*")).AssertTells("No key matches.");
        (await server.RunAsync("keys", "--match", "user*", "--count", "1")).AssertTells("There may be more");
        (await server.RunAsync("keys", "--match", "*", "--db", "99")).AssertFails(2, "SELECT 99: ERR DB index is out");
    }

    [Fact]
    public async Task Keys_BySizeAndPrefixes_AreThoseOfAPass()
    {
        await using var server = await RunningServer.StartAsync();
        server.Store.Set("user:eu:1"u8, new byte[1000], new EntryOptions { SlidingMs = 3_600_000 });
        server.Store.Set("order:1"u8, "value"u8);
        await server.WaitForPassAsync(keys: 2);
        var run = await server.RunAsync("keys", "--by", "size", "--count", "1");
        run.AssertTells("        1000   0  \"user:eu:1\"");
        Assert.DoesNotContain("order", run.Output);
        run = await server.RunAsync("keys", "--prefixes", "--by", "keys");
        run.AssertTells("  \"order:\"");
        run.AssertTells("  \"user:eu:\"");
        run.AssertTells("  none ");
        (await server.RunAsync("keys", "--prefixes", "--by", "name"))
            .AssertFails(2, "--by name: size, keys, reads, writes or bytes is needed.");
        (await server.RunAsync("keys", "--prefixes", "--match", "*")).AssertFails(2, "--match has no order.");
    }

    [Fact]
    public async Task Bench_TellsRateAndPercentiles_AndItsKeysAreHot()
    {
        await using var server = await RunningServer.StartAsync();
        var run = await server.RunAsync(
            "bench", "--seconds", "1", "--clients", "2", "--keys", "3", "--pipeline", "4", "--writes", "50");
        run.AssertTells(" requests/s: ");
        run.AssertTells(" of them hits");
        run.AssertTells("  p99.9 ");
        (await server.RunAsync("keys", "--by", "writes", "--count", "2")).AssertTells("\"bench:");
        (await server.RunAsync("top")).AssertTells("\"bench:");
        Assert.InRange(server.Store.Count, 1, 3);
    }

    [Fact]
    public async Task Bench_ServerThatRefuses_IsAnError()
    {
        await using var server = await RunningServer.StartAsync(
            static options => options.Users = ["default on nopass ~* +get +client"]);
        (await server.RunAsync("bench", "--seconds", "1", "--clients", "1", "--writes", "100"))
            .AssertFails(2, "A client ended early: NOPERM");
        (await server.RunAsync("bench", "--writes", "101")).AssertFails(2, "a number from 0 to 100 is needed.");
    }

    [Fact]
    public async Task Top_WithoutATerminal_PrintsOneFrame()
    {
        await using var server = await RunningServer.StartAsync();
        var run = await server.RunAsync("top", "--once");
        run.AssertTells($"127.0.0.1:{server.Port}, cache ");
        run.AssertTells("The doctor finds nothing wrong.");
        run.AssertTells("ops/s   hit ratio");
        Assert.DoesNotContain('\u001b', run.Output);
    }

    [Fact]
    public async Task User_WithoutRights_IsToldByTop()
    {
        await using var server = await RunningServer.StartAsync(
            static options => options.Users = ["joe on >secret ~* +info +ping"]);
        var run = await server.RunAsync("top", "--user", "joe", "--pass", "secret");
        run.AssertTells("The doctor: NOPERM");
        (await server.RunAsync("doctor", "--user", "joe", "--pass", "secret")).AssertFails(3, "NOPERM");
        (await server.RunAsync("doctor", "--user", "joe", "--pass", "wrong")).AssertFails(3, "WRONGPASS");
    }

    [Fact]
    public async Task Password_IsThatOfTheEnvironment()
    {
        await using var server = await RunningServer.StartAsync(static options => options.RequirePass = "hidden");
        (await server.RunAsync("doctor")).AssertFails(3, "NOAUTH");
        Environment.SetEnvironmentVariable("REDISCLI_AUTH", "hidden");
        try
        {
            (await server.RunAsync("doctor")).AssertTells("No rule");
            await using var open = await RunningServer.StartAsync(); // It has no password, and refuses AUTH.
            (await open.RunAsync("doctor")).AssertTells("No rule");
        }
        finally
        {
            Environment.SetEnvironmentVariable("REDISCLI_AUTH", null);
        }
    }

    [Fact]
    public async Task Socket_IsAWayToTheServer()
    {
        string path = PathOf("socket");
        await using var server = await RunningServer.StartAsync(options => options.UnixSocketPath = path);
        var run = await Task.Run(() => ToolRun.Of("doctor", "-s", path), TestContext.Current.CancellationToken);
        run.AssertTells("No rule");
    }

    [Fact]
    public async Task Tls_CertificateOfAnAuthority_IsChecked()
    {
        WriteCertificate();
        await using var server = await RunningServer.StartAsync(options =>
        {
            options.Port = null;
            options.TlsPort = 0;
            options.TlsCertificateFile = PathOf("server.pem");
            options.TlsKeyFile = PathOf("server.key");
            options.TlsClientAuthentication = Server.TlsClientAuthentication.None;
        });
        (await server.RunAsync("doctor", "-h", "localhost", "--tls", "--cacert", PathOf("server.pem")))
            .AssertTells("No rule");
        var strange = await server.RunAsync("doctor", "-h", "localhost", "--tls");
        Assert.Equal(3, strange.Code);
        Assert.Contains("certificate", strange.Errors);
        (await server.RunAsync("doctor", "--cacert", "x")).AssertFails(3, "--cacert is for --tls.");
        (await server.RunAsync("doctor", "-h", "localhost", "--tls", "--cacert", PathOf("none.pem")))
            .AssertFails(3, "none.pem");
    }

    [Fact]
    public async Task Tls_ServerThatAsksForACertificate_GetsOurs()
    {
        WriteCertificate();
        string file = PathOf("server.pem");
        await using var server = await RunningServer.StartAsync(options =>
        {
            options.Port = null;
            options.TlsPort = 0;
            options.TlsCertificateFile = file;
            options.TlsKeyFile = PathOf("server.key");
            options.TlsCaCertificateFile = file;
        });
        string[] words = ["-h", "localhost", "--tls", "--cacert", file];
        (await server.RunAsync("doctor", [.. words, "--cert", file, "--key", PathOf("server.key")]))
            .AssertTells("No rule");
        (await server.RunAsync("doctor", words)).AssertFails(3, "Does it ask for a certificate of the client?");
    }

    [Fact]
    public async Task Doctor_PackageThatTookLong_IsNoFinding()
    {
        await using var server = await RunningServer.StartAsync();
        for (int i = 0; i < 3; i++)
            server.AddSlowCall("CACHE", 200_000);
        (await server.RunAsync("doctor")).AssertTells("No rule");
        server.AddSlowCall("KEYS", 200_000);
        (await server.RunAsync("doctor")).AssertTells("KEYS took 200 ms in 1 slow calls");
    }

    [Fact]
    public async Task Server_ThatHangsUpOrTellsNonsense_IsNamed()
    {
        foreach (string answer in (string[])["", "HTTP/1.1 400\r\n"])
        {
            using var listener = new TcpListener(IPAddress.Loopback, 0);
            listener.Start();
            var answering = AnswerAsync(listener, answer);
            string port = ((IPEndPoint)listener.LocalEndpoint).Port.ToString(CultureInfo.InvariantCulture);
            var run = await Task.Run(() => ToolRun.Of("doctor", "-p", port), TestContext.Current.CancellationToken);
            run.AssertFails(3, $"127.0.0.1:{port}: ");
            await answering;
        }
    }

    [Theory]
    [InlineData("127.0.0.1:1: Connection refused", "doctor", "-p", "1")]
    [InlineData("--port 0: a number from 1 to 65535 is needed.", "doctor", "-p", "0")]
    [InlineData("--socket names the server", "doctor", "-s", "x", "-h", "y")]
    [InlineData("--user needs a password", "doctor", "--user", "bob")]
    [InlineData("--key is of a certificate", "doctor", "--tls", "--key", "x")]
    [InlineData("at once, and wait for a server that waits for it", "bench", "--pipeline", "2", "--size", "1048576")]
    [InlineData("--by name: requests, reads, writes, bytes or size is needed.", "keys", "--by", "name")]
    [InlineData("--match has no order", "keys", "--by", "reads", "--match", "x")]
    public void WrongWords_AreToldInALine(string text, params string[] words) =>
        ToolRun.Of(words).AssertFails(words[0] == "doctor" ? 3 : 2, text);

    private static async Task AnswerAsync(TcpListener listener, string answer)
    {
        using var client = await listener.AcceptSocketAsync(TestContext.Current.CancellationToken);
        await client.ReceiveAsync(new byte[1000], TestContext.Current.CancellationToken);
        await client.SendAsync(Encoding.ASCII.GetBytes(answer), TestContext.Current.CancellationToken);
        client.Shutdown(SocketShutdown.Both);
    }

    // Vouches for itself.
    private void WriteCertificate()
    {
        using var key = ECDsa.Create(ECCurve.NamedCurves.nistP256);
        var request = new CertificateRequest("CN=localhost", key, HashAlgorithmName.SHA256);
        var names = new SubjectAlternativeNameBuilder();
        names.AddDnsName("localhost");
        request.CertificateExtensions.Add(names.Build());
        request.CertificateExtensions.Add(new X509BasicConstraintsExtension(true, false, 0, true));
        using var certificate = request.CreateSelfSigned(
            new DateTimeOffset(2020, 1, 1, 0, 0, 0, TimeSpan.Zero),
            new DateTimeOffset(2049, 1, 1, 0, 0, 0, TimeSpan.Zero));
        File.WriteAllText(PathOf("server.pem"), certificate.ExportCertificatePem(), Encoding.ASCII);
        File.WriteAllText(PathOf("server.key"), key.ExportPkcs8PrivateKeyPem(), Encoding.ASCII);
    }
}
