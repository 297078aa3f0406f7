using System.Diagnostics;
using System.Net.Sockets;
using System.Runtime.Versioning;
using System.Text;
using Cache.Core;
using Cache.Server.Connections;
using Cache.Server.Tests.Transport;
using Cache.Testing;

namespace Cache.Server.Tests.Connections;

/// <summary>The admin socket answers when nothing else does.</summary>
[SupportedOSPlatform("linux")]
public sealed class AdminSocketTests : IDisposable
{
    // Of CI, where several programs share two processors: the command itself is answered within one second.
    private static readonly TimeSpan _patience = TimeSpan.FromSeconds(20);

    private readonly CacheStore _store = new(new CacheOptions { MemoryLimitBytes = 16 << 20, ShardCount = 2 });
    private readonly TemporaryFolder _folder = new();
    // Not disposed of: a loop may be about to wait for it when the test is at its end.
    private readonly ManualResetEventSlim _gate = new();

    private static CancellationToken Token => TestContext.Current.CancellationToken;

    private string AdminPath => _folder.PathOf("admin");

    public static TheoryData<string, string> Commands => new()
    {
        { "INFO", "# Server" },
        { "CLIENT LIST", "id=" },
        { "CONFIG GET maxclients", "maxclients" },
        { "CONFIG SET maxclients 77", "+OK" },
        { "CACHE DOCTOR", "*" },
        { "CACHE MEMORY", "unexplained" },
        { "CACHE EVENTS", "*" },
        { "CACHE CURVE", "known" },
        { "SLOWLOG GET", "*" },
        { "COMMANDLOG GET 10 slow", "*" },
        { "LATENCY LATEST", "*" },
        { "LATENCY DOCTOR", "$" },
        { "MEMORY STATS", "peak.allocated" },
        { "ACL LIST", "user default" },
        { "ACL WHOAMI", "(admin socket)" },
        { "COMMAND COUNT", ":" },
        { "ROLE", "master" },
        { "TIME", "*2" },
        { "HELLO 3", "server" },
        { "PING", "+PONG" },
    };

    public void Dispose()
    {
        _gate.Set();
        _store.Dispose();
        _folder.Dispose();
    }

    [Theory]
    [MemberData(nameof(Commands))]
    public async Task Command_WhileAllLoopsHang_IsAnswered(string command, string part)
    {
        await using var server = await StartAsync();
        var hung = await HangAllLoopsAsync(server);
        using var admin = new AdminConnection(AdminPath);

        Assert.Contains(part, admin.Ask(command), StringComparison.Ordinal);

        Assert.All(hung, static socket => Assert.Equal(0, socket.Available)); // They hang indeed.
        await EndAsync(hung);
    }

    // As a thread that hangs within the store leaves it: the buckets of some keys are held, that of a hot one too.
    [Fact]
    public async Task Command_WhileAHotKeyIsHeldForEver_IsAnswered()
    {
        await using var server = await StartAsync();
        using var client = await ConnectAsync(server);
        byte[][] keys = ["hot"u8.ToArray(), "key2"u8.ToArray(), "key3"u8.ToArray()];
        for (int i = 0; i < 1000; i++)
            await client.SendAsync("INCR hot\n"u8.ToArray(), Token);
        Assert.True(SpinWait.SpinUntil(IsHot, _patience));
        using var holds = new ManualResetEventSlim();
        var holder = Task.Factory.StartNew(
            () => KeyedTransaction.Run(
                _store, keys, 1, 3,
                _ =>
                {
                    holds.Set();
                    _gate.Wait(CancellationToken.None);
                }),
            TaskCreationOptions.LongRunning);
        holds.Wait(Token);

        foreach (var row in Commands)
        {
            using var admin = new AdminConnection(AdminPath);
            Assert.Contains(row.Data.Item2, admin.Ask(row.Data.Item1), StringComparison.Ordinal);
        }

        _gate.Set();
        await holder;

        bool IsHot() => server.State.Statistics.GetHotKeys(server.State.TimeProvider.GetTimestamp()).Count > 0;
    }

    [Fact]
    public async Task Kill_WhileAllLoopsHang_TakesTheClientOffTheList()
    {
        await using var server = await StartAsync();
        var hung = await HangAllLoopsAsync(server);
        using var admin = new AdminConnection(AdminPath);
        int before = server.State.Clients.Count;

        Assert.Equal($":{before}\r\n", admin.Ask("CLIENT KILL TYPE normal"));

        Assert.Equal("$0\r\n\r\n", admin.Ask("CLIENT LIST"));
        await EndAsync(hung);
    }

