using System.Net.Sockets;

namespace Cache.Server.Transport.Sockets;

/// <summary>
/// The result of a socket operation; an error is a value, since a peer that goes away is not exceptional.
/// </summary>
internal readonly record struct SocketResult(int Bytes, SocketError Error);
