using System.Globalization;
using System.Net;
using System.Net.Sockets;
using System.Text;
using System.Text.RegularExpressions;

namespace Cache.Hosting.Tests.Standalone;

/// <summary>How the program starts, or says why it does not, as a process of its own.</summary>
public sealed class StartTests : IDisposable
{
    private readonly TemporaryFiles _files = new();

    [Fact]
    public async Task Start_ConfigurationOfDebian_StartsWithOneWarning()
    {
        string conf = Path.Combine(AppContext.BaseDirectory, "Standalone", "debian-like.conf");
        await using var server = Start(conf, "--port", FreePort.Find(), "--dir", _files.PathOf(""));
        await using (var client = await server.ConnectAsync())
        {
            await client.ExpectAsync("PING", "+PONG\r\n");
            await client.ExpectAsync("CONFIG GET slowlog-max-len", "*2\r\n$15\r\nslowlog-max-len\r\n$3\r\n128\r\n");
        }

        string warning = Assert.Single(server.Lines, static line => line.Contains(" warn: ", StringComparison.Ordinal));
        Assert.Contains(
            "daemonize (the server stays in the foreground); logfile (the log goes to the standard output); "
            + "activerehashing, ",
            warning,
            StringComparison.Ordinal);
        Assert.Contains(" pidfile, ", warning, StringComparison.Ordinal);
        Assert.DoesNotContain("appendonly,", warning, StringComparison.Ordinal);
    }

    // As Aspire starts redis-server, and as its image is started by hand.
    [Theory]
    [InlineData("--requirepass", "s3cret", "--save", "60", "1")]
    [InlineData("--requirepass", "s3cret", "--save", "60 1", "--appendonly", "no")]
    [InlineData("--save", "", "--requirepass", "s3cret", "--appendonly", "no", "--protected-mode", "no")]
    public async Task Start_ArgumentsOfRedisServer_AreTaken(params string[] arguments)
    {
        string conf = _files.Write("redis.conf", "maxmemory 64mb\n");
        await using var server = Start(
            [conf, "--port", FreePort.Find(), "--dir", _files.PathOf(""), .. arguments]);
        await using var client = await server.ConnectAsync();
        await client.ExpectAsync("AUTH s3cret", "+OK\r\n");
        await client.ExpectAsync("CONFIG GET maxmemory", "*2\r\n$9\r\nmaxmemory\r\n$8\r\n67108864\r\n");
    }

    [Theory]
    [InlineData("--appendonly", "yes")]
    [InlineData("--save", "900 1")]
    public async Task Start_FolderForFilesIsNotThere_IsRefused(string directive, string value)
    {
        string folder = _files.PathOf("misspelt");
        await using (var server = Start("--port", FreePort.Find(), directive, value, "--dir", folder))
        {
            Assert.Equal(1, await server.WaitForExitAsync());
            Assert.Equal(
                $"cache: dir is '{folder}', which is no folder. Make it, or name another one.",
                Assert.Single(server.Lines));
        }

        Assert.False(Directory.Exists(folder));
        await using var without = Start("--port", FreePort.Find(), "--dir", folder);
        await (await without.ConnectAsync()).DisposeAsync();
    }

    // As where the folder is read-only, or another user's, which would not refuse those that run as root.
    [Fact]
    public async Task Start_NoFolderCanBeMadeInTheFolderForFiles_NamesTheDirective()
    {
        string inTheWay = _files.Write("appendonlydir", "");
        string folder = Path.GetDirectoryName(inTheWay)!;
        await using var server = Start("--port", FreePort.Find(), "--appendonly", "yes", "--dir", folder);
        Assert.Equal(1, await server.WaitForExitAsync());
        Assert.Matches(
            $"^cache: dir is '{Regex.Escape(folder)}', in which no folder can be made: .*{Regex.Escape(inTheWay)}.* "
            + "Let this user write there, or name another one.$",
            server.Lines.Last());
    }

