using System.Text;
using Cache.Core;
using Cache.Server;
using Cache.Server.Scripts;
using Cache.Testing;
using Microsoft.Extensions.DependencyInjection;

namespace Cache.Scripting.Tests;

/// <summary>Scripts that run alone on the thread of a loop; and the loop gets another one if they take long.</summary>
public sealed class LoopScriptTests : IAsyncLifetime
{
    private const string Short = "for i = 1, 2 do redis.call('incr', KEYS[1]) end return redis.call('get', KEYS[1])";

    // It says that it runs, and ends when the test says so; declares its keys, so that others may go on.
    private const string Long =
        "redis.call('set', KEYS[2], ARGV[1]) while redis.call('get', KEYS[1]) ~= ARGV[1] do end return ARGV[1] --";

    private readonly CacheStore _store = new(new CacheOptions { MemoryLimitBytes = 128 << 20 });
    private readonly List<TestClient> _clients = [];
    private RespServer _server = null!;
    private int _runs;

    public async ValueTask InitializeAsync()
    {
        _server = new RespServer(_store, new RespServerOptions { Port = 0, IoThreadCount = 1 }.UseScripting());
        await _server.StartAsync(CancellationToken.None);
    }

    public async ValueTask DisposeAsync()
    {
        EndLong(); // If the test has failed.
        await _server.DisposeAsync();
        foreach (var client in _clients)
            await client.DisposeAsync();
        _store.Dispose();
    }

    [Fact]
    public async Task ShortScripts_TakeNoWorker()
    {
        const int AttemptsMax = 20; // A busy machine stops the loop in a script for so long that it took long.
        const int Calls = 10;
        var client = await ConnectAsync();
        long workers = Calls;
        for (int attempt = 0; attempt < AttemptsMax && workers > 0; attempt++)
        {
            long before = _server.Workers.Count;
            string key = $"n{attempt}";
            for (int i = 1; i <= Calls; i++)
                await client.ExchangeAsync(Request("EVAL", Short + $" --{attempt:D8}", "1", key), Bulk($"{2 * i}"));
            workers = _server.Workers.Count - before;
        }

        Assert.Equal(0, workers);
    }

