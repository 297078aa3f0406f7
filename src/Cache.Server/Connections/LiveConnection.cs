using Cache.Server.Clients;
using Cache.Server.Transport;

namespace Cache.Server.Connections;

/// <summary>A connection that is being served or refused, as the acceptor keeps it.</summary>
internal sealed class LiveConnection(TransportConnection transport, ClientSession? client)
{
    private const long NotPending = -1;

    // The sweep's alone: how much the peer had taken at the last look, and whether more waited for it; when it was last
    // seen to take what had waited; since when replies wait.
    private long _sentBytes;
    private bool _waited;
    private long _sentAtMs;
    private long _pendingSinceMs = NotPending;

    // The sweep's too: when the client was last seen to wait for the server.
    private long _servedAtMs;

    public TransportConnection Transport { get; } = transport;

    /// <summary>The client; null if it is being refused.</summary>
    public ClientSession? Client { get; } = client;

    /// <summary>Completes when the connection has ended; never fails.</summary>
    public Task Completion { get; set; } = Task.CompletedTask;

    /// <summary>Its neighbours in the list of live connections, whose they are.</summary>
    public LiveConnection? Next { get; set; }

    public LiveConnection? Previous { get; set; }

    // Replies that are held back do not wait for the peer.
    private bool IsWaiting =>
        Client is { PendingOutputBytes: > 0, IsDelayed: false } || Transport.UnsentMemoryBytes > 0;

    /// <summary>
    /// For how long nothing came of the client, while the server waited for it. Asked by one sweep, regularly.
    /// </summary>
    public long MeasureSilence(ClientSession client, long nowMs)
    {
        if (client.IsServed || client.IsDelayed)
            _servedAtMs = nowMs;
        return nowMs - Math.Max(client.LastInteractionMs, _servedAtMs);
    }

    /// <summary>
    /// When the peer was last seen to take replies that waited for it: others leave with the request, and tell no more
    /// than it does. Asked by one sweep, regularly.
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
    /// Whether replies wait, and the peer has taken nothing for so long. Asked by one sweep, regularly.
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
