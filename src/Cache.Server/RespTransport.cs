namespace Cache.Server;

/// <summary>How a <see cref="RespServer"/> moves the bytes of its sockets.</summary>
public enum RespTransport
{
    /// <summary>The runtime's sockets, on every system.</summary>
    Portable,

    /// <summary>Event loops of the server's own over epoll; Linux on x64 and Arm64 only.</summary>
    Epoll,
}
