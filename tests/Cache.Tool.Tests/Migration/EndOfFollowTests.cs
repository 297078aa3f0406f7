using System.Diagnostics;
using System.Globalization;
using System.Net;
using System.Net.Sockets;
using Cache.Tool.Client;
using Cache.Tool.Migration;
using Cache.Tool.Tests.Live;
using Cache.Tool.Verbs;

namespace Cache.Tool.Tests.Migration;

/// <summary>How a copy ends that was interrupted, or whose source or target is silent or gone.</summary>
public sealed class EndOfFollowTests : IDisposable
{
    private static readonly TimeSpan s_patience = TimeSpan.FromSeconds(30);
    private readonly CancellationTokenSource _stop = new();

    private static CancellationToken Cancellation => TestContext.Current.CancellationToken;

    public void Dispose() => _stop.Dispose();

    [Fact]
    public async Task Follow_StoppedWhileTheSourceIsThere_EndsWell()
    {
        await using var source = SourceOf(isCut: false);
        await using var target = await RunningServer.StartAsync();
        var run = RunAsync(source, target, follows: true);
        await UntilAsync(() => target.Store.GetArray("n"u8) is [(byte)'8']);
        await _stop.CancelAsync();
        Assert.Equal(ExitCode.Whole, await run);
    }

    // Nobody knows what it had: the target may lack it.
    [Fact]
    public async Task Follow_StoppedWhileTheSourceIsLost_IsNoEndInOrder()
    {
        await using var source = SourceOf(isCut: true);
        await using var target = await RunningServer.StartAsync();
        var run = RunAsync(source, target, follows: true);
        await UntilAsync(() => source.Asked.Count > 1); // It tries again.
        await _stop.CancelAsync();
        var failure = await Assert.ThrowsAsync<ToolException>(() => run);
        Assert.StartsWith($"Interrupted while {source.Uri[8..]} is lost: ", failure.Message, StringComparison.Ordinal);
        Assert.EndsWith(
            $"The target has all up to byte {100 + Stream.Length} of its stream; what the source has behind that is"
            + " missing.",
            failure.Message,
            StringComparison.Ordinal);
    }

    // The link to a machine that is gone looks like that to one where nothing is written.
    [Fact]
    public async Task Follow_StoppedWhileTheSourceAnswersNoMore_IsNoEndInOrder()
    {
        await using var source = SourceOf(isCut: false);
        await using var target = await RunningServer.StartAsync();
        var run = RunAsync(source, target, follows: true);
        await UntilAsync(() => target.Store.GetArray("n"u8) is [(byte)'8']);
        source.Refuse();
        await _stop.CancelAsync();
        var failure = await Assert.ThrowsAsync<ToolException>(() => run);
        Assert.Contains("is lost: it does not answer.", failure.Message, StringComparison.Ordinal);
    }

    [Fact]
    public async Task Import_StoppedBeforeAllIsThere_IsNoEndInOrder()
    {
        await using var source = SourceOf(isCut: false);
        await using var target = await RunningServer.StartAsync();
        var run = RunAsync(source, target, follows: false);
        await UntilAsync(() => target.Store.GetArray("n"u8) is [(byte)'8']);
        await _stop.CancelAsync();
        var failure = await Assert.ThrowsAsync<ToolException>(() => run);
        Assert.Equal("Interrupted before all was there: run it again with --replace.", failure.Message);
    }

    [Fact]
    public async Task Follow_SourceIsGoneForAMinute_Ends()
    {
        await using var source = SourceOf(isCut: true);
        await using var target = await RunningServer.StartAsync();
        var failure = await Assert.ThrowsAsync<ToolException>(
            () => RunAsync(source, target, follows: true, new FastTime()));
        Assert.StartsWith($"{source.Uri[8..]} is lost for 60 seconds: ", failure.Message, StringComparison.Ordinal);
        Assert.EndsWith(
            $"The target has all up to byte {100 + Stream.Length} of its stream.",
            failure.Message,
            StringComparison.Ordinal);
        Assert.InRange(source.Asked.Count, 3, 4); // For the snapshot, and after half a minute and a whole one.
    }

