using System.Net.Sockets;

namespace Cache.Server.Transport.Sockets;

/// <summary>
/// How a socket operation ended; an error is a value, since a peer that goes away is nothing exceptional.
/// </summary>
internal readonly record struct SocketResult(int Bytes, SocketError Error);
