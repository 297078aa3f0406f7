using System.Text;
using Cache.Protocol;

namespace Cache.Client.Tests;

public sealed class RespConnectionTests
{
    private static readonly TimeSpan _patience = TimeSpan.FromSeconds(30);

    private static CancellationToken Cancellation => TestContext.Current.CancellationToken;

    [Fact]
    public async Task Open_CurrentServer_SpeaksVersion3AsTheUser()
    {
        List<string> requests = [];
        await using var server = new FakeServer((_, request) =>
        {
            requests.Add(string.Join(' ', request));
            return request[0] == "HELLO" ? FakeServer.HelloReply : "+OK\r\n";
        });
        await using var connection = await RespConnection.OpenAsync(
            server.Address,
            new RespClientOptions { User = "me", Password = "secret", Database = 2, ClientName = "near" },
            null,
            Cancellation);
        Assert.Equal((3, "standalone"), (connection.ProtocolVersion, connection.Mode));
        Assert.Equal(["HELLO 3 AUTH me secret SETNAME near", "SELECT 2"], requests);
    }

    [Theory]
    [InlineData("-ERR unknown command `HELLO`, with args beginning with: `3`, \r\n")]
    [InlineData("-NOPROTO unsupported protocol version\r\n")]
    public async Task Open_OldServer_SpeaksVersion2(string refusal)
    {
        List<string> requests = [];
        await using var server = new FakeServer((_, request) =>
        {
            requests.Add(string.Join(' ', request));
            return request[0] == "HELLO" ? refusal : "+OK\r\n";
        });
        var options = new RespClientOptions { Password = "secret", ClientName = "near" };
        await using var connection = await RespConnection.OpenAsync(server.Address, options, null, Cancellation);
        Assert.Equal(2, connection.ProtocolVersion);
        Assert.Equal(["HELLO 3 AUTH default secret SETNAME near", "AUTH secret", "CLIENT SETNAME near"], requests);
    }

    [Fact]
    public async Task Open_Refused_NamesServerAndCommand()
    {
        await using var server = new FakeServer((_, _) => "-WRONGPASS invalid username-password pair\r\n");
        var failure = await Assert.ThrowsAsync<RespClientException>(
            () => RespConnection.OpenAsync(
                server.Address, new RespClientOptions { Password = "x" }, null, Cancellation));
        Assert.Equal("WRONGPASS", failure.ErrorCode);
        Assert.Equal($"{server.Address}, HELLO: WRONGPASS invalid username-password pair", failure.Message);
    }

    [Fact]
    public async Task Open_NoServer_NamesIt()
    {
        ServerAddress address;
        await using (var server = new FakeServer((_, _) => null))
            address = server.Address;
        var failure = await Assert.ThrowsAsync<RespClientException>(
            () => RespConnection.OpenAsync(address, new RespClientOptions(), null, Cancellation));
        Assert.StartsWith(address.ToString(), failure.Message, StringComparison.Ordinal);
    }

    [Fact]
    public async Task Open_ServerThatSaysNothing_FailsInTime()
    {
        await using var server = new FakeServer((_, _) => "");
        var options = new RespClientOptions { ConnectTimeout = TimeSpan.FromMilliseconds(50) };
        var failure = await Assert.ThrowsAsync<RespClientException>(
            () => RespConnection.OpenAsync(server.Address, options, null, Cancellation));
        Assert.Contains("within 50 ms", failure.Message, StringComparison.Ordinal);
    }

    [Fact]
    public async Task Open_Credentials_AreAskedForEachConnection()
    {
        int asked = 0;
        List<string> users = [];
        await using var server = new FakeServer((_, request) =>
        {
            users.Add(request[4]);
            return FakeServer.HelloReply;
        });
        var options = new RespClientOptions
        {
            Credentials = _ => ValueTask.FromResult(new RespCredentials("me", $"token{++asked}")),
        };
        for (int i = 0; i < 2; i++)
            await (await RespConnection.OpenAsync(server.Address, options, null, Cancellation)).DisposeAsync();
        Assert.Equal(["token1", "token2"], users);
    }

