using System.Net;

namespace Cache.Server.Transport;

/// <summary>A bound address that connections arrive at.</summary>
internal abstract class TransportListener : IAsyncDisposable
{
    /// <summary>The address that is listened on, with the port that the system chose where 0 was asked for.</summary>
    public abstract EndPoint EndPoint { get; }

    /// <summary>
    /// The next connection; null once the listener is disposed. Errors of a single arrival are not thrown here.
    /// </summary>
    public abstract ValueTask<TransportConnection?> AcceptAsync();

    /// <summary>Stops listening, at once. Connections that were accepted live on. Any thread.</summary>
    public abstract void Close();

    /// <summary>
    /// Sets up what is accepted from now on as the settings are by now. Not beside or after <see cref="Close"/>.
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
