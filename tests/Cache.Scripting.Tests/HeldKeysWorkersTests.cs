using System.Text;
using Cache.Core;
using Cache.Server;
using Cache.Testing;
using Microsoft.Extensions.DependencyInjection;

namespace Cache.Scripting.Tests;

/// <summary>Clients that have to be alone, while a script holds its keys: they take no thread from others.</summary>
public sealed class HeldKeysWorkersTests : IAsyncLifetime
{
    private const string Simple = "return redis.call('get', KEYS[1])";

    // More than there are threads for long commands.
    private const int Many = 6;

    private readonly CacheStore _store = new(new CacheOptions { MemoryLimitBytes = 64 << 20 });
    private readonly List<TestClient> _clients = [];
    private RespServer _server = null!;

    public async ValueTask InitializeAsync()
    {
        _server = new RespServer(_store, new RespServerOptions { Port = 0, IoThreadCount = 1 }.UseScripting());
        await _server.StartAsync(CancellationToken.None);
        var client = await ConnectAsync();
        await client.ExpectAsync("CONFIG SET busy-reply-threshold 0", "+OK\r\n"); // Nobody is refused.
        await client.ExpectAsync("SET x 1", "+OK\r\n");
        await client.ExchangeAsync(Request("EVAL", Simple, "1", "x"), "$1\r\n1\r\n");
        string[] elements = Array.ConvertAll(Enumerable.Range(0, 20_000).ToArray(), one => $"{one}");
        await client.ExchangeAsync(Request(["RPUSH", "list", .. elements]), ":20000\r\n"); // A worker sorts it.
    }

    public async ValueTask DisposeAsync()
    {
        _store.Set("a"u8, "1"u8); // If the test has failed.
        await _server.DisposeAsync();
        foreach (var client in _clients)
            await client.DisposeAsync();
        _store.Dispose();
    }

    [Theory]
    [InlineData("EXEC", false)]
    [InlineData("EXEC", true)]
    [InlineData("SWAPDB 1 2", true)]
    public async Task LongScript_ManyThatMustBeAlone_LeaveTheWorkersToOthers(string line, bool isEarly)
    {
        bool isExec = line == "EXEC";
        string reply = isExec ? "*1\r\n$1\r\n1\r\n" : "+OK\r\n";
        var (runs, other) = (await ConnectAsync(), await ConnectAsync());
        var clients = new List<TestClient>();
        for (int i = 0; i < Many; i++)
        {
            clients.Add(await ConnectAsync());
            if (!isExec)
                continue;
            await clients[i].ExpectAsync("MULTI", "+OK\r\n");
            await clients[i].ExchangeAsync(Request("EVAL", Simple, "1", "x"), "+QUEUED\r\n");
        }

        var databases = _server.State.Databases;
        databases.HoldAloneMax = TimeSpan.FromMilliseconds(isEarly ? 500 : 0);
        const string Waiting =
            "redis.call('set', KEYS[2], 1) while redis.call('exists', KEYS[1]) == 0 do end return 1";
        await runs.SendAsync(Request("EVAL", Waiting, "2", "a", "b"));
        while (_store.GetArray("b"u8) is null)
            await Task.Delay(1, TestContext.Current.CancellationToken);
        if (!isEarly)
            await other.ExpectAsync("PING", "+PONG\r\n"); // It lets itself in.
        foreach (var client in clients)
            await client.SendAsync(line + "\r\n");
        await other.ExpectAsync("PING", "+PONG\r\n");
        Assert.NotNull(databases.Held);

        await other.ExpectAsync("SORT list LIMIT 0 1", "*1\r\n$1\r\n0\r\n");
        _store.Set("a"u8, "1"u8);
        await runs.ExchangeAsync("", ":1\r\n");
        foreach (var client in clients)
            await client.ExchangeAsync("", reply);
    }

    private async Task<TestClient> ConnectAsync()
    {
        var client = await TestClient.ConnectAsync(_server.EndPoints[0]);
        _clients.Add(client);
        return client;
    }

    private static string Request(params string[] words)
    {
        var request = new StringBuilder();
        request.Append(null, $"*{words.Length}\r\n");
        foreach (string word in words)
            request.Append(null, $"${word.Length}\r\n{word}\r\n");
        return request.ToString();
    }
}
