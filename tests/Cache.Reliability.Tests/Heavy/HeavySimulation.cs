using System.Globalization;
using System.Text;
using Cache.Core;
using Cache.Reliability.Tests.Fuzz;
using Cache.Server;
using Cache.Server.Clients;
using Cache.Testing;

namespace Cache.Reliability.Tests.Heavy;

/// <summary>
/// Clients that send requests of megabytes at the same time, in pieces of any size, cut off at any byte; a reader in
/// the process that holds values; a limit that goes up and down meanwhile; and a bystander.
/// </summary>
/// <remarks>
/// What must hold besides the replies: the bystander is answered within the step in which it asks, and no step takes
/// its thread for long; what is resident is within the limit; what clients held is counted, and given back when they
/// go.
/// Where connections share a thread, long requests are executed elsewhere, and the simulation waits for each.
/// </remarks>
internal sealed partial class HeavySimulation : IAsyncDisposable
{
    private const int Clients = 3;
    private const int PieceBytesMax = 64 * 1024;
    private const int RequestBytesMax = 64 << 20;
    private const int ReplyBytesMax = 1 << 20;
    private const long LimitMin = 24L << 20;
    private const long LimitMax = 160L << 20;
    private const int StepsPerResidentCheck = 20;

    // What takes so long on the slowest machine does not happen.
    private static readonly TimeSpan _patience = TimeSpan.FromSeconds(60);

    private readonly Random _random;
    private readonly FakeTimeProvider _clock = new();
    private readonly CacheStore _store;
    private readonly HeavyModel _model;
    private readonly HeavyRequests _requests;
    private readonly HeavyClient[] _clients = [.. Enumerable.Range(0, Clients).Select(static _ => new HeavyClient())];
    private readonly byte[] _piece = new byte[PieceBytesMax];
    private readonly bool _sharesThread;
    private readonly long _residentBefore;
    private readonly long _bytesBefore;
    private InMemoryServer? _server;
    private InMemoryClient? _bystander;
    private HeavyReport _report = new();

    private HeavySimulation(int seed)
    {
        _random = new Random(seed);
        _sharesThread = (seed & 1) != 0;
        _residentBefore = ResidentMemory.IsKnown ? ResidentMemory.Read() : 0;
        _store = new CacheStore(new CacheOptions { MemoryLimitBytes = LimitMax, ShardCount = 4 }, _clock);
        _bytesBefore = _store.GetStatistics().MemoryBytes;
        _model = new HeavyModel(_store);
        _requests = new HeavyRequests(_random, _model, RequestBytesMax, ReplyBytesMax);
    }

    /// <param name="seed">Decides all; an odd one lets the connections share a thread.</param>
    /// <param name="steps">How many.</param>
    /// <exception cref="FuzzFailureException">Something is not as it must be.</exception>
    public static async Task<HeavyReport> RunAsync(int seed, int steps)
    {
        await using var simulation = new HeavySimulation(seed);
        await simulation.StartAsync();
        for (int i = 0; i < steps; i++)
        {
            simulation.Step();
            simulation.AskBystander();
            if (i % StepsPerResidentCheck == 0)
                simulation.CheckMemory();
        }

        simulation.End();
        return simulation._report;
    }

    public async ValueTask DisposeAsync()
    {
        foreach (var client in _clients)
            client.Connection?.Vanish();
        _bystander?.Vanish();
        if (_server is not null)
            await _server.DisposeAsync();
        foreach (var (lent, _) in _lent)
            lent.Dispose();
        _store.Dispose();
    }

    private ClientMemory ClientMemory => _server!.Server.State.ClientMemory;

    private async Task StartAsync()
    {
        var options = new RespServerOptions
        {
            PartialRequestTimeout = TimeSpan.Zero, // A request is under way for as long as the dice want.
            ClientMemoryLimit = 8 * LimitMax,
        };
        _server = await InMemoryServer.StartAsync(
            _store, options, new InMemoryBounds { SharesThread = _sharesThread });
        _bystander = _server.Connect();
    }

    private void Step()
    {
        int dice = _random.Next(1_000);
        if (dice < 860)
            Serve(_clients[_random.Next(Clients)]);
        else if (dice < 940)
            Lend();
        else if (dice < 965)
            ChangeLimit();
        else if (dice < 967)
            Execute(new HeavyRequest("FLUSHALL", [], []));
        else
            _clock.Advance(_random.Next(300));
    }

