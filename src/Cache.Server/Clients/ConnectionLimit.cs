namespace Cache.Server.Clients;

/// <summary>What a client may come up against; each has a counter in INFO and a line in the log.</summary>
internal enum ConnectionLimit
{
    /// <summary>Clients connected at once.</summary>
    MaxClients,

    /// <summary>Connections accepted per second; the next ones wait.</summary>
    AcceptRate,

    /// <summary>Clients of other machines while no password is needed.</summary>
    ProtectedMode,

    /// <summary>Bytes of one incomplete request.</summary>
    QueryBuffer,

    /// <summary>Bytes of replies that were not taken.</summary>
    OutputBuffer,

    /// <summary>The time in which none of its replies is taken.</summary>
    OutputTimeout,

    /// <summary>The memory of all clients together.</summary>
    ClientMemory,

    /// <summary>The time of silence.</summary>
    IdleTimeout,

    /// <summary>The time of silence within a request.</summary>
    PartialRequestTimeout,

    /// <summary>Bytes before authentication.</summary>
    UnauthenticatedBytes,

    /// <summary>The time until authentication.</summary>
    AuthenticationTimeout,

    /// <summary>A request of HTTP, which a browser may have been tricked into.</summary>
    Http,

    /// <summary>The first bytes of TLS where none is spoken.</summary>
    Tls,

    /// <summary>Bytes that are not TLS where it is spoken.</summary>
    NoTls,

    /// <summary>A TLS handshake that failed for another reason.</summary>
    TlsHandshake,

    /// <summary>A wrong user or password.</summary>
    AuthenticationFailure,

    /// <summary>An attempt to authenticate whose answer was held back because of failures before.</summary>
    AuthenticationDelay,

    /// <summary>A command that the user may not run.</summary>
    CommandDenied,

    /// <summary>A key that the user may not use so.</summary>
    KeyDenied,

    /// <summary>A trusted certificate whose user does not exist or is off.</summary>
    CertificateUser,
}