    [Fact]
    public async Task Shutdown_WhileAllLoopsHang_AsksTheProgram_AndTheStopEnds()
    {
        var asked = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
        var server = await StartAsync(options =>
        {
            options.ShutdownRequested = asked.SetResult;
            options.DrainTimeout = TimeSpan.FromMilliseconds(200);
        });
        var hung = await HangAllLoopsAsync(server);
        using (var admin = new AdminConnection(AdminPath))
            Assert.Equal("", admin.Ask("SHUTDOWN NOSAVE"));
        await asked.Task.WaitAsync(_patience, Token);

        await server.StopAsync(Token).WaitAsync(_patience, Token);

        Assert.False(File.Exists(AdminPath));
        await EndAsync(hung);
    }

    [Fact]
    public async Task Command_ThatWaitsForAHungThread_IsAnsweredInTime_AndOthersAreServed()
    {
        await using var server = await StartAsync();
        using var holds = new ManualResetEventSlim();
        var holder = Task.Factory.StartNew(
            () =>
            {
                lock (server.State.Settings.Changing)
                {
                    holds.Set();
                    _gate.Wait(Token);
                }
            }, TaskCreationOptions.LongRunning);
        holds.Wait(Token);
        using var stuck = new AdminConnection(AdminPath);
        using var other = new AdminConnection(AdminPath);

        Assert.StartsWith("-ERR this command has not ended in time", stuck.Ask("CONFIG SET maxclients 88"));

        Assert.True(stuck.HasEnded());
        Assert.Contains("maxclients", other.Ask("CONFIG GET maxclients"), StringComparison.Ordinal);
        _gate.Set();
        await holder;
        Assert.True(SpinWait.SpinUntil(() => server.State.Settings.MaxClients == 88, _patience)); // It had its effect.
    }

    [Fact]
    public async Task Connect_WhereAllPlacesHang_IsToldSo()
    {
        await using var server = await StartAsync();
        var stuck = new List<AdminConnection>();
        lock (server.State.Settings.Changing)
        {
            for (int i = 0; i < AdminSocket.ClientsMax; i++)
            {
                stuck.Add(new AdminConnection(AdminPath));
                Assert.StartsWith("-ERR this command has", stuck[i].Ask("CONFIG SET maxclients 88"));
            }

            using var further = new AdminConnection(AdminPath);
            Assert.StartsWith("-ERR all connections of the admin socket wait", further.Read());
        }

        Assert.True(SpinWait.SpinUntil(IsAnswered, _patience)); // The places are free again.
        stuck.ForEach(static one => one.Dispose());

        bool IsAnswered()
        {
            using var again = new AdminConnection(AdminPath);
            try
            {
                return again.Ask("PING") == "+PONG\r\n";
            }
            catch (SocketException)
            {
                return false; // It was told that there is no place, and closed.
            }
        }
    }

    [Fact]
    public async Task Connect_WhereAllPlacesAreTakenBySilentOnes_EndsTheOneThatIsSilentForLongest()
    {
        await using var server = await StartAsync();
        var silent = new List<AdminConnection>();
        for (int i = 0; i < AdminSocket.ClientsMax; i++)
        {
            silent.Add(new AdminConnection(AdminPath));
            Assert.Equal("+PONG\r\n", silent[i].Ask("PING"));
        }

        Assert.Equal("+PONG\r\n", silent[0].Ask("PING"));
        using var further = new AdminConnection(AdminPath);

        Assert.Equal("+PONG\r\n", further.Ask("PING"));
        Assert.True(silent[1].HasEnded());
        Assert.Equal("+PONG\r\n", silent[0].Ask("PING"));
        silent.ForEach(static one => one.Dispose());
    }

    [Fact]
    public async Task Command_WhereMaxClientsIsReached_AndMemoryIsFull_AndNobodyCanLogIn_IsAnswered()
    {
        await using var server = await StartAsync(
            static options => (options.MaxClients, options.ReservedClients) = (1, 0));
        using var client = await ConnectAsync(server);
        Assert.True(SpinWait.SpinUntil(() => server.State.Clients.Count == 1, _patience));
        server.State.Users.Set("default", ["off", "resetpass", "-@all"]);
        byte[] value = new byte[64 << 10];
        for (int i = 0; i < 512; i++)
            _store.Set(Encoding.ASCII.GetBytes($"key{i}"), value);
        using var admin = new AdminConnection(AdminPath);

        Assert.Contains("connected_clients:1\r\n", admin.Ask("INFO clients"), StringComparison.Ordinal);
        Assert.Equal("+OK\r\n", admin.Ask("ACL SETUSER default on nopass ~* &* +@all"));
        Assert.Equal("+OK\r\n", admin.Ask("CONFIG SET maxclients 2"));

        using var next = await ConnectAsync(server);
        Assert.Equal(5, await next.SendAsync("PING\n"u8.ToArray(), Token));
        Assert.Equal("+PONG\r\n", await ReadAsync(next));
    }