    [Fact]
    public async Task Start_ManyMistakes_AreALineEach()
    {
        string conf = _files.Write("c.conf", "port x\ntls-port 7001\nmaxmemroy 1\n");
        await using var server = Start(conf, "--timeout", "soon");
        Assert.Equal(1, await server.WaitForExitAsync());
        Assert.Equal(
            [
                $"cache: {conf}, line 1: port is 'x'; it must be an integer between 0 and 65535.",
                $"cache: {conf}, line 3: there is no directive 'maxmemroy'; did you mean 'maxmemory'?",
                "cache: command line: --timeout is 'soon'; it must be an integer between 0 and 2147483647.",
                "cache: tls-cert-file is not given; it or tls-pfx-file is needed for a tls-port "
                + $"({conf}, line 2: tls-port).",
            ],
            server.Lines);
    }

    [Fact]
    public async Task Start_CertificateThatIsNotThere_IsNamedAsItWasWritten()
    {
        string conf = _files.Write(
            "c.conf", $"tls-port {FreePort.Find()}\ntls-cert-file none.pem\ntls-key-file k.pem\n");
        await using var server = Start(conf, "--port", "0");
        Assert.Equal(1, await server.WaitForExitAsync());
        Assert.Contains(
            server.Lines,
            line => line.StartsWith(
                $"cache: {conf}, line 2: tls-cert-file is 'none.pem'; it cannot be read (", StringComparison.Ordinal));
    }

    // Of all kinds at once: a directive, the files of users and certificates, a port that is taken.
    [Fact]
    public async Task Start_MistakesOfAllKinds_AreALineEach()
    {
        using var taken = new TcpListener(IPAddress.Loopback, 0);
        taken.Start();
        string port = ((IPEndPoint)taken.LocalEndpoint).Port.ToString(CultureInfo.InvariantCulture);
        string users = _files.Write("users.acl", "user bob +nope\n");
        string conf = _files.Write("c.conf", $"aclfile {users}\ntls-cert-file none.pem\ntls-key-file k.pem\n");
        string[] arguments = [conf, "--port", port, "--tls-port", FreePort.Find()];
        string[] problems =
        [
            $"cache: {conf}, line 1: aclfile is '{users}'; it cannot be used: {users}:1: Error in applying operation "
            + "'+nope': Unknown command or category name in ACL. WARNING: ACL errors detected, no change to the "
            + "previously active ACL rules was performed",
            $"cache: {conf}, line 2: tls-cert-file is 'none.pem'; it cannot be read",
            $"cache: {conf}, line 3: tls-key-file is 'k.pem'; it cannot be read",
            $"cache: command line: --port is {port}; cannot listen on 127.0.0.1:{port}: another process listens there "
            + "already. Stop it, or choose another port or address.",
        ];
        await using (var server = Start(arguments))
        {
            Assert.Equal(1, await server.WaitForExitAsync());
            Assert.Equal(problems, Told(server));
        }

        await using (var server = Start([.. arguments, "--databases", "2000"]))
        {
            Assert.Equal(1, await server.WaitForExitAsync());
            Assert.Equal(
                ["cache: command line: --databases is '2000'; it must be an integer between 1 and 16.", .. problems],
                Told(server));
        }

        static IEnumerable<string> Told(StandaloneProcess server) => server.Lines
            .Where(static line => line.StartsWith("cache: ", StringComparison.Ordinal))
            .Select(static line => line.Split(" (Could not find")[0]);
    }

    [Fact]
    public async Task Info_ShowsTheFileThatWasGiven_AndRewriteWritesIt()
    {
        string port = FreePort.Find();
        string path = _files.Write("c.conf", $"# ours\nport {port}\n");
        await using var server = Start("c.conf");
        await using var client = await server.ConnectAsync();
        await client.SendAsync("INFO server\r\n");
        string line = $"config_file:{_files.PathOf("c.conf")}\r\n";
        string reply = "";
        while (!reply.Contains(line, StringComparison.Ordinal))
            reply += await client.ReadAsync(1);
        await using var other = await server.ConnectAsync();
        await other.ExpectAsync("CONFIG SET timeout 9 loglevel debug", "+OK\r\n");
        await other.ExpectAsync("CONFIG REWRITE", "+OK\r\n");
        Assert.Equal(
            $"# ours\nport {port}\n# Generated by CONFIG REWRITE\ntimeout 9\nloglevel debug\n",
            await File.ReadAllTextAsync(path, TestContext.Current.CancellationToken));
        await using var next = await server.ConnectAsync();
        await server.WaitForAsync("connected from");
    }

