using System.IO.Pipelines;
using System.Net;

namespace Cache.Server.Transport;

/// <summary>One connection as the stages above see it: bytes come out of a pipe, bytes go into a pipe.</summary>
/// <remarks>
/// The transport knows nothing of what the bytes mean. The owner reads <see cref="Input"/> and writes
/// <see cref="Output"/> from one thread at a time, completes both, and disposes the connection. Memory of
/// <see cref="Output"/> is backed by arrays.
/// </remarks>
internal abstract class TransportConnection : IAsyncDisposable
{
    /// <summary>Bytes from the peer; completed when the peer has closed its side, with an error when the connection broke.</summary>
    public abstract PipeReader Input { get; }

    /// <summary>Bytes to the peer. A flush completes when the transport has taken them over within its own bound.</summary>
    public abstract PipeWriter Output { get; }

    public abstract EndPoint? RemoteEndPoint { get; }

    public abstract EndPoint? LocalEndPoint { get; }

    /// <summary>Ends the connection at once, from any thread; what was not sent is lost.</summary>
    public abstract void Abort();

    /// <summary>Waits until what was written is sent, or cannot be, and frees the socket.</summary>
    public abstract ValueTask DisposeAsync();
}