    // Redis's way to take a command away does not bind administrators.
    [Fact]
    public async Task Command_ThatIsRenamed_HasItsOwnNameHere()
    {
        var renamed = new Dictionary<string, string> { ["config"] = "", ["info"] = "secret-info" };
        await using var server = await StartAsync(options => options.RenamedCommands = renamed);
        using var admin = new AdminConnection(AdminPath);

        Assert.Contains("# Server", admin.Ask("INFO server"), StringComparison.Ordinal);
        Assert.Contains("maxclients", admin.Ask("CONFIG GET maxclients"), StringComparison.Ordinal);
    }

    [Theory]
    [InlineData("GET key", "-ERR the admin socket does not serve this command")]
    [InlineData("MONITOR", "-ERR the admin socket does not serve this command")]
    [InlineData("SAVE", "-ERR the admin socket does not serve this command")]
    [InlineData("CACHE TOPKEYS BY READS", "-ERR the admin socket does not serve this command")]
    [InlineData("MEMORY USAGE key", "-ERR the admin socket does not serve this command")]
    [InlineData("CLIENT REPLY OFF", "-ERR the admin socket does not serve this command")]
    [InlineData("NOSUCH", "-ERR the admin socket does not serve this command")]
    [InlineData("CONFIG NOSUCH", "-ERR unknown subcommand 'NOSUCH'")]
    [InlineData("CONFIG GET", "-ERR wrong number of arguments for 'config|get' command")]
    public async Task Command_ThatCannotBeServedHere_IsRefused(string command, string reply)
    {
        await using var server = await StartAsync();
        using var admin = new AdminConnection(AdminPath);

        Assert.StartsWith(reply, admin.Ask(command));
        Assert.Equal("+PONG\r\n", admin.Ask("PING"));
    }

    [Fact]
    public async Task Client_IsInNoListAndCountsForNoLimit()
    {
        await using var server = await StartAsync();
        using var admin = new AdminConnection(AdminPath);

        Assert.Equal("$0\r\n\r\n", admin.Ask("CLIENT LIST"));
        Assert.Equal(0, server.State.Clients.Count);
        Assert.Equal(0, server.State.Clients.AcceptedCount);
        Assert.DoesNotContain("(admin", admin.Ask("ACL LIST"), StringComparison.Ordinal);
    }

    [Fact]
    public async Task Requests_InOnePieceAndByBytes_AreAnsweredInOrder()
    {
        await using var server = await StartAsync();
        using var admin = new AdminConnection(AdminPath);
        const string Requests = "PING\r\n*2\r\n$4\r\nECHO\r\n$3\r\none\r\n\r\nECHO two\r\n";
        const string Replies = "+PONG\r\n$3\r\none\r\n$3\r\ntwo\r\n";

        admin.Send(Requests);
        Assert.Equal(Replies, admin.Read(Replies.Length));
        foreach (char letter in Requests)
            admin.Send(letter.ToString());
        Assert.Equal(Replies, admin.Read(Replies.Length));
        string longText = new('x', 100_000);
        Assert.Equal($"$100000\r\n{longText}\r\n", admin.Ask($"*2\r\n$4\r\nECHO\r\n$100000\r\n{longText}", 100_011));
    }

    [Fact]
    public async Task Request_ThatIsTooLong_IsRefused()
    {
        await using var server = await StartAsync();
        using var admin = new AdminConnection(AdminPath);
        int length = AdminClient.RequestBytesMax;

        admin.Send($"*2\r\n$4\r\nECHO\r\n${length}\r\n");
        admin.Send(new string('x', length - 64));
        admin.Send(new string('x', 64));

        Assert.StartsWith("-ERR a request to the admin socket has at most 1 MB", admin.Read());
        Assert.True(admin.HasEnded());
    }

