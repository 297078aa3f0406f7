using System.Buffers;
using System.Net;
using System.Net.Sockets;
using Cache.Server.Clients;
using Cache.Server.Commands.Dispatch;
using Cache.Server.Commands.Replies;
using Cache.Server.Diagnostics;
using Cache.Server.Transport;
using Microsoft.Extensions.Logging;

namespace Cache.Server.Connections;

/// <summary>
/// Admits arriving connections up to the limit, serves them, and ends them all when the server stops.
/// </summary>
/// <remarks>
/// Concurrency: one loop per listener; a connection is served on the thread that receives its bytes. Any thread adds
/// and removes live connections.
/// </remarks>
internal sealed class ConnectionAcceptor<TExecutor>(
    ServerState server, TExecutor executor, ILogger logger, AcceptPacer? pacer = null)
    : IDisposable
    where TExecutor : struct, IRequestExecutor
{
    // The most refused connections that are told why at the same time; in a flood, the others are closed without a
    // reply.
    private const int RefusalsMax = 64;

    // The time in which aborted connections must end. Only a command that is being executed takes any time.
    private static readonly TimeSpan CutTime = TimeSpan.FromSeconds(1);

    private static readonly Action<object, Action<object>, object> _post =
        static (connection, work, state) => ((TransportConnection)connection).Post(work, state);

    private static readonly Action<object> _abort = static connection => ((TransportConnection)connection).Abort();

    private readonly LiveConnections _live = new();
    private readonly LongWorkers _workers = new();
    private readonly CancellationTokenSource _ending = new();
    private Action<LiveConnection>? _ended;
    private volatile LocalAddress? _lastLocal;
    private long _lastRefusal;
    private int _refusals;

    /// <summary>The live connections.</summary>
    public IEnumerable<LiveConnection> Live => _live;

    /// <summary>The threads for long commands.</summary>
    public LongWorkers Workers => _workers;

    /// <summary>Accepts until the listener is disposed. Never fails.</summary>
    public async Task AcceptAsync(TransportListener listener)
    {
        try
        {
            while (await listener.AcceptAsync().ConfigureAwait(false) is { } transport)
            {
                var client = Admit(transport);
                if (pacer is not null)
                    await PaceAsync(pacer, client).ConfigureAwait(false);
            }
        }
#pragma warning disable CA1031 // The other listeners and the connections continue; the failure is logged.
        catch (Exception e)
#pragma warning restore CA1031
        {
            ServerLog.AcceptEnded(logger, listener.EndPoint, e);
        }
    }

    /// <summary>Ends a wait before the next acceptance; call it when the listeners are disposed.</summary>
    public void EndAccepting() => _ending.Cancel();

    public void Dispose()
    {
        _ending.Dispose();
        _workers.Dispose();
    }

    /// <summary>
    /// Answers the requests that were received completely, and ends all connections; those whose peers do not receive
    /// their replies in time are aborted. A command that takes even longer continues, but is not waited for. Call it
    /// when no connection is accepted any more.
    /// </summary>
    /// <param name="timeout">The time for the peers to receive their replies.</param>
    /// <param name="cancellationToken">Aborts them at once.</param>
    public async Task StopAsync(TimeSpan timeout, CancellationToken cancellationToken)
    {
        var completions = new List<Task>();
        foreach (var connection in _live)
        {
            connection.Transport.StopReceiving();
            connection.Client?.EndWait();
            completions.Add(connection.Completion);
        }

        var ended = Task.WhenAll(completions);
        await ended.WaitAsync(timeout, server.TimeProvider, cancellationToken)
            .ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
        if (ended.IsCompleted)
            return;

        ServerLog.DrainTimedOut(logger, _live.Count);
        server.EndScripts();
        foreach (var connection in _live)
            CutOff(connection);
        await ended.WaitAsync(CutTime, server.TimeProvider, CancellationToken.None)
            .ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
        if (!ended.IsCompleted)
            ServerLog.CommandsLeft(logger, _live.Count, DescribeServed());
    }

    // A command that runs in steps ends with its client.
    private static void CutOff(LiveConnection connection)
    {
        if (connection.Client is { } client)
            client.Kill();
        else
            connection.Transport.Abort();
    }

    private string DescribeServed()
    {
        var commands = new SortedSet<string>(StringComparer.Ordinal);
        foreach (var connection in _live)
        {
            if (connection.Client is { IsServed: true, LastCommand: { } command })
                commands.Add(command.Name);
        }

        return string.Join(", ", commands);
    }

    private async ValueTask PaceAsync(AcceptPacer pacer, ClientEndPoints client)
    {
        var delay = pacer.Take();
        if (delay == TimeSpan.Zero)
            return;
        server.ReportLimit(ConnectionLimit.AcceptRate, client.Remote, pacer.PerSecond);
        await Task.Delay(delay, server.TimeProvider, _ending.Token)
            .ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
    }

    private ClientEndPoints Admit(TransportConnection transport)
    {
        var endPoints = Describe(transport);
        if (!endPoints.IsLocal && server.IsClosedToOthers)
            Refuse(transport, endPoints, ConnectionLimit.ProtectedMode, ErrorTexts.ProtectedMode);
        else if (server.Clients.TryAdd(endPoints, transport, _abort, transport.Descriptor, _post) is { } client)
            Serve(client, transport);
        else
            Refuse(transport, endPoints, ConnectionLimit.MaxClients, ErrorTexts.TooManyClients);
        return endPoints;
    }

    private void Refuse(
        TransportConnection transport, ClientEndPoints endPoints, ConnectionLimit limit, ReadOnlySpan<byte> error)
    {
        server.ReportLimit(limit, endPoints.Remote, server.Settings.MaxClients);
        long refusal = Interlocked.Decrement(ref _lastRefusal);
        var connection = new LiveConnection(transport, client: null);
        _live.Add(connection);
        byte[] reply = [(byte)'-', .. error, (byte)'\r', (byte)'\n'];
        connection.Completion = RefuseAsync(refusal, connection, reply);
    }

    private void Serve(ClientSession client, TransportConnection transport)
    {
        var connection = new LiveConnection(transport, client);
        if (logger.IsEnabled(LogLevel.Debug)) // Avoids making the address's text.
            ServerLog.Connected(logger, client.Id, client.EndPoints.Remote);
        _live.Add(connection);
        connection.Completion =
            new Connection<TExecutor>(transport, server, client, executor, _workers, logger)
                .RunAsync(connection, _ended ??= OnEnded);
    }

    private void OnEnded(LiveConnection connection)
    {
        _live.Remove(connection);
        ServerLog.Disconnected(logger, connection.Client!.Id);
    }

    private async Task RefuseAsync(long refusal, LiveConnection connection, byte[] reply)
    {
        var transport = connection.Transport;
        if (Interlocked.Increment(ref _refusals) > RefusalsMax)
            transport.Abort();
        try
        {
            transport.Output.Write(reply);
            await transport.Output.FlushAsync().ConfigureAwait(false);
            await transport.Output.CompleteAsync().ConfigureAwait(false);
            await transport.Input.CompleteAsync().ConfigureAwait(false);
            await transport.DisposeAsync().ConfigureAwait(false);
        }
#pragma warning disable CA1031 // The peer left before the refusal.
        catch (Exception e)
#pragma warning restore CA1031
        {
            ServerLog.ConnectionBroken(logger, refusal, e);
        }

        Interlocked.Decrement(ref _refusals);
        _live.Remove(connection);
    }

    // As Redis writes addresses: a Unix socket's is its path with port 0.
    private ClientEndPoints Describe(TransportConnection transport)
    {
        var local = transport.LocalEndPoint;
        if (local is not UnixDomainSocketEndPoint)
        {
            var remote = transport.RemoteEndPoint;
            bool isLocal = remote is IPEndPoint ip && IPAddress.IsLoopback(ip.Address);
            return new ClientEndPoints(remote, DescribeLocal(local), isLocal: isLocal);
        }

        string path = $"{local}:0";
        return new ClientEndPoints(path, path, isUnixSocket: true, isLocal: true);
    }

    // Most clients connect to the same address: they share its text.
    private string DescribeLocal(EndPoint? endPoint)
    {
        var last = _lastLocal;
        if (last is null || !Equals(last.EndPoint, endPoint))
            _lastLocal = last = new LocalAddress(endPoint, ClientEndPoints.Describe(endPoint));
        return last.Text;
    }

    private sealed record LocalAddress(EndPoint? EndPoint, string Text);
}
