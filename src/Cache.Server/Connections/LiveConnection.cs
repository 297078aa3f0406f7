using Cache.Server.Clients;
using Cache.Server.Transport;

namespace Cache.Server.Connections;

/// <summary>A connection that is being served or refused, as the acceptor keeps it.</summary>
internal sealed class LiveConnection(TransportConnection transport, ClientSession? client)
{
    private const long NotPending = -1;

    // Only for the sweep: the bytes that the peer had received at the last look, and whether more waited for it; when
    // it was last seen to receive waiting bytes; since when replies wait.
    private long _sentBytes;
    private bool _waited;
    private long _sentAtMs;
    private long _pendingSinceMs = NotPending;

    // Also for the sweep: when the client was last seen to wait for the server.
    private long _servedAtMs;

    public TransportConnection Transport { get; } = transport;

    /// <summary>The client; null if it is being refused.</summary>
    public ClientSession? Client { get; } = client;

    /// <summary>Completes when the connection has ended; never fails.</summary>
    public Task Completion { get; set; } = Task.CompletedTask;

    /// <summary>Its neighbours in the list of live connections; only the list uses them.</summary>
    public LiveConnection? Next { get; set; }

    public LiveConnection? Previous { get; set; }

    // Replies that the server holds back do not wait for the peer.
    private bool IsWaiting =>
        Client is { PendingOutputBytes: > 0, IsDelayed: false } || Transport.UnsentMemoryBytes > 0;

    /// <summary>
    /// How long nothing has come from the client while the server waited for it. Called regularly, by one sweep.
    /// </summary>
    public long MeasureSilence(ClientSession client, long nowMs)
    {
        if (client.IsServed || client.IsDelayed)
            _servedAtMs = nowMs;
        return nowMs - Math.Max(client.LastInteractionMs, _servedAtMs);
    }

    /// <summary>
    /// When the peer was last seen to receive replies that had waited for it. Replies that are sent at once show no
    /// more than their request does. Called regularly, by one sweep.
    /// </summary>
    public long FindWhenTaken(long nowMs)
    {
        long sentBytes = Transport.SentBytes;
        if (sentBytes != _sentBytes && _waited)
            _sentAtMs = nowMs;
        _sentBytes = sentBytes;
        _waited = IsWaiting;
        return _sentAtMs;
    }

    /// <summary>
    /// Whether replies wait, and the peer has received nothing for this long. Called regularly, by one sweep.
    /// </summary>
    public bool IsStalled(long nowMs, long timeoutMs)
    {
        if (!IsWaiting)
        {
            _pendingSinceMs = NotPending;
            return false;
        }

        if (_pendingSinceMs == NotPending)
            _pendingSinceMs = nowMs;
        return nowMs - Math.Max(_pendingSinceMs, FindWhenTaken(nowMs)) >= timeoutMs;
    }
}
