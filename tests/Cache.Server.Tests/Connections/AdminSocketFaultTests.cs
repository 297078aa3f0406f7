using System.Net.Sockets;
using System.Runtime.Versioning;
using System.Text;
using Cache.Core;
using Cache.Durability;
using Cache.Server.Commands;
using Cache.Server.Commands.Dispatch;
using Cache.Server.Commands.Table;
using Cache.Server.Settings;
using Cache.Server.Tests.Commands;
using Cache.Server.Tests.Transport;
using Microsoft.Extensions.Logging;

namespace Cache.Server.Tests.Connections;

/// <summary>The admin socket and its actions where log, paths, users and links are against it.</summary>
[SupportedOSPlatform("linux")]
public sealed class AdminSocketFaultTests : IDisposable
{
    private static readonly TimeSpan _patience = TimeSpan.FromSeconds(20);

    private readonly CacheStore _store = new(new CacheOptions { MemoryLimitBytes = 16 << 20, ShardCount = 2 });
    private readonly TemporaryFolder _folder = new();

    private static CancellationToken Token => TestContext.Current.CancellationToken;

    private string AdminPath => _folder.PathOf("admin");

    public void Dispose()
    {
        _store.Dispose();
        _folder.Dispose();
    }

    [Fact]
    public async Task Command_AfterAPause_DidNotLastAsLongAsThePause()
    {
        await using var server = await StartAsync();
        using var admin = Connect();
        Assert.Equal("+PONG\r\n", Ask(admin, "PING"));
        await Task.Delay(200, Token);

        Assert.Equal("+PONG\r\n", Ask(admin, "PING"));

        Assert.Equal(":0\r\n", Ask(admin, "SLOWLOG LEN"));
    }

    [Fact]
    public async Task Command_WhileTheLogHangs_IsAnswered()
    {
        using var log = new HangingLog();
        await using var server = await StartAsync(log);
        using var stuck = Connect();
        Assert.Equal("+PONG\r\n", Ask(stuck, "PING"));
        log.Hang();
        string reply = "";
        lock (server.State.Settings.Changing)
        {
            stuck.Send("CONFIG SET maxclients 88\r\n"u8);
            Assert.StartsWith("-ERR this command has not ended in time", Read(stuck)); // And it was logged.

            using var other = Connect();
            reply = Ask(other, "PING");
        }

        log.Dispose();
        Assert.Equal("+PONG\r\n", reply);
    }

    [Fact]
    public async Task EndProcess_WhileTheLogHangs_Ends()
    {
        using var log = new HangingLog();
        using var ended = new ManualResetEventSlim();
        await using var server = await StartAsync(log, options => options.ShutdownRequested = ended.Set);
        using var admin = Connect();
        log.Hang();

        admin.Send("SHUTDOWN NOSAVE\r\n"u8); // END-PROCESS has the same order: log first, then act.

        bool hasEnded = ended.Wait(_patience, Token);
        log.Dispose();
        Assert.True(hasEnded);
    }

    [Fact]
    public async Task Start_WithARelativePathThatIsLongInFull_SaysSo()
    {
        string before = Environment.CurrentDirectory;
        string folder = Directory.CreateDirectory(_folder.PathOf(new string('x', 100))).FullName;
        Environment.CurrentDirectory = folder;
        try
        {
            await using var server = new RespServer(_store, new RespServerOptions { Port = 0, AdminSocketPath = "a" });
            await Assert.ThrowsAsync<IOException>(() => server.StartAsync(Token));
        }
        finally
        {
            Environment.CurrentDirectory = before;
        }
    }

