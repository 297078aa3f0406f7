using System.Net.Sockets;

namespace Cache.Server.Transport.Sockets;

/// <summary>Accepts the connections of a listening socket, in place of the runtime's way.</summary>
internal abstract class SocketAcceptor
{
    /// <summary>The next connection; null once this is closed.</summary>
    /// <exception cref="SocketException">
    /// The system has no descriptor or no memory for it; the arrival waits, and can be accepted later.
    /// </exception>
    public abstract ValueTask<TransportConnection?> AcceptAsync();

    /// <summary>Accepts no more, and ends a wait. Any thread.</summary>
    public abstract void Close();
}