    private void Serve(HeavyClient client)
    {
        client.Connection ??= _server!.Connect();
        if (client.Reply is not null)
        {
            ReadReply(client);
            return;
        }

        if (client.Request is null)
        {
            var request = _requests.Next();
            client.Begin(request, _random.Next(6) == 0 ? _random.NextInt64(1, request.Length) : request.Length);
        }

        for (int pieces = _random.Next(1, 200); pieces > 0 && !client.IsSent; pieces--)
            SendPiece(client);
        if (!client.IsSent)
            return;
        if (client.IsCutOff)
            Cut(client);
        else if (_sharesThread || !client.Request!.IsRead)
            ReadWhole(client);
    }

    // Of any size, often of a few bytes, and as large as a receive is.
    private void SendPiece(HeavyClient client)
    {
        int length = _random.Next(4) == 0 ? _random.Next(1, 100) : _random.Next(1, PieceBytesMax);
        int count = client.ReadPiece(_piece.AsSpan(0, length));
        client.SentBytes += count;
        if (client.IsSent && !client.IsCutOff)
            client.Reply = _model.Expect(client.Request!);
        var connection = client.Connection!;
        WaitFor(() => !connection.IsPaused, client);
        var before = ThreadTime.Read();
        connection.Send(_piece.AsSpan(0, count));
        NoteTurn(client, ThreadTime.Read() - before);
    }

    private void Cut(HeavyClient client)
    {
        if (_random.Next(2) == 0)
            client.Connection!.Close();
        client.Connection!.Vanish();
        client.Connection = null;
        client.End();
        _report = _report with { Cuts = _report.Cuts + 1 };
        int connected = 1 + _clients.Count(static other => other.Connection is not null);
        WaitFor(() => _server!.Server.State.Clients.Count == connected, client);
    }

    private void ReadReply(HeavyClient client)
    {
        byte[] bytes = client.Connection!.ReadSome();
        if (bytes.Length == 0 && client.Connection.IsClosed)
            throw new FuzzFailureException($"The server closed the connection after {client.Request}.");
        client.Reply!.Take(bytes);
        if (client.Reply.IsComplete)
            Finish(client);
    }

    private void ReadWhole(HeavyClient client)
    {
        WaitFor(
            () =>
            {
                ReadReply(client);
                return client.Request is null;
            },
            client);
    }

    private void Finish(HeavyClient client)
    {
        var request = client.Request!;
        _model.Take(request, client.Reply!, MayRefuse(request));
        NoteRequest(client);
        client.End();
    }

    // By a connection of its own, beside all that is under way.
    private void Execute(HeavyRequest request)
    {
        var client = new HeavyClient { Connection = _server!.Connect() };
        client.Begin(request, request.Length);
        SendPieces(client);
        ReadWhole(client);
        client.Connection.Vanish();
    }

    private void SendPieces(HeavyClient client)
    {
        while (!client.IsSent)
            SendPiece(client);
    }

    // Where all is done within the call, what is not so now never will be.
    private void WaitFor(Func<bool> isDone, HeavyClient client)
    {
        long start = TimeProvider.System.GetTimestamp();
        while (!isDone())
        {
            if (!_sharesThread && client.Reply is null)
                throw new FuzzFailureException("The server does not do at once what it can do.");
            if (TimeProvider.System.GetElapsedTime(start) > _patience)
                throw new FuzzFailureException($"{client.Request} did not end within {_patience}.");
            AskBystander();
            if (_sharesThread)
                Thread.Yield();
        }
    }

    private void End()
    {
        foreach (var client in _clients)
        {
            if (client.Reply is not null)
                ReadWhole(client);
            client.Connection?.Vanish();
            client.Connection = null;
            client.End();
        }

        GiveAllBack();
        WaitFor(() => _server!.Server.State.Clients.Count == 1, _clients[0]);
        CheckMemory();
        StoreChecks.RequireWhole(_store);
        _model.CompareAll();
        _store.ClearAll();
        _clock.Advance(3_000);
        StoreChecks.RequireEmpty(_store, _bytesBefore);
        StoreChecks.RequireWhole(_store);
        CheckMemory();
        _report = _report with { Evictions = _store.GetStatistics().Evictions };
    }
}
