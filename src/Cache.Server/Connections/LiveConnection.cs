using Cache.Server.Commands;
using Cache.Server.Transport;

namespace Cache.Server.Connections;

/// <summary>A connection that is being served or refused, as the acceptor keeps it.</summary>
internal sealed class LiveConnection(TransportConnection transport, ClientSession? client)
{
    // The sweep's alone: how much the peer had taken when it was last seen to take anything, and when that was.
    private long _sentBytes;
    private long _sentAtMs;
    private bool _wasPending;

    public TransportConnection Transport { get; } = transport;

    /// <summary>The client; null if it is being refused.</summary>
    public ClientSession? Client { get; } = client;

    /// <summary>Completes when the connection has ended; never fails.</summary>
    public Task Completion { get; set; } = Task.CompletedTask;

    /// <summary>
    /// Whether replies wait, and the peer has taken nothing for so long. Asked by one sweep, regularly.
    /// </summary>
    public bool IsStalled(long nowMs, long timeoutMs)
    {
        bool isPending = Client is { PendingOutputBytes: > 0 };
        long sentBytes = Transport.SentBytes;
        if (!isPending || !_wasPending || sentBytes != _sentBytes)
        {
            _wasPending = isPending;
            _sentBytes = sentBytes;
            _sentAtMs = nowMs;
            return false;
        }

        return nowMs - _sentAtMs >= timeoutMs;
    }
}
