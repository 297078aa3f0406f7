namespace Cache.Server.Security;

/// <summary>What a <see cref="CertificateName"/> is. One of a kind is never equal to one of another.</summary>
internal enum CertificateNameKind
{
    /// <summary>The SHA-256 of the whole certificate.</summary>
    Thumbprint,

    /// <summary>A DNS name, whose case does not matter.</summary>
    Dns,

    /// <summary>An e-mail address.</summary>
    Email,

    /// <summary>A URI.</summary>
    Uri,
}
