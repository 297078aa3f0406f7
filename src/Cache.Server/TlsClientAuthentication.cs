namespace Cache.Server;

/// <summary>Whether clients of the TLS port must show a certificate.</summary>
public enum TlsClientAuthentication
{
    /// <summary>The server asks for none.</summary>
    None,

    /// <summary>The server asks for one; a client may have none, but not an untrusted one.</summary>
    Optional,

    /// <summary>A client without a trusted certificate is refused.</summary>
    Required,
}
