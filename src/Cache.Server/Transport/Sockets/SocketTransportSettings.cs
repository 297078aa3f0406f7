using System.Net;
using System.Net.Sockets;

namespace Cache.Server.Transport.Sockets;

/// <summary>The settings of a <see cref="SocketListener"/> and its sockets.</summary>
internal sealed record SocketTransportSettings
{
    /// <summary>
    /// Seconds of silence before the system probes a peer; 0 turns the probes off. May change: an existing listener
    /// applies a change in <see cref="TransportListener.SetUpAgain"/>.
    /// </summary>
    public int KeepAliveSeconds { get; set; }

    /// <summary>Arrivals that the system holds until they are accepted.</summary>
    public int Backlog { get; init; } = 511;

    /// <summary>The mode of a Unix domain socket's file; null leaves it to the process's mask.</summary>
    public UnixFileMode? UnixSocketMode { get; init; }

    /// <summary>Measures how long a listener backs off and how long closing takes.</summary>
    public TimeProvider TimeProvider { get; init; } = TimeProvider.System;

    /// <summary>Accepts the connections of a listening socket; null for the portable transport.</summary>
    public Func<Socket, SocketAcceptor>? Listen { get; init; }

    /// <summary>
    /// Asks the system whether the peer of a descriptor has closed, whatever lies unread; null where it does not tell.
    /// </summary>
    public Func<int, bool>? HasPeerGone { get; init; }

    /// <summary>Whether the process reserves its last descriptors for other purposes than connections.</summary>
    public Func<bool> LacksDescriptors { get; init; } = static () => false;

    /// <summary>
    /// Called when accepting fails and is tried again later, as when the process has no descriptor left.
    /// </summary>
    public Action<EndPoint, SocketException, TimeSpan>? AcceptFailed { get; init; }
}
