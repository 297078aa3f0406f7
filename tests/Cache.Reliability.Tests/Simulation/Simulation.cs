using System.Text;
using Cache.Core;
using Cache.Core.Hashing;
using Cache.Reliability.Tests.Fuzz;
using Cache.Server;
using Cache.Testing;

namespace Cache.Reliability.Tests.Simulation;

/// <summary>
/// A server, its clients, the network between them, the clock and the memory limit, moved by one seed in one thread.
/// </summary>
/// <remarks>
/// The connections of <see cref="InMemoryServer"/> run inline: what arrives has been executed when Send returns. So
/// requests take place in the order in which their last bytes arrive, and the model is asked in that order. The store's
/// hash has a secret that follows from the seed, so that evictions repeat too.
/// </remarks>
internal sealed class Simulation : IAsyncDisposable
{
    private const int Clients = 8;
    private const int IdleTimeoutSeconds = 900;
    private const long LimitMin = 1 << 20;
    private const long LimitMax = 2 << 20;

    // More than a bucket and its neighbour have room for.
    private const int HotKeyCount = 24;

    // The store sweeps each tenth of a second.
    private static readonly TimeSpan _twoSweeps = TimeSpan.FromMilliseconds(200);

    private static readonly EvictionPolicy[] _policies = Enum.GetValues<EvictionPolicy>();

    private readonly Random _random;
    private readonly FakeTimeProvider _clock = new();
    private readonly CacheStore _store;
    private readonly SimulationModel _model = new();
    private readonly SimulatedRequests _requests;
    private readonly SimulatedUser _user;
    private readonly SimulatedClient[] _clients =
        [.. Enumerable.Range(0, Clients).Select(static _ => new SimulatedClient())];

    private readonly SimulationTrace _trace = new();
    private readonly long _startMs;
    private InMemoryServer? _server;
    private long _requestCount;
    private long _evictions;
    private int _reconnects;
    private int _limitChanges;
    private int _wallClockChanges;
    private int _clears;

    private Simulation(int seed)
    {
        _random = new Random(seed);
        byte[] secret = new byte[AesHash.SecretLength];
        _random.NextBytes(secret);
        var options = new CacheOptions { MemoryLimitBytes = LimitMax, ShardCount = 4 };
        _store = new CacheStore(options, _clock, KeyedHash.Create(secret));
        string[] hotKeys = HotKeys.Find(_store, SimulatedRequests.KeyStart + "hot:", HotKeyCount);
        _requests = new SimulatedRequests(_random, () => UnixNowMs, hotKeys);
        _user = new SimulatedUser(_store, _model, _random);
        _startMs = _store.NowMs;
        _model.NowMs = _startMs;
    }

    /// <exception cref="FuzzFailureException">An answer was not that of the model.</exception>
    public static async Task<SimulationReport> RunAsync(int seed, int steps)
    {
        await using var simulation = new Simulation(seed);
        var options = new RespServerOptions
        {
            Timeout = TimeSpan.FromSeconds(IdleTimeoutSeconds),
            PartialRequestTimeout = TimeSpan.Zero, // Requests are under way for hours.
        };
        simulation._server = await InMemoryServer.StartAsync(simulation._store, options);
        for (int i = 0; i < steps; i++)
            simulation.Step();
        simulation.CompareAll();
        return simulation.Report();
    }

    public async ValueTask DisposeAsync()
    {
        foreach (var client in _clients)
            client.Drop();
        if (_server is not null)
            await _server.DisposeAsync();
        _store.Dispose();
        _trace.Dispose();
    }

    private void Step()
    {
        int dice = _random.Next(1_000);
        var client = _clients[_random.Next(Clients)];
        if (dice < 400 && client.IsIdle)
            client.Send([.. Enumerable.Range(0, _random.Next(1, 12)).Select(_ => _requests.Next())], NowMs, _random);
        else if (dice < 900)
            Arrive();
        else if (dice < 950)
            UseInProcess();
        else if (dice < 955)
            Drop(client);
        else if (dice < 960)
            ChangeLimit();
        else if (dice < 963)
            _store.Eviction = _policies[_random.Next(_policies.Length)];
        else if (dice < 970)
            SetWallClock();
        else
            PassTime();
    }

    private void UseInProcess()
    {
        TakeEvictions();
        _user.Step();
        _trace.Note('u', _store.GetStatistics().MemoryBytes);
        TakeEvictions();
    }

    private long NowMs => _store.NowMs;

    private long UnixNowMs => _clock.GetUtcNow().ToUnixTimeMilliseconds();

