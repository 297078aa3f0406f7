using System.Net;
using System.Net.Sockets;

namespace NearRig;

/// <summary>Passes bytes to a server, late, not at all, or not any more.</summary>
internal sealed class FaultProxy : IAsyncDisposable
{
    private readonly TcpListener _listener = new(IPAddress.Loopback, 0);
    private readonly int _targetPort;
    private readonly Lock _gate = new();
    private readonly List<Socket> _sockets = [];
    private readonly Task _accepting;
    private volatile bool _refuses;

    public FaultProxy(int targetPort)
    {
        _targetPort = targetPort;
        _listener.Start();
        _accepting = AcceptAsync();
    }

    public int Port => ((IPEndPoint)_listener.LocalEndpoint).Port;

    /// <summary>Whether bytes are kept back, while the connections stay open.</summary>
    public bool IsHalfOpen { get; set; }

    public int DelayMs { get; set; }

    /// <summary>Closes all connections, and refuses new ones until <see cref="Mend"/>.</summary>
    public void Cut()
    {
        _refuses = true;
        lock (_gate)
        {
            foreach (var socket in _sockets)
                socket.Dispose();
            _sockets.Clear();
        }
    }

    public void Mend() => _refuses = false;

    public async ValueTask DisposeAsync()
    {
        _listener.Stop();
        Cut();
        await _accepting;
        _listener.Dispose();
    }

    private async Task AcceptAsync()
    {
        try
        {
            while (true)
            {
                var client = await _listener.AcceptSocketAsync();
                if (_refuses)
                    client.Dispose();
                else
                    _ = PassAsync(client);
            }
        }
        catch (Exception failure) when (failure is SocketException or ObjectDisposedException
            or InvalidOperationException)
        {
            // It was stopped.
        }
    }

    private async Task PassAsync(Socket client)
    {
        var server = new Socket(SocketType.Stream, ProtocolType.Tcp) { NoDelay = true };
        client.NoDelay = true;
        lock (_gate)
            _sockets.AddRange([client, server]);
        try
        {
            await server.ConnectAsync(IPAddress.Loopback, _targetPort);
            await Task.WhenAny(PumpAsync(client, server), PumpAsync(server, client));
        }
        catch (Exception failure) when (failure is SocketException or ObjectDisposedException)
        {
            // One of the two is gone.
        }

        client.Dispose();
        server.Dispose();
    }

    private async Task PumpAsync(Socket from, Socket to)
    {
        byte[] buffer = new byte[64 * 1024];
        try
        {
            int count;
            while ((count = await from.ReceiveAsync(buffer)) > 0)
            {
                while (IsHalfOpen)
                    await Task.Delay(10);
                if (DelayMs > 0)
                    await Task.Delay(DelayMs);
                for (var rest = buffer.AsMemory(0, count); rest.Length > 0;)
                    rest = rest[await to.SendAsync(rest)..];
            }
        }
        catch (Exception failure) when (failure is SocketException or ObjectDisposedException)
        {
            // One of the two is gone.
        }
    }
}
