using System.Net;
using System.Net.Sockets;

namespace Cache.Server.Transport.Sockets;

/// <summary>What a <see cref="SocketListener"/> is told about the sockets that it makes.</summary>
internal sealed record SocketTransportSettings
{
    /// <summary>
    /// Seconds of silence before the system probes a peer; 0 turns the probes off. May change: then a listener that
    /// there is takes it by <see cref="TransportListener.SetUpAgain"/>.
    /// </summary>
    public int KeepAliveSeconds { get; set; }

    /// <summary>Arrivals that the system holds until they are accepted.</summary>
    public int Backlog { get; init; } = 511;

    /// <summary>The mode of a Unix domain socket's file; null leaves it to the process's mask.</summary>
    public UnixFileMode? UnixSocketMode { get; init; }

    /// <summary>Measures how long a listener backs off and how long a connection says goodbye.</summary>
    public TimeProvider TimeProvider { get; init; } = TimeProvider.System;

    /// <summary>Accepts the connections of a socket that listens; null for the portable transport.</summary>
    public Func<Socket, SocketAcceptor>? Listen { get; init; }

    /// <summary>Whether the process keeps its last descriptors for what is not a connection.</summary>
    public Func<bool> LacksDescriptors { get; init; } = static () => false;

    /// <summary>
    /// Told when accepting fails and is tried again after a while, as when the process has no descriptor left.
    /// </summary>
    public Action<EndPoint, SocketException, TimeSpan>? AcceptFailed { get; init; }
}