    [Fact]
    public async Task Request_ThatIsNoRequest_EndsTheConnection()
    {
        await using var server = await StartAsync();
        using var admin = new AdminConnection(AdminPath);

        Assert.StartsWith("-ERR Protocol error", admin.Ask("*x"));
        Assert.True(admin.HasEnded());
    }

    [Fact]
    public async Task Stop_EndsTheClients_AndRemovesTheFile()
    {
        var server = await StartAsync();
        using var admin = new AdminConnection(AdminPath);
        Assert.Equal("+PONG\r\n", admin.Ask("PING"));

        await server.StopAsync(Token);

        Assert.True(admin.HasEnded());
        Assert.False(File.Exists(AdminPath));
    }

    [Fact]
    public async Task Start_WhereAnotherServerListens_FailsAndLeavesIt()
    {
        await using var first = await StartAsync();

        var error = await Assert.ThrowsAsync<IOException>(() => StartAsync());

        Assert.StartsWith(
            $"RespServerOptions.AdminSocketPath is '{AdminPath}'; cannot listen on it: another", error.Message);
        using var admin = new AdminConnection(AdminPath);
        Assert.Equal("+PONG\r\n", admin.Ask("PING"));
    }

    private static async Task<Socket> ConnectAsync(RespServer server)
    {
        var socket = new Socket(SocketType.Stream, ProtocolType.Tcp);
        await socket.ConnectAsync(server.EndPoints[0], Token);
        return socket;
    }

    private static async Task<string> ReadAsync(Socket socket)
    {
        byte[] bytes = new byte[1024];
        return Encoding.Latin1.GetString(bytes, 0, await socket.ReceiveAsync(bytes, Token));
    }

    private async Task<RespServer> StartAsync(Action<RespServerOptions>? change = null)
    {
        var options = new RespServerOptions
        {
            Port = 0,
            AdminSocketPath = AdminPath,
            Transport = RespTransport.Epoll,
            IoThreadCount = 2,
        };
        change?.Invoke(options);
        var server = new RespServer(_store, options);
        await server.StartAsync(Token);
        return server;
    }

    // Each connection lives on one of the loops in turn; the loop waits for the gate in its work.
    private async Task<List<Socket>> HangAllLoopsAsync(RespServer server)
    {
        var sockets = new List<Socket>();
        for (int i = 0; i < 4; i++)
            sockets.Add(await ConnectAsync(server));
        Assert.True(SpinWait.SpinUntil(() => server.Connections.Count() == 4, _patience));
        var threads = new HashSet<int>();
        int hanging = 0;
        foreach (var connection in server.Connections)
        {
            connection.Transport.Post(
                _ =>
                {
                    lock (threads)
                        threads.Add(Environment.CurrentManagedThreadId);
                    Interlocked.Increment(ref hanging);
                    _gate.Wait(CancellationToken.None);
                },
                this);
        }

        Assert.True(SpinWait.SpinUntil(() => Volatile.Read(ref hanging) == 2, _patience));
        Assert.Equal(2, threads.Count);
        foreach (var socket in sockets)
            await socket.SendAsync("PING\n"u8.ToArray(), Token);
        return sockets;
    }

    private async Task EndAsync(List<Socket> sockets)
    {
        _gate.Set();
        await Task.Yield();
        sockets.ForEach(static socket => socket.Dispose());
    }

    private sealed class AdminConnection : IDisposable
    {
        private readonly Socket _socket = new(AddressFamily.Unix, SocketType.Stream, ProtocolType.Unspecified);

        public AdminConnection(string path)
        {
            _socket.ReceiveTimeout = (int)_patience.TotalMilliseconds;
            _socket.Connect(new UnixDomainSocketEndPoint(path));
        }

        public void Dispose() => _socket.Dispose();

        public void Send(string text) => _socket.Send(Encoding.Latin1.GetBytes(text));

        /// <summary>The reply's first part, or as much of it as is asked for.</summary>
        public string Ask(string request, int length = 1)
        {
            Send(request + "\r\n");
            return Read(length);
        }

        public string Read(int length = 1)
        {
            var text = new StringBuilder();
            byte[] bytes = new byte[1 << 20];
            while (text.Length < length && _socket.Receive(bytes) is > 0 and var count)
                text.Append(Encoding.Latin1.GetString(bytes, 0, count));
            return text.ToString();
        }

        public bool HasEnded()
        {
            try
            {
                return _socket.Receive(new byte[16]) == 0;
            }
            catch (SocketException e)
            {
                return e.SocketErrorCode == SocketError.ConnectionReset;
            }
        }
    }
}
