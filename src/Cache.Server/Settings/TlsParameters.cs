namespace Cache.Server.Settings;

/// <summary>The parameters of TLS as CONFIG GET shows them; an empty text means none.</summary>
internal sealed record TlsParameters
{
    public string CertificateFile { get; init; } = "";

    public string PfxFile { get; init; } = "";

    public string KeyFile { get; init; } = "";

    public string KeyFilePassword { get; init; } = "";

    public string CaCertificateFile { get; init; } = "";

    /// <summary>yes, no or optional.</summary>
    public string ClientAuthentication { get; init; } = "yes";

    /// <summary>Such as "TLSv1.2 TLSv1.3".</summary>
    public string Protocols { get; init; } = "";
}