    [Fact]
    public async Task Send_PushesBetweenReplies_StayInOrder()
    {
        await using var server = new FakeServer((client, request) => request[0] switch
        {
            "HELLO" => FakeServer.HelloReply,
            "GET" => ">2\r\n$10\r\ninvalidate\r\n*2\r\n$1\r\na\r\n$1\r\nb\r\n" + FakeServer.Bulk(request[1])
                + ">2\r\n$10\r\ninvalidate\r\n_\r\n",
            _ => ">3\r\n$7\r\nmessage\r\n$2\r\nch\r\n$1\r\nx\r\n:1\r\n",
        });
        var pushes = new RecordedPushes();
        await using var connection =
            await RespConnection.OpenAsync(server.Address, new RespClientOptions(), pushes, Cancellation);
        var replies = new RecordedReplies(pushes, 2);
        connection.Send(
            new RespRequestWriter().Begin(2).Add("GET"u8).Add("k"u8).Begin(1).Add("PING"u8).Written.Span, replies);
        await replies.Done.WaitAsync(_patience, Cancellation);
        Assert.Equal("-a -b k -* >message/ch/x 1", pushes.All);
    }

    [Fact]
    public async Task Send_ManyThreads_EachGetsItsReply()
    {
        await using var server = new FakeServer(
            (_, request) => request[0] == "HELLO" ? FakeServer.HelloReply : FakeServer.Bulk(request[1]));
        var options = new RespClientOptions { ReplyTimeout = _patience };
        await using var connection = await RespConnection.OpenAsync(server.Address, options, null, Cancellation);
        await Task.WhenAll(Enumerable.Range(0, 4).Select(worker => Task.Run(async () =>
        {
            for (int i = 0; i < 100; i++)
            {
                byte[] text = Encoding.ASCII.GetBytes($"{worker}-{i}");
                var request = new RespRequestWriter().Begin(2).Add("ECHO"u8).Add(text);
                Assert.Equal(text, (await connection.CallAsync(request, "ECHO", Cancellation)).Bytes);
            }
        })));
    }

    // The memory of a long reply is given back, and the next one is read into other memory.
    [Fact]
    public async Task Call_ShortReplyAfterALongOne_IsRead()
    {
        await using var server = new FakeServer((_, request) =>
            request[0] == "HELLO" ? FakeServer.HelloReply : FakeServer.Bulk(new string('v', int.Parse(request[1]))));
        var options = new RespClientOptions { ReplyTimeout = _patience };
        await using var connection = await RespConnection.OpenAsync(server.Address, options, null, Cancellation);
        foreach (int length in (int[])[300_000, 3, 0, 70_000, 1_000_000, 1])
        {
            var request = new RespRequestWriter().Begin(2).Add("GET"u8).Add(length);
            Assert.Equal(length, (await connection.CallAsync(request, "GET", Cancellation)).Bytes!.Length);
        }
    }

    [Fact]
    public async Task Call_NoReplyInTime_ClosesTheConnection()
    {
        await using var server = new FakeServer(
            (_, request) => request[0] == "HELLO" ? FakeServer.HelloReply : "");
        var options = new RespClientOptions { ReplyTimeout = TimeSpan.FromMilliseconds(300) };
        await using var connection = await OpenPatientlyAsync(server, options);
        var failure = await Assert.ThrowsAsync<RespClientException>(
            () => connection.CallAsync(Ping(), "PING", Cancellation).AsTask());
        Assert.Equal($"{server.Address}, PING: no reply within 300 ms", failure.Message);
        await connection.Closed.WaitAsync(_patience, Cancellation);
        Assert.Same(failure, connection.Failure);
    }

    [Theory]
    [InlineData(null)]
    [InlineData("what\r\n")]
    [InlineData("$3\r\nabcde\r\n")]
    [InlineData("$99999999999\r\n")]
    [InlineData("+OK\r\n>1\r\n:1\r\n*1\r\n*1\r\nx\r\n")]
    [InlineData(">0\r\n")]
    [InlineData(">2\r\n$10\r\ninvalidate\r\n:1\r\n")]
    [InlineData(">2\r\n$10\r\ninvalidate\r\n*1\r\n:1\r\n")]
    public async Task Call_HostileServer_EndsTheConnection(string? answer)
    {
        await using var server = new FakeServer(
            (_, request) => request[0] == "HELLO" ? FakeServer.HelloReply : answer);
        await using var connection = await RespConnection.OpenAsync(
            server.Address, new RespClientOptions { ReplyTimeout = _patience }, null, Cancellation);
        var replies = new RecordedReplies(new RecordedPushes(), 2);
        connection.Send(Ping().Written.Span, replies);
        await connection.Closed.WaitAsync(_patience, Cancellation);
        Assert.NotNull(connection.Failure);
        await Assert.ThrowsAsync<RespClientException>(() => replies.Done.WaitAsync(_patience, Cancellation));
        await Assert.ThrowsAsync<RespClientException>(
            () => connection.CallAsync(Ping(), "PING", Cancellation).AsTask());
    }

