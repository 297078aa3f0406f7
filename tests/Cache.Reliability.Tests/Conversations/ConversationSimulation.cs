using System.Collections.Concurrent;
using System.Diagnostics;
using System.Globalization;
using System.Text;
using Cache.Core;
using Cache.Reliability.Tests.Fuzz;
using Cache.Reliability.Tests.Simulation;
using Cache.Testing;

namespace Cache.Reliability.Tests.Conversations;

/// <summary>
/// Clients that transact, wait for each other, publish and track, beside writes in process, deaths and the clock, moved
/// by one seed: after each step all of them were told what the model says.
/// </summary>
/// <remarks>
/// What the server posts to the thread of its transport is done by this one. A client that has waited may still be on a
/// thread of the pool for a moment, so what is awaited is awaited with patience; what comes too much fails sooner or
/// later.
/// </remarks>
internal sealed class ConversationSimulation : IAsyncDisposable
{
    private const int Clients = 7;
    private const int SweepMs = 100;

    private static readonly TimeSpan _patience = TimeSpan.FromSeconds(60);

    private readonly Random _random;
    private readonly FakeTimeProvider _clock = new();
    private readonly CacheStore _store;
    private readonly ConversationModel _model = new(Clients);
    private readonly ConversationRequests _requests;
    private readonly ConcurrentQueue<Action> _posted = new();
    private readonly ConversationEnd?[] _ends = new ConversationEnd[Clients];
    private InMemoryServer? _server;
    private InMemoryClient? _other;
    private string _last = "";
    private bool _hasTimePassed;

    private ConversationSimulation(int seed)
    {
        _random = new Random(seed);
        _requests = new ConversationRequests(_random);
        _store = new CacheStore(new CacheOptions { MemoryLimitBytes = 16 << 20, ShardCount = 2 }, _clock);
    }

    /// <exception cref="FuzzFailureException">A client was told something else.</exception>
    public static async Task RunAsync(int seed, int steps)
    {
        await using var simulation = new ConversationSimulation(seed);
        await simulation.StartAsync();
        for (int i = 0; i < steps; i++)
            simulation.Step(i);
        simulation.CompareStore();
    }

    public async ValueTask DisposeAsync()
    {
        for (int client = 0; client < Clients; client++)
            Vanish(client);
        _other?.Vanish();
        if (_server is not null)
        {
            var stop = _server.DisposeAsync().AsTask();
            while (!stop.IsCompleted) // It waits for connections, which end here.
            {
                Pump();
                await Task.Yield();
            }

            await stop;
        }

        _store.Dispose();
    }

    private async Task StartAsync()
    {
        var bounds = new InMemoryBounds { SharesThread = true, Post = _posted.Enqueue };
        _server = await InMemoryServer.StartAsync(_store, bounds: bounds);
        _other = _server.Connect();
        for (int client = 0; client < Clients; client++)
            Connect(client);
    }

    private void Step(int step)
    {
        int client = _random.Next(Clients);
        int dice = _random.Next(100);
        if (dice < 75 && !_model.IsWaiting(client))
            Send(client);
        else if (dice < 85)
            UseInProcess();
        else if (dice < 90)
            End(client);
        else if (dice < 97)
            PassTime();
        Await(step);
    }

    private void Send(int client)
    {
        string[][] requests = _requests.Next(_model[client]);
        _last = string.Join("; ", requests.Select(static words => string.Join(' ', words)));
        var bytes = new List<byte>();
        foreach (string[] request in requests)
        {
            if (_model.IsWaiting(client))
                break; // A request before it waits.
            bytes.AddRange(SimulatedRequests.Encode(request));
            _model.Ask(client, request);
        }

        _ends[client]!.Client.Send([.. bytes]);
    }

    private void UseInProcess()
    {
        string element = _requests.NextElement();
        if (_random.Next(2) == 0)
        {
            string key = _requests.AnyString;
            _last = $"{key} set in process";
            _model.Put(key, element);
            _store.Set(Encoding.ASCII.GetBytes(key), Encoding.ASCII.GetBytes(element));
            return;
        }

        string list = _requests.AnyList;
        _last = $"{list} pushed in process";
        _model.PushInProcess(list, element);
        _store.List(Encoding.ASCII.GetBytes(list)).Push(ListEnd.Left, Encoding.ASCII.GetBytes(element));
    }