    // Servers, and what is before them, close connections that are idle for long: `timeout` has whole seconds.
    [Fact]
    public async Task Open_NothingToSend_TheTargetHearsOfUs()
    {
        await using var server = await RunningServer.StartAsync();
        using var target = await Task.Run(
            () => Target.Open(AddressOf(server), new ImportCounts(), replaces: false, TimeProvider.System),
            Cancellation);
        using var limit = new CancellationTokenSource(s_patience);
        string calls;
        do
        {
            await Task.Delay(50, limit.Token);
            calls = await Task.Run(() => CallsOf(server), Cancellation);
        }
        while (!calls.Contains("cmdstat_ping:calls=3,", StringComparison.Ordinal)); // One is that of its beginning.
        target.ThrowIfFailed();
    }

    // A queue of connections that is full: the next one gets no answer at all.
    [Fact]
    public void Open_MachineThatDoesNotAnswer_EndsInTime()
    {
        using var listener = new Socket(AddressFamily.InterNetwork, SocketType.Stream, ProtocolType.Tcp);
        listener.Bind(new IPEndPoint(IPAddress.Loopback, 0));
        listener.Listen(1);
        var waiting = Enumerable.Range(0, 4).Select(_ => new Socket(SocketType.Stream, ProtocolType.Tcp)).ToArray();
        try
        {
            foreach (var one in waiting)
                _ = one.ConnectAsync(listener.LocalEndPoint!, CancellationToken.None).AsTask();
            int port = ((IPEndPoint)listener.LocalEndPoint!).Port;
            long began = Stopwatch.GetTimestamp();
            var failure = Assert.Throws<ToolException>(
                () => ServerConnection.Open(AddressOf(port), patienceMs: 300).Dispose());
            Assert.Contains("timed out", failure.Message, StringComparison.Ordinal);
            Assert.InRange(Stopwatch.GetElapsedTime(began), TimeSpan.Zero, TimeSpan.FromSeconds(8));
        }
        finally
        {
            foreach (var one in waiting)
                one.Dispose();
        }
    }

    private static byte[] Stream => FakePrimary.Commands("SELECT 0", "INCR n");

    // Its end is far away.
    private static FakePrimary SourceOf(bool isCut) => new(
        new FakePrimary.Session(
            $"+FULLRESYNC {FakePrimary.Id} 100", FakePrimary.Transfer(FollowTests.Snapshot(), hasLength: true), Stream,
            isCut))
    {
        Offset = 1_000_000,
    };

    private Task<ExitCode> RunAsync(FakePrimary source, RunningServer target, bool follows, TimeProvider? time = null)
    {
        var words = VerbWords.Parse(
            ImportVerb.Verb, ["--from", source.Uri, "--to", "127.0.0.1:" + target.Port]);
        var plan = new ImportPlan(ServerName.Of(words, "--to", hasOptions: true), Replaces: false, Empties: false)
        {
            Source = ServerName.Of(words, "--from", hasOptions: false),
            Follows = follows,
        };
        var import = new SourceImport(
            plan, new Report(TextWriter.Null), time ?? TimeProvider.System, _stop.Token);
        return Task.Run(import.Run, Cancellation);
    }

    private static string CallsOf(RunningServer server)
    {
        using var connection = ServerConnection.Open(AddressOf(server));
        return connection.Call("INFO", "commandstats").Text;
    }

    private static ServerAddress AddressOf(RunningServer server) =>
        AddressOf(int.Parse(server.Port, CultureInfo.InvariantCulture));

    private static ServerAddress AddressOf(int port) =>
        new("127.0.0.1", port, null, UsesTls: false, null, null, null, null, null);

    private static async Task UntilAsync(Func<bool> condition)
    {
        using var limit = CancellationTokenSource.CreateLinkedTokenSource(Cancellation);
        limit.CancelAfter(s_patience);
        while (!condition())
            await Task.Delay(5, limit.Token);
    }

    // Each look at it is half a minute later.
    private sealed class FastTime : TimeProvider
    {
        private long _now;

        public override long TimestampFrequency => 1;

        public override long GetTimestamp() => Interlocked.Add(ref _now, 31);
    }
}
