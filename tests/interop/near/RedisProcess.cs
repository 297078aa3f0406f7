using System.Diagnostics;
using System.Globalization;
using System.Net;
using System.Net.Sockets;
using Cache.Client;
using Cache.Protocol;

namespace NearRig;

/// <summary>A redis-server on loopback that this program has started.</summary>
internal sealed class RedisProcess : IAsyncDisposable
{
    private static readonly TimeSpan _patience = TimeSpan.FromSeconds(60);

    private readonly string _folder;
    private readonly string[] _arguments;
    private Process? _process;

    private RedisProcess(int port, string folder, string[] arguments)
    {
        Port = port;
        _folder = folder;
        _arguments = arguments;
    }

    public int Port { get; }

    public ServerAddress Address => new("127.0.0.1", Port);

    public string EndPoint => Address.ToString();

    public static async Task<RedisProcess> StartAsync(params string[] arguments)
    {
        int port = FreePort();
        var folder = Directory.CreateTempSubdirectory("near-rig-");
        var redis = new RedisProcess(port, folder.FullName, arguments);
        await redis.StartAgainAsync();
        return redis;
    }

    /// <summary>A sentinel; it writes into its configuration, so that it needs a file.</summary>
    public static async Task<RedisProcess> StartSentinelAsync(string name, RedisProcess primary, int quorum)
    {
        int port = FreePort();
        var folder = Directory.CreateTempSubdirectory("near-rig-");
        string file = Path.Combine(folder.FullName, "sentinel.conf");
        await File.WriteAllTextAsync(
            file,
            $"port {port}\nbind 127.0.0.1\ndir {folder.FullName}\n"
            + $"sentinel monitor {name} 127.0.0.1 {primary.Port} {quorum}\n"
            + $"sentinel down-after-milliseconds {name} 1000\nsentinel failover-timeout {name} 4000\n");
        var sentinel = new RedisProcess(port, folder.FullName, [file, "--sentinel"]);
        await sentinel.StartAgainAsync();
        return sentinel;
    }

    public async Task StartAgainAsync()
    {
        var start = new ProcessStartInfo("redis-server")
        {
            RedirectStandardOutput = true,
            RedirectStandardInput = true,
        };
        if (!_arguments.Contains("--sentinel"))
        {
            string[] common =
            [
                "--port", Port.ToString(CultureInfo.InvariantCulture), "--bind", "127.0.0.1", "--save", "",
                "--dir", _folder, "--repl-diskless-sync-delay", "0",
            ];
            foreach (string argument in common)
                start.ArgumentList.Add(argument);
        }

        foreach (string argument in _arguments)
            start.ArgumentList.Add(argument);
        _process = Process.Start(start)!;
        _process.OutputDataReceived += static (_, _) => { };
        _process.BeginOutputReadLine();
        await UntilAsync(async () => (await TryCallAsync("PING"))?.Text == "PONG", $"a PONG from {EndPoint}");
    }

    /// <summary>Sends a signal to it: STOP, CONT, KILL.</summary>
    public void Signal(string name)
    {
        using var kill = Process.Start("kill", [$"-{name}", _process!.Id.ToString(CultureInfo.InvariantCulture)]);
        kill.WaitForExit();
    }

    public async Task KillAsync()
    {
        Signal("KILL");
        await _process!.WaitForExitAsync();
        _process.Dispose();
        _process = null;
    }

    public async Task<RespReply> CallAsync(params string[] words)
    {
        var connection = await RespConnection.OpenAsync(Address, new RespClientOptions(), null, default);
        await using (connection)
        {
            var request = new RespRequestWriter().Begin(words.Length);
            foreach (string word in words)
                request.Add(System.Text.Encoding.UTF8.GetBytes(word));
            return await connection.DemandAsync(request, words[0], default);
        }
    }

    public async ValueTask DisposeAsync()
    {
        if (_process is not null)
            await KillAsync();
        Directory.Delete(_folder, recursive: true);
    }

    public static Task UntilAsync(Func<Task<bool>> condition, string what) => UntilAsync(condition, () => what);

    /// <param name="condition">What is waited for.</param>
    /// <param name="what">Says at the end what there was not.</param>
    public static async Task UntilAsync(Func<Task<bool>> condition, Func<string> what)
    {
        using var limit = new CancellationTokenSource(_patience);
        while (!await condition())
        {
            if (limit.IsCancellationRequested)
                throw new TimeoutException($"There was not: {what()}");
            await Task.Delay(20);
        }
    }

    public static int FreePort()
    {
        using var listener = new TcpListener(IPAddress.Loopback, 0);
        listener.Start();
        return ((IPEndPoint)listener.LocalEndpoint).Port;
    }

    public async Task<RespReply?> TryCallAsync(params string[] words)
    {
        try
        {
            return await CallAsync(words);
        }
        catch (RespClientException)
        {
            return null;
        }
    }
}