    private void End(int client)
    {
        string id = _ends[client]!.Id;
        bool isWaiting = _model.IsWaiting(client);
        if (_random.Next(2) == 0)
        {
            bool hasError = _random.Next(2) == 0;
            _last = $"client {client} unblocked";
            string reply = _other!.Exchange(Inline("CLIENT", "UNBLOCK", id, hasError ? "ERROR" : "TIMEOUT"));
            if (reply != (isWaiting ? ":1\r\n" : ":0\r\n"))
                throw new FuzzFailureException($"CLIENT UNBLOCK of {client} was answered by {reply}.");
            _model.Unblock(client, hasError);
            return;
        }

        _last = $"client {client} ended";
        bool isKilled = _random.Next(2) == 0;
        _model.Renew(client);
        if (isKilled)
            _other!.Exchange(Inline("CLIENT", "KILL", "ID", id));
        Vanish(client);
        if (isWaiting && !isKilled)
            Advance(1_000 + SweepMs); // By then the sweep has seen it.
        Pump();
        Connect(client);
    }

    private void Vanish(int client)
    {
        _ends[client]?.Client.Vanish();
        _ends[client] = null; // Nothing is read of it any more.
    }

    private void PassTime()
    {
        _last = "time";
        Advance(_random.Next(1_000));
    }

    private void Advance(int ms)
    {
        _hasTimePassed = true;
        _model.Advance(ms);
        _clock.Advance(ms);
    }

    private void Connect(int client)
    {
        var end = new ConversationEnd(_server!.Connect());
        _ends[client] = end;
        end.Client.Send(Encoding.ASCII.GetBytes(Inline("HELLO", "3")));
        end.Client.Send(Encoding.ASCII.GetBytes(Inline("CLIENT", "ID")));
        end.TakeId();
    }

    // Expired entries are met by the sweep: time passes until they are.
    private void Await(int step)
    {
        long start = Stopwatch.GetTimestamp();
        for (int i = 1; !IsSettled(); i++)
        {
            if (Stopwatch.GetElapsedTime(start) > _patience)
                throw new FuzzFailureException($"Step {step}, {_last}: {string.Concat(FindDifferences())}");
            if (_hasTimePassed && i % 50 == 0)
                Advance(SweepMs);
            Thread.Yield();
        }

        _hasTimePassed = false;
        for (int client = 0; client < Clients; client++)
        {
            _model[client].Clear();
            _ends[client]!.Clear();
        }
    }

    private bool IsSettled()
    {
        Pump();
        var waits = _server!.Server.State.Waits;
        return waits.IsIdle && !FindDifferences().Any() && _posted.IsEmpty;
    }

    private void Pump()
    {
        do
        {
            while (_posted.TryDequeue(out var work))
                work();
            foreach (var end in _ends)
                end?.Receive();
        }
        while (!_posted.IsEmpty);
    }

    private IEnumerable<string> FindDifferences()
    {
        for (int client = 0; client < Clients; client++)
        {
            var (expected, got) = (_model[client], _ends[client]!);
            if (!got.IsTold(expected))
                yield return $"\nclient {client} got {got}\nnot {Show(expected)}";
        }

        var waits = _server!.Server.State.Waits;
        if (waits.Count != _model.WaitingCount)
            yield return $"\n{waits.Count} wait, not {_model.WaitingCount}";
        long keys = _store.GetStatistics().Count;
        if (keys != _model.KeyCount) // What has expired is there until the sweep meets it.
            yield return $"\n{keys} keys are there, not {_model.KeyCount}";
    }

    private void CompareStore()
    {
        var expected = _model.Strings.Select(static one => $"{one.Key} {one.Value}")
            .Concat(_model.Lists.Select(static one => $"{one.Key} {string.Join(',', one.Elements)}")).Order();
        var found = _model.Strings.Select(one => $"{one.Key} {ValueOf(one.Key)}")
            .Concat(_model.Lists.Select(one => $"{one.Key} {string.Join(',', ElementsOf(one.Key))}")).Order();
        string difference = string.Join("; ", expected.Except(found));
        if (difference.Length > 0)
            throw new FuzzFailureException($"Not as they should be: {difference}");
        StoreChecks.RequireWhole(_store);
    }

    private string ValueOf(string key) => Latin1(_store.GetArray(Encoding.ASCII.GetBytes(key)));

    private List<string> ElementsOf(string key)
    {
        var list = _store.List(Encoding.ASCII.GetBytes(key));
        List<string> elements = [];
        for (long i = 0; i < list.Count; i++)
            elements.Add(Latin1(list.GetArray(i)));
        return elements;
    }

    private static string Latin1(byte[]? bytes) => bytes is null ? "(none)" : Encoding.Latin1.GetString(bytes);

    private static string Show(ConversingClient client) =>
        $"'{client.Replies}' '{client.Pushes}' {string.Join(',', client.Invalid)}"
            .Replace("\r\n", " ", StringComparison.Ordinal);

    private static string Inline(params string[] words) => Encoding.Latin1.GetString(SimulatedRequests.Encode(words));
}