    // Of what is under way, what is due first; until then time passes.
    private void Arrive()
    {
        var client = _clients.MinBy(static client => client.NextDueMs)!;
        if (client.IsIdle)
            return;
        if (client.NextDueMs > NowMs)
            Advance(TimeSpan.FromMilliseconds(client.NextDueMs - NowMs));
        if (client.IsIdle) // It was silent for too long, and its connection is gone.
            return;
        if (client.Connection is null)
        {
            client.Connection = _server!.Connect();
            client.LastArrivalMs = NowMs;
            _reconnects++;
        }

        var (bytes, requests) = client.Arrive();
        _trace.Note('a', NowMs, bytes);
        client.LastArrivalMs = NowMs;
        client.Connection.Send(bytes);
        byte[] replies = client.Connection.ReadAll();
        _trace.Note('r', _store.GetStatistics().Evictions, replies);
        Compare(requests, replies);
    }

    private void Compare(string[][] requests, byte[] bytes)
    {
        var scanner = ReplyScanner.Scan(bytes, takesVersion3: false);
        if (scanner.Replies != requests.Length || scanner.IsCut)
            throw Failure(requests, $"{scanner.Replies} replies");
        _requestCount += requests.Length;
        int clears = requests.Count(static request => request[0].StartsWith("FLUSH", StringComparison.Ordinal));
        _clears += clears;
        if (clears > 0)
            _user.Clear();
        string[] replies = new string[requests.Length];
        for (int i = 0, start = 0; i < replies.Length; start = scanner.Ends[i++])
            replies[i] = Encoding.Latin1.GetString(bytes, start, scanner.Ends[i] - start);
        if (_store.GetStatistics().Evictions == _evictions)
            Compare(requests, replies);
        else
            CompareEvicting(requests, replies);
    }

    private void Compare(string[][] requests, string[] replies)
    {
        for (int i = 0; i < requests.Length; i++)
        {
            if (!IsRefused(requests[i], replies[i]) && _model.Answer(requests[i]) is var answer && answer != replies[i])
                throw Failure([requests[i]], $"'{Shorten(replies[i])}', not '{Shorten(answer)}'");
        }
    }

    // Something was evicted meanwhile, and what a request names may have been among it. A reply does not always tell:
    // SET with KEEPTTL says the same of a new entry. So every course that fits the replies is followed, and the store
    // tells at the end which one it took.
    private void CompareEvicting(string[][] requests, string[] replies)
    {
        string[] keys = [.. requests.SelectMany(static request => request.Skip(1)).Where(SimulatedRequests.IsKey)];
        List<SimulationModel> courses = [_model.CopyOf(keys)];
        for (int i = 0; i < requests.Length; i++)
        {
            if (IsRefused(requests[i], replies[i]))
                continue;
            courses = [.. courses.SelectMany(course => CoursesOf(course, requests[i], replies[i]))];
            if (courses.Count == 0)
                throw Failure(requests[..(i + 1)], $"'{Shorten(replies[i])}' to the last, whatever was evicted");
        }

        var taken = courses.Find(course => keys.All(key => AgreesWithStore(course, key)))
            ?? throw Failure(requests, "replies that do not fit what the store holds");
        if (Array.Exists(requests, static request => request[0].StartsWith("FLUSH", StringComparison.Ordinal)))
            _model.Clear();
        foreach (string key in keys)
            _model.Take(taken, key);
        TakeEvictions();
    }

    private static IEnumerable<SimulationModel> CoursesOf(SimulationModel course, string[] request, string reply)
    {
        string[] keys = [.. request.Skip(1).Where(course.Has).Distinct()];
        HashSet<string> outcomes = [];
        for (int choice = 0; choice < 1 << keys.Length; choice++)
        {
            string[] evicted = [.. keys.Where((_, i) => (choice >> i & 1) != 0)];
            var model = course.CopyOf(course.Keys.Except(evicted));
            if (model.Answer(request) == reply && outcomes.Add(model.Describe(keys)))
                yield return model;
        }
    }

    // What the store no longer holds may have been evicted after the last reply.
    private bool AgreesWithStore(SimulationModel course, string key) =>
        !_store.TryPeekInfo(Encoding.Latin1.GetBytes(key), out var info)
        || (course.Find(key) is { } entry
            && course.StoreMsOf(entry.Expiry) == info.ExpiresAtMs && entry.Value == PeekValue(key));

    // Not a use of the entry. SETBIT says the same of a new value and of one of zeros, and leaves one of equal length.
    private string PeekValue(string key)
    {
        var sink = default(ArraySink);
        return _store.TryPeekRange(Encoding.Latin1.GetBytes(key), 0, -1, ref sink, out _)
            ? Encoding.Latin1.GetString(sink.Array!)
            : "";
    }

    private bool IsRefused(string[] request, string reply)
    {
        if (!reply.StartsWith("-OOM", StringComparison.Ordinal))
            return false;
        return _store.Eviction != EvictionPolicy.AllEntries ? true : throw Failure([request], reply);
    }