    // As CONFIG REWRITE writes them, and as an editor does that knows of no UTF-8.
    [Theory]
    [InlineData("\"a\\xffb\"")]
    [InlineData("a\u00ffb")]
    public async Task Start_PasswordOfAnyBytes_IsTheseBytes(string password)
    {
        string path = _files.Write("c.conf", "");
        byte[] lines = Encoding.Latin1.GetBytes($"port {FreePort.Find()}\nrequirepass {password}\n");
        await File.WriteAllBytesAsync(path, lines, TestContext.Current.CancellationToken);
        await using var server = Start(path);
        await using var client = await server.ConnectAsync();
        await client.ExpectAsync("AUTH \"a\\xffb\"", "+OK\r\n");
    }

    [Fact]
    public async Task Start_LogFormatJson_WritesAnObjectALine()
    {
        await using var server = Start("--port", FreePort.Find(), "--log-format", "json");
        AssertJson(await server.WaitForAsync("Ready to accept"));
    }

    // The runtime would end the process with a stack trace.
    [Theory]
    [InlineData(
        """{ "Logging": { "Console": { "LogLevel": { "Default": "Loud" } } } }""",
        "Logging:Console:LogLevel:Default is 'Loud'; it must be one of Trace, Debug, Information, Warning, Error, "
        + "Critical, None.")]
    [InlineData(
        """{ "Logging": { "Console": { "FormatterOptions": { "SingleLine": "maybe" } } } }""", "Logging: ")]
    public async Task Start_LoggingOfTheJsonFileIsWrong_SaysSo(string text, string problem)
    {
        string json = _files.Write("a.json", text);
        await using var server = Start("--config-json", json, "--port", FreePort.Find());
        Assert.Equal(1, await server.WaitForExitAsync());
        Assert.StartsWith($"cache: {json}, {problem}", Assert.Single(server.Lines), StringComparison.Ordinal);
    }

    [Fact]
    public async Task Start_FormatterOfTheJsonFile_IsTaken()
    {
        string json = _files.Write("a.json", """{ "Logging": { "Console": { "FormatterName": "json" } } }""");
        await using var server = Start("--config-json", json, "--port", FreePort.Find());
        AssertJson(await server.WaitForAsync("Ready to accept"));
    }

    [Theory]
    [InlineData("-v")]
    [InlineData("--version")]
    public async Task Version_SaysOursAndRedis(string option)
    {
        await using var server = Start(option);
        Assert.Equal(0, await server.WaitForExitAsync());
        Assert.Equal(
            [$"cache {Server.RespServer.Version} (replies as Redis 7.0.15)"], server.Lines);
    }

    [Fact]
    public async Task Help_HasAsManyOpenBracketsAsClosedOnes()
    {
        await using var server = Start("--help");
        Assert.Equal(0, await server.WaitForExitAsync());
        Assert.All(server.Lines, static line => Assert.Equal(line.Count(c => c == '['), line.Count(c => c == ']')));
        Assert.Contains("[default: 64mb]", server.ToString(), StringComparison.Ordinal);
    }

    // Without unixsocketperm the mode is what README and --help say: what the umask leaves of 777.
    [Theory]
    [InlineData("0", 0b111_101_000)]
    [InlineData("700", 0b111_000_000)]
    public async Task Start_UnixSocket_HasTheModeOfTheMaskOrTheGivenOne(string given, int mode)
    {
        if (OperatingSystem.IsWindows())
            return;
        string path = _files.PathOf("s");
        string script = _files.Write(
            "run", $"umask 027\nexec \"$0\" \"$@\" --port 0 --unixsocket {path} --unixsocketperm {given}\n");
        await using var server = StandaloneProcess.StartByShell(_files.PathOf(""), script);
        await server.WaitForAsync("Ready to accept");
        Assert.Equal((UnixFileMode)mode, File.GetUnixFileMode(path));
    }

    public void Dispose() => _files.Dispose();

    private static void AssertJson(string line)
    {
        using var document = System.Text.Json.JsonDocument.Parse(line);
        Assert.StartsWith(
            "Ready to accept connections", document.RootElement.GetProperty("Message").GetString(),
            StringComparison.Ordinal);
    }

    private StandaloneProcess Start(params string[] arguments) =>
        StandaloneProcess.Start(_files.PathOf(""), arguments);
}
