using Cache.Server.Transport;

namespace Cache.Server.Connections;

/// <summary>A connection that is being served or refused, as the acceptor keeps it.</summary>
internal sealed class LiveConnection(TransportConnection transport)
{
    public TransportConnection Transport { get; } = transport;

    /// <summary>Completes when the connection has ended; never fails.</summary>
    public Task Completion { get; set; } = Task.CompletedTask;
}
