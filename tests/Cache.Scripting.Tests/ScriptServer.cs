using System.Globalization;
using System.Text;
using Cache.Core;
using Cache.Server;
using Cache.Server.Commands.Dispatch;
using Cache.Testing;
using Microsoft.Extensions.DependencyInjection;

namespace Cache.Scripting.Tests;

/// <summary>A server that runs scripts, and clients that wait for whole replies; in texts, a char is a byte.</summary>
internal sealed class ScriptServer : IAsyncDisposable
{
    // A reply that never comes fails the test.
    private static readonly TimeSpan _patience = TimeSpan.FromSeconds(60);

    private static readonly TimeSpan _killAfter = TimeSpan.FromSeconds(1);

    private readonly CacheStore _store;
    private readonly InMemoryServer _server;
    private readonly InMemoryClient _killer;

    private ScriptServer(CacheStore store, InMemoryServer server)
    {
        _store = store;
        _server = server;
        _killer = server.Connect();
    }

    public static async Task<ScriptServer> StartAsync(long memoryLimitBytes = 64 << 20)
    {
        var store = new CacheStore(new CacheOptions { MemoryLimitBytes = memoryLimitBytes });
        var server = await InMemoryServer.StartAsync(store, new RespServerOptions().UseScripting());
        await CallAsync(server.Connect(), "CONFIG", "SET", "busy-reply-threshold", "100");
        return new ScriptServer(store, server);
    }

    public CacheStore Store => _store;

    public ServerState State => _server.Server.State;

    public InMemoryClient Connect() => _server.Connect();

    /// <summary>Sends a command, and waits for its reply.</summary>
    public static async Task<string> CallAsync(InMemoryClient client, params string[] words)
    {
        Send(client, words);
        return await ReceiveAsync(client);
    }

    /// <summary>Runs a script without keys by a client of its own.</summary>
    public async Task<string> EvalAsync(string script, params string[] arguments) =>
        await CallAsync(Connect(), ["EVAL", script, "0", .. arguments]);

    /// <summary>Sends a command; a script that does not end is killed after a while.</summary>
    public async Task<string> CallKillingAsync(InMemoryClient client, params string[] words)
    {
        var reply = Task.Run(() => CallAsync(client, words)); // A script runs in the sender.
        while (await Task.WhenAny(reply, Task.Delay(_killAfter)) != reply)
            await CallAsync(_killer, "SCRIPT", "KILL");
        return await reply;
    }

    /// <summary>Waits until the reply of a command, sent by a client of its own, has a part.</summary>
    public static async Task WaitForAsync(ScriptServer server, string command, string argument, string part)
    {
        using var end = new CancellationTokenSource(_patience);
        while (!(await CallAsync(server.Connect(), command, argument)).Contains(part, StringComparison.Ordinal))
            await Task.Delay(1, end.Token);
    }

    public static void Send(InMemoryClient client, params string[] words)
    {
        var request = new StringBuilder();
        request.Append(CultureInfo.InvariantCulture, $"*{words.Length}\r\n");
        foreach (string word in words)
            request.Append(CultureInfo.InvariantCulture, $"${word.Length}\r\n{word}\r\n");
        client.Send(request.ToString());
    }

    public static async Task<string> ReceiveAsync(InMemoryClient client)
    {
        using var end = new CancellationTokenSource(_patience);
        return await ReadFrameAsync(client, end.Token);
    }

    public async ValueTask DisposeAsync()
    {
        await _server.DisposeAsync();
        _store.Dispose();
    }

    private static async Task<string> ReadFrameAsync(InMemoryClient client, CancellationToken end)
    {
        string line = await ReadLineAsync(client, end);
        int count = line[0] is '$' or '=' or '*' or '~' or '>' or '%'
            ? int.Parse(line[1..^2], CultureInfo.InvariantCulture)
            : -1;
        if (count < 0)
            return line;
        if (line[0] is '$' or '=')
            return line + Encoding.Latin1.GetString(await client.ReadAsync(count + 2, end));
        var frame = new StringBuilder(line);
        for (int i = line[0] == '%' ? 2 * count : count; i > 0; i--)
            frame.Append(await ReadFrameAsync(client, end));
        return frame.ToString();
    }

    private static async Task<string> ReadLineAsync(InMemoryClient client, CancellationToken end)
    {
        var line = new StringBuilder();
        while (line.Length < 2 || line[^1] != '\n')
            line.Append((char)(await client.ReadAsync(1, end))[0]);
        return line.ToString();
    }
}