    [Fact]
    public async Task Call_ReplyToNothing_EndsTheConnection()
    {
        await using var server = new FakeServer(
            (_, request) => request[0] == "HELLO" ? FakeServer.HelloReply : "+OK\r\n+OK\r\n");
        await using var connection = await RespConnection.OpenAsync(
            server.Address, new RespClientOptions { ReplyTimeout = _patience }, null, Cancellation);
        Assert.Equal("OK", (await connection.CallAsync(Ping(), "PING", Cancellation)).Text);
        await connection.Closed.WaitAsync(_patience, Cancellation);
        Assert.Contains("a reply to nothing", connection.Failure!.Message, StringComparison.Ordinal);
    }

    // Whatever a server sends, in whatever pieces: nothing hangs, and all that waited has ended.
    [Fact]
    public async Task Reading_RandomBytes_NeverHangs()
    {
        int seed = Environment.TickCount;
        TestContext.Current.TestOutputHelper?.WriteLine($"seed {seed}");
        var random = new Random(seed);
        for (int round = 0; round < 60; round++)
        {
            string noise = Noise(random);
            await using var server = new FakeServer((client, request) =>
            {
                if (request[0] == "HELLO")
                    return FakeServer.HelloReply;
                int middle = noise.Length / 2;
                client.Send(noise[..middle]);
                client.Send(noise[middle..]);
                return null;
            });
            await using var connection = await RespConnection.OpenAsync(
                server.Address, new RespClientOptions { ReplyTimeout = _patience }, new RecordedPushes(), Cancellation);
            var replies = new RecordedReplies(new RecordedPushes(), 1000);
            connection.Send(Ping().Written.Span, replies);
            await connection.Closed.WaitAsync(_patience, Cancellation);
            Assert.True(replies.Done.IsFaulted, $"seed {seed}, round {round}");
        }
    }

    private static string Noise(Random random)
    {
        string[] parts =
        [
            "+OK\r\n", ":1\r\n", "$3\r\nabc\r\n", "*2\r\n", "%1\r\n", "|1\r\n", "_\r\n", "#t\r\n", ",1.5\r\n", "(1\r\n",
            ">2\r\n$10\r\ninvalidate\r\n", "*1\r\n$1\r\nk\r\n", "-ERR\r\n", "$-1\r\n", "*-1\r\n", "$9999\r\n",
            "*99999999\r\n", "\r", "\n", "$", "*", ">", "~0\r\n", "=7\r\ntxt:abc\r\n",
        ];
        var noise = new StringBuilder();
        for (int count = random.Next(1, 60); count > 0; count--)
            noise.Append(random.Next(20) == 0 ? ((char)random.Next(256)).ToString() : parts[random.Next(parts.Length)]);
        return noise.ToString();
    }

    // The handshake may take longer than the call that is to be late.
    private static async Task<RespConnection> OpenPatientlyAsync(FakeServer server, RespClientOptions options)
    {
        while (true)
        {
            try
            {
                return await RespConnection.OpenAsync(server.Address, options, null, Cancellation);
            }
            catch (RespClientException)
            {
                Cancellation.ThrowIfCancellationRequested();
            }
        }
    }

    private static RespRequestWriter Ping() => new RespRequestWriter().Begin(1).Add("PING"u8);

    private sealed class RecordedReplies(RecordedPushes all, int count) : PendingReply("TEST", count)
    {
        private readonly TaskCompletionSource _done = new(TaskCreationOptions.RunContinuationsAsynchronously);

        public Task Done => _done.Task;

        public override void Take(in RespReply reply)
        {
            all.Add(reply.Text);
            if (RepliesLeft == 0)
                _done.SetResult();
        }

        public override void Fail(RespClientException failure) => _done.TrySetException(failure);
    }
}
