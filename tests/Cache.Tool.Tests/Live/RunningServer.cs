using System.Globalization;
using System.Net;
using Cache.Core;
using Cache.Server;
using Cache.Server.Cluster;
using Cache.Server.Commands.Cluster;
using Cache.Server.Commands.Dispatch;
using Cache.Server.Statistics;

namespace Cache.Tool.Tests.Live;

/// <summary>A server on a port of the loopback interface, over a small store of its own.</summary>
internal sealed class RunningServer : IAsyncDisposable
{
    private readonly CacheStore _store = new(new CacheOptions { MemoryLimitBytes = 16 << 20, ShardCount = 2 });
    private readonly RespServer _server;

    private RunningServer(RespServerOptions options) => _server = new RespServer(_store, options);

    public CacheStore Store => _store;

    public string Port => ((IPEndPoint)_server.EndPoints.Concat(_server.TlsEndPoints).First()).Port
        .ToString(CultureInfo.InvariantCulture);

    public static async Task<RunningServer> StartAsync(Action<RespServerOptions>? change = null)
    {
        var options = new RespServerOptions { Port = 0 };
        change?.Invoke(options);
        var server = new RunningServer(options);
        await server._server.StartAsync(TestContext.Current.CancellationToken);
        return server;
    }

    /// <summary>The map of its cluster.</summary>
    public SlotMap Map => _server.State.Cluster!.View.Map;

    /// <summary>Whether it answers for a slot of its cluster.</summary>
    public bool Owns(int slot) => _server.State.Cluster!.View.Owns(slot);

    /// <summary>Replaces the map of its cluster.</summary>
    public Task SetMapAsync(SlotMap map) => Task.Run(
        () => Assert.True(MapChange.TryTake(map, _server.State, own: null, keep: null, out _)),
        TestContext.Current.CancellationToken);

    /// <summary>As if a call had taken so long a moment ago.</summary>
    public void AddSlowCall(string command, long microseconds) => _server.State.SlowLog.Add(
        new SlowRequest(
            _server.State.UnixSeconds, microseconds, [System.Text.Encoding.ASCII.GetBytes(command)], "10.0.0.1:1", []),
        SlowLog.LengthMax);

    /// <summary>Waits until the server has counted so many keys.</summary>
    public async Task WaitForPassAsync(long keys)
    {
        await using var sweep = new KeyspaceSweep(_server.State);
        while (_server.State.KeyspacePass is not { IsComplete: true } pass || pass.Keys < keys)
            sweep.Step();
    }

    /// <summary>Runs a verb against the server, off the thread of the test.</summary>
    public Task<ToolRun> RunAsync(string verb, params string[] words) =>
        Task.Run(() => ToolRun.Of([verb, "-p", Port, .. words]), TestContext.Current.CancellationToken);

    public async ValueTask DisposeAsync()
    {
        await _server.DisposeAsync();
        _store.Dispose();
    }
}
