using System.Net.Sockets;

namespace Cache.Server.Transport.Sockets;

/// <summary>Takes the arrivals of a listening socket in another way than the runtime's.</summary>
internal abstract class SocketAcceptor
{
    /// <summary>The next connection; null once this is closed.</summary>
    /// <exception cref="SocketException">
    /// The system has no descriptor or no memory for it; the arrival waits, and may be asked for again.
    /// </exception>
    public abstract ValueTask<TransportConnection?> AcceptAsync();

    /// <summary>Accepts no more, and ends a wait. Any thread.</summary>
    public abstract void Close();
}
