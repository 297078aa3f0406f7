using System.Net;
using System.Threading.Channels;
using Cache.Server.Transport;

namespace Cache.Testing;

/// <summary>Where in-memory clients connect to.</summary>
internal sealed class InMemoryListener(InMemoryBounds? bounds = null) : TransportListener
{
    private readonly InMemoryBounds _bounds = bounds ?? new InMemoryBounds();

    // Inline as the pipes are: when Connect returns, the server serves the connection.
    private readonly Channel<InMemoryConnection> _arrivals = Channel.CreateUnbounded<InMemoryConnection>(
        new UnboundedChannelOptions { AllowSynchronousContinuations = true, SingleReader = true });

    private int _count;

    public override EndPoint EndPoint { get; } = new IPEndPoint(IPAddress.Loopback, 6379);

    /// <summary>Connects a client.</summary>
    /// <param name="address">Where it is; null for this machine.</param>
    /// <exception cref="InvalidOperationException">The listener is disposed.</exception>
    public InMemoryClient Connect(IPAddress? address = null)
    {
        var connection = new InMemoryConnection(Interlocked.Increment(ref _count), _bounds, address);
        if (!_arrivals.Writer.TryWrite(connection))
            throw new InvalidOperationException("Nobody listens.");
        return connection.Client;
    }

    public override async ValueTask<TransportConnection?> AcceptAsync() =>
        await _arrivals.Reader.WaitToReadAsync() && _arrivals.Reader.TryRead(out var connection) ? connection : null;

    public override void Close() => _arrivals.Writer.TryComplete();
}
