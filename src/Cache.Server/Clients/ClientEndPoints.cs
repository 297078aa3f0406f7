using System.Net;
using System.Net.Sockets;

namespace Cache.Server.Clients;

/// <summary>Both ends of a client's connection as Redis writes them.</summary>
internal readonly struct ClientEndPoints
{
    // An address, whose text is made when it is asked for, or a text.
    private readonly object? _remote;

    /// <param name="remote">The peer's address.</param>
    /// <param name="local">The text of the server's end.</param>
    /// <param name="isLocal">Whether it came from a loopback address.</param>
    public ClientEndPoints(EndPoint? remote, string local, bool isLocal)
    {
        _remote = remote;
        Local = local;
        IsLocal = isLocal;
    }

    /// <param name="remote">The text of the peer's end.</param>
    /// <param name="local">The text of the server's end.</param>
    /// <param name="isUnixSocket">Whether it came through a Unix socket.</param>
    /// <param name="isLocal">Whether it came from this machine.</param>
    public ClientEndPoints(string remote, string local, bool isUnixSocket = false, bool isLocal = false)
    {
        _remote = remote;
        Local = local;
        IsUnixSocket = isUnixSocket;
        IsLocal = isLocal;
    }

    /// <summary>"127.0.0.1:50123", "[::1]:50123", or "/path:0" of a Unix socket.</summary>
    public string Remote => _remote as string ?? Describe(_remote as EndPoint);

    /// <summary>The server's end in the same form.</summary>
    public string Local { get; }

    /// <summary>Whether it came through a Unix socket.</summary>
    public bool IsUnixSocket { get; }

    /// <summary>Whether it came from this machine: by a Unix socket, or from a loopback address.</summary>
    public bool IsLocal { get; }

    // Not with ToString, which makes the address cache its text.
    public static string Describe(EndPoint? endPoint) => endPoint switch
    {
        IPEndPoint { AddressFamily: AddressFamily.InterNetworkV6 } ip => $"[{ip.Address}]:{ip.Port}",
        IPEndPoint ip => $"{ip.Address}:{ip.Port}",
        _ => endPoint?.ToString() ?? "",
    };
}
