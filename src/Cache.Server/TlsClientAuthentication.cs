namespace Cache.Server;

/// <summary>Whether clients of the TLS port show a certificate.</summary>
public enum TlsClientAuthentication
{
    /// <summary>None is asked for.</summary>
    None,

    /// <summary>One is asked for; a client may have none, but not one that is not trusted.</summary>
    Optional,

    /// <summary>A client without a trusted certificate is refused.</summary>
    Required,
}
