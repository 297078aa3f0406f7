using System.Diagnostics;
using System.Net.Sockets;
using Cache.Server.Commands.Dispatch;
using Cache.Server.Diagnostics;
using Microsoft.Extensions.Logging;

namespace Cache.Server.Connections;

/// <summary>
/// Answers administrators when nothing else does: on a socket of its own, outside of loops, limits and rights.
/// </summary>
/// <remarks>
/// Concurrency: one thread accepts, and looks ten times a second whether a command lasts too long; each client has a
/// thread with blocking calls. No event loop, thread of the pool or timer takes part. A command that waits for a lock
/// of a hung loop keeps its client's thread, and only that: its client gets an error in time, by the thread that
/// accepts, and the connection ends.
/// Bounds: <see cref="ClientsMax"/> clients; a further one takes the place of the one that is silent for longest.
/// </remarks>
internal sealed class AdminSocket : IDisposable
{
    /// <summary>A few administrators and their tools; each may cost a thread that hangs.</summary>
    public const int ClientsMax = 8;

    /// <summary>Clients get a reply within a second: the look comes each tenth of it.</summary>
    public static readonly TimeSpan CommandTimeMax = TimeSpan.FromMilliseconds(800);

    private const int LookMicroseconds = 100_000;

    // For commands such as INFO, without recursion.
    private const int StackBytes = 512 * 1024;

    private static readonly TimeSpan FailurePause = TimeSpan.FromMilliseconds(100);
    private static readonly TimeSpan LogPause = TimeSpan.FromSeconds(10);

    private static ReadOnlySpan<byte> NoThread => "-ERR the system gives the server no thread for this client\r\n"u8;

    private static ReadOnlySpan<byte> AllPlacesHang =>
        "-ERR all connections of the admin socket wait for commands that do not end\r\n"u8;

    private readonly Socket _socket;
    private readonly string _path;
    private readonly ServerState _server;
    private readonly ILogger _logger;
    private readonly Thread _accepting;
    private readonly Lock _gate = new();
    private readonly List<AdminClient> _clients = []; // Guarded by the gate.
    private readonly ManualResetEventSlim _ending = new();
    private long _failedAt;

    /// <param name="socket">Listens on the path already; this owns it from now on.</param>
    /// <param name="path">The path of its file.</param>
    /// <param name="server">The server.</param>
    /// <param name="logger">Gets failures.</param>
    public AdminSocket(Socket socket, string path, ServerState server, ILogger logger)
    {
        _socket = socket;
        _path = path;
        _server = server;
        _logger = logger;
        _accepting = new Thread(Accept, StackBytes) { IsBackground = true, Name = "cache admin socket" };
        _accepting.Start();
    }

    /// <summary>Ends all connections, without waiting for commands.</summary>
    public void Dispose()
    {
        if (_ending.IsSet)
            return;
        _ending.Set();
        _accepting.Join();
        _socket.Dispose();
        lock (_gate)
        {
            foreach (var client in _clients)
                client.End();
        }
    }

    private void Accept()
    {
        while (!_ending.IsSet)
        {
            try
            {
                EndLateCommands(); // First: to accept may fail again and again.
                if (_socket.Poll(LookMicroseconds, SelectMode.SelectRead))
                    Admit(_socket.Accept());
            }
#pragma warning disable CA1031 // It must answer as long as the process lives; the next look tries again.
            catch (Exception e)
#pragma warning restore CA1031
            {
                NoteFailure(e);
                _ending.Wait(FailurePause); // As without a descriptor for the client, who still waits.
            }
        }
    }

    private void Admit(Socket socket)
    {
        lock (_gate)
        {
            if (_clients.Count == ClientsMax && !TryMakeRoom())
            {
                AdminClient.TrySend(socket, AllPlacesHang);
                socket.Dispose();
                return;
            }

            var client = new AdminClient(socket, _path, _server, _logger, Remove);
            _clients.Add(client);
            try
            {
                new Thread(client.Serve, StackBytes) { IsBackground = true, Name = "cache admin client" }.Start();
            }
            catch (Exception e) when (e is OutOfMemoryException or ThreadStartException)
            {
                _clients.Remove(client);
                AdminClient.TrySend(socket, NoThread);
                socket.Dispose();
                NoteFailure(e);
            }
        }
    }

    // The same failure may come ten times a second.
    private void NoteFailure(Exception failure)
    {
        long now = TimeProvider.System.GetTimestamp();
        if (_failedAt != 0 && TimeProvider.System.GetElapsedTime(_failedAt, now) < LogPause)
            return;
        _failedAt = now;
        ServerLog.AdminSocketFailed(_logger, _path, failure);
    }

    private void Remove(AdminClient client)
    {
        lock (_gate)
            _clients.Remove(client);
    }

    // Ends the client that is silent for longest; its thread ends soon after.
    private bool TryMakeRoom()
    {
        Debug.Assert(_gate.IsHeldByCurrentThread);
        AdminClient? silent = null;
        foreach (var client in _clients)
        {
            if (!client.IsBusy && (silent is null || client.SilentSince < silent.SilentSince))
                silent = client;
        }

        if (silent is null)
            return false;
        silent.End();
        return _clients.Remove(silent);
    }

    private void EndLateCommands()
    {
        lock (_gate)
        {
            foreach (var client in _clients)
            {
                if (client.TryEndLateCommand(CommandTimeMax))
                    ServerLog.AdminCommandLate(_logger, _path, client.CommandName);
            }
        }
    }
}
