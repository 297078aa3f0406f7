using Cache.Server.Commands.Dispatch;
using Cache.Server.Connections;
using Cache.Server.Protocol;
using Cache.Server.Settings;
using Cache.Server.Tests.Transport.Tls;
using Cache.Testing;
using Microsoft.Extensions.Logging.Abstractions;

namespace Cache.Server.Tests.Connections;

public sealed class ConnectionAcceptorTests : ConnectionTestBase
{
    [Fact]
    public async Task Connect_BeyondTheLimit_IsRefusedInRedissWords()
    {
        await using var server = await StartAsync(new RespServerOptions { MaxClients = 2, ReservedClients = 0 });
        var one = server.Connect();
        var two = server.Connect();
        var three = server.Connect();

        Assert.Equal("-ERR max number of clients reached\r\n"u8.ToArray(), three.ReadAll());
        Assert.True(three.IsClosed);
        Assert.True(three.Connection.IsDisposed);
        Assert.Equal("+PONG\r\n", one.Exchange(Request("PING")));
        Assert.Equal("+PONG\r\n", two.Exchange(Request("PING")));
        Assert.Equal(1, server.Server.State.Clients.RejectedCount);
        Assert.Equal(2, server.Server.State.Clients.AcceptedCount);
    }

    [Fact]
    public async Task Connect_AfterAnotherLeft_IsAdmitted()
    {
        await using var server = await StartAsync(new RespServerOptions { MaxClients = 1, ReservedClients = 0 });
        var one = server.Connect();
        one.Close();

        Assert.Equal("+PONG\r\n", server.Connect().Exchange(Request("PING")));
    }

    [Fact]
    public async Task Connect_Always_TellsBothAddresses()
    {
        await using var server = await StartAsync();
        server.Connect();

        var endPoints = server.Server.State.Clients.Find(1)!.EndPoints;
        Assert.Equal("127.0.0.1:50001", endPoints.Remote);
        Assert.Equal("127.0.0.1:6379", endPoints.Local);
        Assert.True(endPoints.IsLocal);
        Assert.False(endPoints.IsUnixSocket);
    }

    [Fact]
    public async Task Leave_Always_KeepsWhatWasCounted()
    {
        await using var server = await StartAsync();
        var client = server.Connect();
        client.Send(Repeat(Request("PING"), 10));
        client.Close();

        var traffic = server.Server.State.Statistics.SumTraffic();
        Assert.Equal(10, traffic.Commands);
        Assert.Equal(10 * Request("PING").Length, traffic.InputBytes);
        Assert.Equal(10 * "+PONG\r\n".Length, traffic.OutputBytes);
    }

    [Fact]
    public async Task Execute_Throwing_EndsThatConnectionOnly()
    {
        var listener = new InMemoryListener();
        var state = TestServerState.Create(Store);
        var acceptor = new ConnectionAcceptor<ThrowingExecutor>(state, default, NullLogger.Instance);
        var accepting = acceptor.AcceptAsync(listener);
        var unlucky = listener.Connect();
        var other = listener.Connect();

        unlucky.Send(Request("THROW"));
        unlucky.ReadAll();

        Assert.True(unlucky.IsClosed);
        Assert.Equal("+OK\r\n", other.Exchange(Request("FINE")));
        Assert.Equal(1, state.Clients.Count);
        await listener.DisposeAsync();
        await accepting;
    }

    [Fact]
    public async Task Stop_WithPartlyReceivedRequests_AnswersTheWholeOnes()
    {
        var server = await StartAsync();
        var client = server.Connect();
        client.Send(Request("PING") + "*1\r\n$4\r\nPI");

        await server.Server.StopAsync(TestContext.Current.CancellationToken);

        Assert.Equal("+PONG\r\n"u8.ToArray(), client.ReadAll());
        Assert.True(client.IsClosed);
        Assert.False(client.Connection.IsAborted);
        Assert.Throws<InvalidOperationException>(() => server.Connect());
    }

    [Fact]
    public async Task Stop_WithASlowReader_AnswersAllThatWasReceivedOnceItReads()
    {
        var server = await StartAsync();
        var client = server.Connect();
        string request = Request("ECHO", new string('v', 1000));
        int sent = 0;
        for (; !client.IsPaused; sent++)
            client.Send(request);

        var stopping = server.Server.StopAsync(TestContext.Current.CancellationToken);
        Assert.False(stopping.IsCompleted);
        byte[] replies = client.ReadAll();
        await stopping;

        Assert.Equal(sent * Bulk(new string('v', 1000)).Length, replies.Length);
        Assert.True(client.IsClosed);
    }

