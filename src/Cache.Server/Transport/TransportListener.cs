using System.Net;

namespace Cache.Server.Transport;

/// <summary>A bound address that connections arrive at.</summary>
internal abstract class TransportListener : IAsyncDisposable
{
    /// <summary>The address that it listens on, with the port that the system chose if 0 was asked for.</summary>
    public abstract EndPoint EndPoint { get; }

    /// <summary>
    /// The next connection; null once the listener is disposed. Errors of a single arrival are not thrown.
    /// </summary>
    public abstract ValueTask<TransportConnection?> AcceptAsync();

    /// <summary>Stops listening, at once. Accepted connections continue. Any thread.</summary>
    public abstract void Close();

    /// <summary>
    /// Applies the present settings to connections that are accepted from now on. Not during or after
    /// <see cref="Close"/>.
    /// </summary>
    public virtual void SetUpAgain()
    {
    }

    /// <summary>As <see cref="Close"/>.</summary>
    public ValueTask DisposeAsync()
    {
        Close();
        return ValueTask.CompletedTask;
    }
}