    private void TakeEvictions()
    {
        long evictions = _store.GetStatistics().Evictions;
        if (evictions == _evictions)
            return;
        string[] gone = [.. _model.LiveKeys.Where(key => !_store.Contains(Encoding.Latin1.GetBytes(key)))];
        foreach (string key in gone)
            _model.Remove(key);
        int count = gone.Length + _user.TakeEvictions();
        if (count > evictions - _evictions)
            throw new FuzzFailureException($"{count} keys are gone, {evictions - _evictions} were evicted.");
        _evictions = evictions;
    }

    private void Drop(SimulatedClient client)
    {
        _trace.Note('d', NowMs);
        client.Drop();
    }

    private void ChangeLimit()
    {
        long limit = _random.NextInt64(LimitMin, LimitMax);
        _store.MemoryLimitBytes = limit;
        _limitChanges++;
        _trace.Note('l', _store.GetStatistics().MemoryBytes);
        TakeEvictions();
        long used = _store.GetStatistics().MemoryBytes;
        if (_store.Eviction == EvictionPolicy.AllEntries && used > limit + limit / 50)
            throw new FuzzFailureException($"{used} bytes are held, the limit is {limit}.");
    }

    // Slewed by milliseconds, or stepped by up to a day. The store is made to look at once: what it takes for unchanged
    // depends on what it saw before.
    private void SetWallClock()
    {
        int ms = _random.Next(3) == 0 ? 1_000 * _random.Next(-100_000, 100_000) : _random.Next(-15, 16);
        string[] past = _user.FindPast();
        _clock.JumpWallClock(TimeSpan.FromMilliseconds(ms));
        _store.Set("clock"u8, ""u8, new EntryOptions { ExpiresAtUnixMs = 1 }); // Has passed, so nothing is stored.
        _model.NoteWallClock(UnixNowMs, key => _store.Contains(Encoding.Latin1.GetBytes(key)));
        _user.NoteWallClock(past);
        _trace.Note('w', UnixNowMs);
        _wallClockChanges++;
    }

    // Mostly seconds, in which every timer fires; now and then hours, as of a machine that slept.
    private void PassTime()
    {
        if (_random.Next(10) > 0)
        {
            Advance(TimeSpan.FromMilliseconds(_random.Next(20_000)));
            return;
        }

        _clock.Skip(TimeSpan.FromSeconds(_random.Next(200_000)));
        AfterTime(isExact: false);
    }

    private void Advance(TimeSpan by)
    {
        _clock.Advance(by);
        AfterTime(isExact: true);
    }

    private void AfterTime(bool isExact)
    {
        _model.NowMs = NowMs;
        _trace.Note('t', NowMs);
        foreach (var client in _clients)
        {
            if (client.Connection is not { } connection)
                continue;
            connection.ReadAll();
            double silent = (NowMs - client.LastArrivalMs) / 1_000.0;
            bool mustBeClosed = isExact && silent > IdleTimeoutSeconds + 2;
            if (connection.IsClosed ? silent <= IdleTimeoutSeconds : mustBeClosed)
                throw new FuzzFailureException($"After {silent} seconds of silence, closed is {connection.IsClosed}.");
            if (connection.IsClosed)
                client.Drop();
        }
    }

    // Nothing may be left that the model does not have, once the sweep has had the time to meet every expired entry:
    // which it had not if one expired just now.
    private void CompareAll()
    {
        TakeEvictions();
        _user.RemoveAll();
        Advance(TimeSpan.FromSeconds(10));
        int count;
        do
        {
            count = _model.LiveKeys.Count;
            Advance(_twoSweeps);
        }
        while (count != _model.LiveKeys.Count);

        string[] live = [.. _model.LiveKeys];
        string[][] requests = [.. live.Select(static key => new[] { "GET", key })];
        Compare(requests, [.. requests.Select(Ask)]);
        long held = _store.GetStatistics().Count;
        if (held != count)
            throw new FuzzFailureException($"The store holds {held} entries, the model {live.Length}.");
        StoreChecks.RequireWhole(_store);
    }

    private string Ask(string[] request)
    {
        var client = _server!.Connect();
        client.Send(SimulatedRequests.Encode(request));
        var reply = new StringBuilder();
        for (byte[] bytes = client.ReadAll(); bytes.Length > 0; bytes = client.ReadAll())
            reply.Append(Encoding.Latin1.GetString(bytes));
        client.Vanish();
        return reply.ToString();
    }

    private SimulationReport Report() => new(
        _requestCount, (NowMs - _startMs) / 3_600_000.0, _evictions, _store.GetStatistics().Expirations, _reconnects,
        _limitChanges, _wallClockChanges, _clears, _trace.Hash);

    private FuzzFailureException Failure(string[][] requests, string what)
    {
        string sent = string.Join("; ", requests.Select(static words => Shorten(string.Join(' ', words))));
        return new FuzzFailureException($"At {NowMs - _startMs} ms '{sent}' was answered by {what}.");
    }

    private static string Shorten(string text) => text.Length <= 200 ? text : text[..200] + "...";
}