    [Fact]
    public async Task ScriptThatTookLong_IsRunByAWorkerTheNextTimes()
    {
        var client = await ConnectAsync();
        await BeginLongAsync(client, Long);
        await Task.Delay(4 * ScriptDurations.ShortMax, TestContext.Current.CancellationToken);
        await EndLongAsync(client);
        long before = _server.Workers.Count;

        for (int i = 0; i < 3; i++)
        {
            await BeginLongAsync(client, Long);
            await EndLongAsync(client);
        }

        Assert.InRange(_server.Workers.Count - before, 3, long.MaxValue);
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task LongScript_ClientsOfItsLoop_AreServed(bool isFunction)
    {
        var (runs, other) = (await ConnectAsync(), await ConnectAsync());
        for (int i = 0; i < 10; i++)
        {
            string name = $"f{i}";
            if (isFunction)
            {
                string library =
                    $"#!lua name=l{i}\nredis.register_function('{name}', function(KEYS, ARGV) {Long}\nend)";
                await other.ExchangeAsync(Request("FUNCTION", "LOAD", library), Bulk($"l{i}"));
            }

            await BeginLongAsync(runs, isFunction ? name : Long + name, isFunction ? "FCALL" : "EVAL");
            await other.ExpectAsync("PING", "+PONG\r\n");
            await other.ExpectAsync($"SET other {i}", "+OK\r\n");
            await using (var third = await TestClient.ConnectAsync(_server.EndPoints[0]))
                await third.ExpectAsync("GET other", Bulk($"{i}"));
            await EndLongAsync(runs);
            await runs.ExpectAsync("PING", "+PONG\r\n");
        }
    }

    [Fact]
    public Task LongScript_WhatItsClientSentBehindIt_FollowsInOrder() => RandomSeed.RunAsync(this, async seed =>
    {
        var (runs, other) = (await ConnectAsync(), await ConnectAsync());
        var random = new Random(seed);
        for (int i = 0; i < 10; i++)
        {
            var behind = new StringBuilder();
            var replies = new StringBuilder();
            int count = random.Next(1, 2000); // More than one receive has.
            for (int n = 1; n <= count; n++)
            {
                behind.Append(null, $"INCR n{i}\r\n");
                replies.Append(null, $":{n}\r\n");
                if (n % 50 != 0)
                    continue;
                behind.Append(Request("EVAL", Short, "1", $"m{i}"));
                replies.Append(Bulk($"{n / 50 * 2}"));
            }

            await BeginLongAsync(runs, Long + i, behind: behind.ToString());
            for (int n = 1; n <= 20; n++)
                await other.ExpectAsync($"INCR o{i}", $":{n}\r\n");
            EndLong();
            await runs.ExchangeAsync("", Bulk($"{_runs}") + replies);
            await other.ExpectAsync("FLUSHALL", "+OK\r\n");
        }
    });

    [Fact]
    public async Task LongScript_ThatBeginsWhenItsClientReceivesAgain_LeavesTheLoopToOthers()
    {
        var (runs, other) = (await ConnectAsync(), await ConnectAsync());
        string value = new('v', 100_000);
        _store.Set("big"u8, Encoding.Latin1.GetBytes(value));
        const int Gets = 200; // More than the sockets take, so that the connection waits until it can send.
        for (int i = 0; i < 3; i++)
        {
            var many = new StringBuilder();
            for (int n = 0; n < Gets; n++)
                many.Append("GET big\r\n");
            _runs++;
            string run = $"{_runs}";
            await runs.SendAsync(many + Request("EVAL", Long + i, "2", "go", "runs", run));
            await Task.Delay(20, TestContext.Current.CancellationToken);
            string reply = Bulk(value);
            for (int n = 0; n < Gets; n++)
                Assert.Equal(reply, await runs.ReadAsync(reply.Length));
            await WaitAsync(run);

            await other.ExpectAsync("PING", "+PONG\r\n");
            await EndLongAsync(runs);
        }
    }

    [Fact]
    public async Task EndlessScript_IsKilled_AndItsLoopGoesOn()
    {
        var (runs, other) = (await ConnectAsync(), await ConnectAsync());
        await other.ExpectAsync("CONFIG SET busy-reply-threshold 20", "+OK\r\n");
        for (int i = 0; i < 5; i++)
        {
            await runs.SendAsync(Request("EVAL", $"while true do end --{i}", "1", "a"));
            string reply;
            do
            {
                await other.SendAsync("SCRIPT KILL\r\n");
                reply = await other.ReadAsync("+OK\r\n".Length);
                if (reply[0] == '-')
                    await ReadLineAsync(other);
            }
            while (reply[0] == '-');

            string end = await ReadLineAsync(runs);
            Assert.StartsWith("-ERR Script killed", end);
            await runs.ExpectAsync("PING", "+PONG\r\n");
        }
    }

    [Fact]
    public async Task DisposeAsync_DuringAnEndlessScript_Ends()
    {
        var (runs, other) = (await ConnectAsync(), await ConnectAsync());
        await runs.SendAsync(Request("EVAL", "redis.call('set', KEYS[1], 1) while true do end", "1", "runs"));
        await WaitAsync("1");
        await other.ExpectAsync("PING", "+PONG\r\n");

        await _server.DisposeAsync().AsTask().WaitAsync(
            TimeSpan.FromSeconds(60), TestContext.Current.CancellationToken);
    }

    // Of many loops at once: each script sees its two keys equal, however long it takes.
    [Fact]
    public Task ScriptsOfManyLoops_AreAlone() => RandomSeed.RunAsync(this, async seed =>
    {
        var random = new Random(seed);
        _store.Clear();
        await using var server = new RespServer(
            _store, new RespServerOptions { Port = 0, IoThreadCount = 4 }.UseScripting());
        await server.StartAsync(CancellationToken.None);
        const string Script =
            "if redis.call('get', KEYS[1]) ~= redis.call('get', KEYS[2]) then return 'torn' end "
            + "for i = 1, tonumber(ARGV[1]) do redis.call('incr', KEYS[1]) redis.call('incr', KEYS[2]) end return 'ok'";
        int[] counts = Array.ConvertAll(new int[16], _ => random.Next(20, 60));
        long sum = 0;
        await Task.WhenAll(counts.Select(async (count, index) =>
        {
            var own = new Random(seed + index);
            await using var client = await TestClient.ConnectAsync(server.EndPoints[0]);
            for (int i = 0; i < count; i++)
            {
                int steps = own.Next(100) == 0 ? 20_000 : own.Next(1, 20);
                Interlocked.Add(ref sum, steps);
                bool isDeclared = own.Next(2) == 0;
                string script = isDeclared ? Script : Script.Replace("KEYS[2]", "'{x}b'", StringComparison.Ordinal);
                string[] keys = isDeclared ? ["2", "{x}a", "{x}b"] : ["1", "{x}a"];
                await client.ExchangeAsync(
                    "PING\r\n" + Request(["EVAL", script, .. keys, $"{steps}"]), "+PONG\r\n" + Bulk("ok"));
            }
        }));

        Assert.Equal($"{sum}", Encoding.Latin1.GetString(_store.GetArray("{x}a"u8)!));
        Assert.Equal($"{sum}", Encoding.Latin1.GetString(_store.GetArray("{x}b"u8)!));
    });

    // While the loops change their threads, clients pipeline, arrive, and leave in the middle of their scripts.
    [Theory]
    [InlineData(1)]
    [InlineData(3)]
    public Task LongScripts_OfClientsThatComeAndGo_RepliesAreInOrder(int loops) =>
        RandomSeed.RunAsync(this, async seed =>
        {
            const int Clients = 8;
            await using var server = new RespServer(
                _store, new RespServerOptions { Port = 0, IoThreadCount = loops }.UseScripting());
            await server.StartAsync(CancellationToken.None);
            await Task.WhenAll(Enumerable.Range(0, Clients).Select(
                async index => await PipelineAsync(server, new Random(seed + index), $"{loops}.{index}")));
        });

    private static async Task PipelineAsync(RespServer server, Random random, string key)
    {
        const int Batches = 5;
        long count = 0;
        var client = await TestClient.ConnectAsync(server.EndPoints[0]);
        for (int batch = 0; batch < Batches; batch++)
        {
            if (random.Next(3) == 0)
            {
                await client.SendAsync(RandomScript(random, $"{key}left", "2") + "PING\r\n");
                await client.DisposeAsync();
                client = await TestClient.ConnectAsync(server.EndPoints[0]);
            }

            var (requests, replies) = (new StringBuilder(), new StringBuilder());
            int slow = random.Next(8);
            for (int i = 0; i < 8; i++)
            {
                int kind = i == slow ? 0 : random.Next(1, 5);
                requests.Append(kind switch
                {
                    0 => RandomScript(random, key, "1"),
                    1 => Request("EVAL", Short, "1", key),
                    2 => "PING\r\n",
                    3 => $"INCR {key}\r\n",
                    _ => Request("EVAL", Short.Replace("KEYS[1]", $"'{key}'", StringComparison.Ordinal), "0"),
                });
                count += kind switch { 2 => 0, 0 or 3 => 1, _ => 2 };
                replies.Append(kind switch { 2 => "+PONG\r\n", 3 => $":{count}\r\n", _ => Bulk($"{count}") });
            }

            await client.ExchangeAsync($"{requests}", $"{replies}");
        }

        await client.DisposeAsync();
    }

    // Each has a text of its own: none is known to take long.
    private static string RandomScript(Random random, string key, string count) => Request(
        "EVAL",
        $"local x = 0 for i = 1, {random.Next(1_000_000)} do x = x + i % 7 end redis.call('incr', KEYS[1]) "
            + $"return redis.call('get', KEYS[1]) --{random.Next()}",
        count, key, "other");

    private async Task BeginLongAsync(TestClient client, string script, string command = "EVAL", string behind = "")
    {
        string run = $"{++_runs}";
        await client.SendAsync(Request(command, script, "2", "go", "runs", run) + behind);
        await WaitAsync(run);
    }

    private async Task WaitAsync(string run)
    {
        while (_store.GetArray("runs"u8) is not { } bytes || Encoding.Latin1.GetString(bytes) != run)
            await Task.Delay(1, TestContext.Current.CancellationToken);
    }

    private async Task EndLongAsync(TestClient client)
    {
        EndLong();
        await client.ExchangeAsync("", Bulk($"{_runs}"));
    }

    private void EndLong() => _store.Set("go"u8, Encoding.Latin1.GetBytes($"{_runs}"));

    private async Task<TestClient> ConnectAsync()
    {
        var client = await TestClient.ConnectAsync(_server.EndPoints[0]);
        _clients.Add(client);
        return client;
    }

    private static async Task<string> ReadLineAsync(TestClient client)
    {
        var line = new StringBuilder();
        while (line.Length == 0 || line[^1] != '\n')
        {
            string next = await client.ReadAsync(1);
            Assert.NotEmpty(next);
            line.Append(next);
        }

        return line.ToString();
    }

    private static string Bulk(string text) => $"${text.Length}\r\n{text}\r\n";

    private static string Request(params string[] words)
    {
        var request = new StringBuilder();
        request.Append(null, $"*{words.Length}\r\n");
        foreach (string word in words)
            request.Append(null, $"${word.Length}\r\n{word}\r\n");
        return request.ToString();
    }
}
