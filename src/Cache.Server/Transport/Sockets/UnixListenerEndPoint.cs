using System.Net;
using System.Net.Sockets;

namespace Cache.Server.Transport.Sockets;

/// <summary>The address of a listening Unix domain socket, with room for those of its clients.</summary>
/// <remarks>
/// The runtime copies the address of an accepted client into memory that it gets from the listener's address. That of a
/// <see cref="UnixDomainSocketEndPoint"/> is as long as its own path; if the client's is longer the runtime throws,
/// even from its event loop, which ends the process.
/// </remarks>
internal sealed class UnixListenerEndPoint(UnixDomainSocketEndPoint address) : EndPoint
{
    // More than the longest on any system.
    private const int ClientBytesMax = 256;

    private bool _isBound;

    public override AddressFamily AddressFamily => AddressFamily.Unix;

    /// <summary>From now on it is used only for clients' addresses.</summary>
    public void EndBinding() => _isBound = true;

    public override SocketAddress Serialize() =>
        _isBound ? new SocketAddress(AddressFamily.Unix, ClientBytesMax) : address.Serialize();

    /// <summary>Returns itself: the client's address is never read, and most have none.</summary>
    public override EndPoint Create(SocketAddress socketAddress) => address;
}