    [Theory]
    [InlineData("+@all -shutdown", "END-PROCESS")]
    [InlineData("+@all -acl", "RESET-ACL")]
    public async Task Unsafe_OfAUserWithoutTheCommandOfTheSameEffect_IsDenied(string rules, string action)
    {
        await using var server = await StartAsync(null, static options => options.ShutdownRequested = static () => { });
        server.State.Users.Set("alice", ["on", "nopass", .. rules.Split(' ')]);
        using var client = new Socket(SocketType.Stream, ProtocolType.Tcp);
        await client.ConnectAsync(server.EndPoints[0], Token);
        client.ReceiveTimeout = (int)_patience.TotalMilliseconds;
        Assert.Equal("+OK\r\n", Ask(client, "AUTH alice x"));

        // Without I-KNOW, since it would end the tests.
        Assert.StartsWith("-NOPERM", Ask(client, $"CACHE UNSAFE {action}"));
    }

    // Client libraries send a password everywhere, and so does a tool that finds one in the environment.
    [Theory]
    [InlineData("AUTH secret", "+OK")]
    [InlineData("AUTH default wrong", "+OK")]
    [InlineData("HELLO 2 AUTH alice x", "*")]
    [InlineData("HELLO 2 AUTH nobody x SETNAME library", "*")]
    public async Task LogIn_IsTaken_AndLeavesTheAdministrator(string request, string reply)
    {
        await using var server = await StartAsync();
        server.State.Users.Set("alice", ["on", "nopass"]);
        using var admin = Connect();

        Assert.StartsWith(reply, Ask(admin, request));

        Assert.Contains("(admin socket)", Ask(admin, "ACL WHOAMI"), StringComparison.Ordinal);
    }

    [Fact]
    public async Task IgnoreJournal_WhereTheMarkerIsALink_LeavesItsTarget()
    {
        string target = _folder.PathOf("precious");
        await File.WriteAllTextAsync(target, "precious", Token);
        File.CreateSymbolicLink(_folder.PathOf("ignore-journal"), target);
        await using var files = new CacheDurability(_store, new DurabilityOptions
        {
            Directory = _folder.PathOf("appendonlydir"),
            NeedsParent = true,
        });
        var client = new CommandClient(new ServerState(
            _store, new ServerSettings { Durability = files }, CommandTable.Default, CommandFamilies.Handlers));

        client.Call("CACHE", "UNSAFE", "IGNORE-JOURNAL", "I-KNOW", "why");

        Assert.Equal("precious", await File.ReadAllTextAsync(target, Token));
    }

    private Socket Connect()
    {
        var socket = new Socket(AddressFamily.Unix, SocketType.Stream, ProtocolType.Unspecified);
        socket.ReceiveTimeout = (int)_patience.TotalMilliseconds;
        socket.Connect(new UnixDomainSocketEndPoint(AdminPath));
        return socket;
    }

    private static string Ask(Socket socket, string request)
    {
        socket.Send(Encoding.ASCII.GetBytes(request + "\r\n"));
        return Read(socket);
    }

    private static string Read(Socket socket)
    {
        byte[] bytes = new byte[1 << 20];
        return Encoding.Latin1.GetString(bytes, 0, socket.Receive(bytes));
    }

    private async Task<RespServer> StartAsync(
        ILoggerFactory? log = null, Action<RespServerOptions>? change = null)
    {
        var options = new RespServerOptions
        {
            Port = 0,
            AdminSocketPath = AdminPath,
            Transport = RespTransport.Epoll,
            IoThreadCount = 2,
        };
        change?.Invoke(options);
        var server = new RespServer(_store, options, log);
        await server.StartAsync(Token);
        return server;
    }

    private sealed class HangingLog : ILoggerFactory, ILogger
    {
        private readonly ManualResetEventSlim _gate = new(true);

        public void Hang() => _gate.Reset();

        public void Dispose() => _gate.Set();

        public ILogger CreateLogger(string categoryName) => this;

        public void AddProvider(ILoggerProvider provider)
        {
        }

        public IDisposable? BeginScope<TState>(TState state)
            where TState : notnull => null;

        public bool IsEnabled(LogLevel logLevel) => true;

        public void Log<TState>(
            LogLevel logLevel, EventId eventId, TState state, Exception? exception,
            Func<TState, Exception?, string> formatter) => _gate.Wait(CancellationToken.None);
    }
}
