namespace Cache.Server.Security;

/// <summary>The kind of a <see cref="CertificateName"/>. Names of different kinds are never equal.</summary>
internal enum CertificateNameKind
{
    /// <summary>The SHA-256 of the whole certificate.</summary>
    Thumbprint,

    /// <summary>A DNS name, case-insensitive.</summary>
    Dns,

    /// <summary>An e-mail address.</summary>
    Email,

    /// <summary>A URI.</summary>
    Uri,
}
