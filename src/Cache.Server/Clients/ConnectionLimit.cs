namespace Cache.Server.Clients;

/// <summary>The limits that a client may meet; each has a counter in INFO and a line in the log.</summary>
internal enum ConnectionLimit
{
    /// <summary>Clients connected at once.</summary>
    MaxClients,

    /// <summary>Connections accepted per second; the next ones wait.</summary>
    AcceptRate,

    /// <summary>Clients of other machines while the default user has no password.</summary>
    ProtectedMode,

    /// <summary>Bytes of one incomplete request.</summary>
    QueryBuffer,

    /// <summary>Bytes of replies that the peer has not received.</summary>
    OutputBuffer,

    /// <summary>The time in which the peer receives none of its replies.</summary>
    OutputTimeout,

    /// <summary>The memory of all clients together.</summary>
    ClientMemory,

    /// <summary>The time without a request.</summary>
    IdleTimeout,

    /// <summary>The time without further bytes of an incomplete request.</summary>
    PartialRequestTimeout,

    /// <summary>Bytes before authentication.</summary>
    UnauthenticatedBytes,

    /// <summary>The time until authentication.</summary>
    AuthenticationTimeout,

    /// <summary>An HTTP request, which a browser may have been tricked into sending.</summary>
    Http,

    /// <summary>The first bytes of TLS on a port without TLS.</summary>
    Tls,

    /// <summary>Bytes that are not TLS on a TLS port.</summary>
    NoTls,

    /// <summary>A TLS handshake that failed for another reason.</summary>
    TlsHandshake,

    /// <summary>A wrong user or password.</summary>
    AuthenticationFailure,

    /// <summary>An attempt to authenticate whose reply was delayed because of earlier failures.</summary>
    AuthenticationDelay,

    /// <summary>A command that the user may not run.</summary>
    CommandDenied,

    /// <summary>A key that the user may not use in this way.</summary>
    KeyDenied,

    /// <summary>A channel that the user may not use.</summary>
    ChannelDenied,

    /// <summary>A trusted certificate whose user does not exist or is off.</summary>
    CertificateUser,
}