    [Fact]
    public async Task Stop_WithAReaderThatNeverReads_CutsItOffInTime()
    {
        var server = await StartAsync(new RespServerOptions { DrainTimeout = TimeSpan.FromSeconds(5) });
        var client = server.Connect();
        while (!client.IsPaused)
            client.Send(Request("ECHO", new string('v', 1000)));

        var stopping = server.Server.StopAsync(TestContext.Current.CancellationToken);
        Clock.Advance(TimeSpan.FromSeconds(4));
        Assert.False(stopping.IsCompleted);
        Clock.Advance(TimeSpan.FromSeconds(2));
        await stopping;

        Assert.True(client.Connection.IsAborted);
        Assert.Equal(0, server.Server.State.Clients.Count);
    }

    [Theory]
    [InlineData(0)]
    [InlineData(20)]
    public async Task Execute_LongerThanTheTimesOfSilence_IsNoSilence(int timeoutSeconds)
    {
        var listener = new InMemoryListener();
        var settings = new ServerSettings { TimeoutSeconds = timeoutSeconds };
        var state = TestServerState.Create(Store, settings);
        using var acceptor = new ConnectionAcceptor<SlowExecutor>(
            state, new SlowExecutor(() => AdvanceBySeconds(60)), NullLogger.Instance);
        await using var sweep = new IdleSweep(state, acceptor.Live);
        var accepting = acceptor.AcceptAsync(listener);
        var client = listener.Connect();
        client.Send("*2\r\n$4\r\nSL");

        Assert.Equal("+OK\r\n", client.Exchange("OW\r\n$1\r\nx\r\n"));
        AdvanceBySeconds(10);
        Assert.Equal("+OK\r\n", client.Exchange(Request("SLOW", "x")));

        await listener.DisposeAsync();
        await accepting;
    }

    [Fact]
    public async Task Stop_WhileACommandIsExecuted_EndsInTimeAndNamesIt()
    {
        var listener = new InMemoryListener();
        var state = TestServerState.Create(Store);
        using var log = new MessageLog();
        using var executing = new ManualResetEventSlim();
        using var end = new ManualResetEventSlim();
        using var acceptor = new ConnectionAcceptor<SlowExecutor>(
            state,
            new SlowExecutor(() =>
            {
                executing.Set();
                end.Wait(TestContext.Current.CancellationToken);
            }),
            log);
        var accepting = acceptor.AcceptAsync(listener);
        var client = listener.Connect();
        var serving = Task.Run(() => client.Send(Request("SLOW", "x")), TestContext.Current.CancellationToken);
        executing.Wait(TestContext.Current.CancellationToken);
        await listener.DisposeAsync();
        await accepting;

        var stopping = acceptor.StopAsync(TimeSpan.FromSeconds(5), CancellationToken.None);
        AdvanceBySeconds(5);
        Assert.True(client.Connection.IsAborted);
        AdvanceBySeconds(1);
        await stopping.WaitAsync(TimeSpan.FromSeconds(60), TestContext.Current.CancellationToken);

        Assert.Contains("Stopping without the commands of 1 clients, which take too long: get", log.Messages);
        end.Set();
        await serving;
        Assert.Equal(0, state.Clients.Count);
    }

    private void AdvanceBySeconds(int seconds)
    {
        for (int i = 0; i < seconds; i++)
            Clock.Advance(TimeSpan.FromSeconds(1));
    }

    private readonly struct SlowExecutor(Action work) : IRequestExecutor
    {
        public void Execute(in RespRequest request, CommandContext context)
        {
            context.Client.LastCommand = context.Server.Commands.Find("get"u8);
            work();
            context.Reply.SimpleString("OK"u8);
        }

        public int ExecuteCommon(
            ReadOnlySpan<byte> input,
            ReadOnlySpan<CommonRequest> requests,
            int unflushedBytesMax,
            CommandContext context) =>
            throw new InvalidOperationException("thrown by the test");
    }

    private readonly struct ThrowingExecutor : IRequestExecutor
    {
        public void Execute(in RespRequest request, CommandContext context)
        {
            if (request[0].SequenceEqual("THROW"u8))
                throw new InvalidDataException("A defect.");
            context.Reply.SimpleString("OK"u8);
        }

        public int ExecuteCommon(
            ReadOnlySpan<byte> input,
            ReadOnlySpan<CommonRequest> requests,
            int unflushedBytesMax,
            CommandContext context) =>
            throw new InvalidOperationException("thrown by the test");
    }
}
