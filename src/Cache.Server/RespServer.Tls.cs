using System.Security.Authentication;
using Cache.Server.Clients;
using Cache.Server.Diagnostics;
using Cache.Server.Settings;
using Cache.Server.Transport;
using Cache.Server.Transport.Tls;

namespace Cache.Server;

public sealed partial class RespServer
{
    private TlsCertificateSource? _certificates;

    /// <summary>Reads the certificates, before any connection is accepted.</summary>
    /// <param name="problems">Receives the errors of the files.</param>
    /// <returns>Wraps a listener in TLS; null without a TLS port, or without certificates.</returns>
    private Func<TransportListener, TlsListener>? PrepareTls(List<string> problems)
    {
        if (_options.TlsPort is null)
            return null;
        var settings = ToTlsSettings();
        _certificates = TlsCertificateSource.Open(settings, problems);
        return _certificates is { } certificates
            ? listener => new TlsListener(listener, settings, certificates)
            : null;
    }

    private static TlsParameters ToTlsParameters(RespServerOptions options) => new()
    {
        CertificateFile = options.TlsCertificateFile ?? "",
        PfxFile = options.TlsPfxFile ?? "",
        KeyFile = options.TlsKeyFile ?? "",
        KeyFilePassword = options.TlsKeyFilePassword ?? "",
        CaCertificateFile = options.TlsCaCertificateFile ?? "",
        ClientAuthentication = options.TlsClientAuthentication switch
        {
            TlsClientAuthentication.Required => "yes",
            TlsClientAuthentication.Optional => "optional",
            _ => "no",
        },
        Protocols = string.Join(' ', Versions(options.TlsProtocols)),
    };

    private static IEnumerable<string> Versions(SslProtocols protocols)
    {
        if (protocols.HasFlag(SslProtocols.Tls12))
            yield return "TLSv1.2";
        if (protocols.HasFlag(SslProtocols.Tls13))
            yield return "TLSv1.3";
    }

    private TlsSettings ToTlsSettings() => _options.ToTlsSettings() with
    {
        TimeProvider = _state.TimeProvider,
        HandshakeFailed = (address, error, isOtherProtocol) =>
        {
            _state.Statistics.CountFailedHandshake();
            ServerLog.HandshakeFailed(_logger, address, error);
            _state.ReportLimit(
                isOtherProtocol ? ConnectionLimit.NoTls : ConnectionLimit.TlsHandshake,
                ClientEndPoints.Describe(address),
                value: 0);
        },
        Reloaded = subject => ServerLog.CertificateReloaded(_logger, subject),
        ReloadFailed = error => ServerLog.CertificateRefused(
            _logger, string.Join(' ', error.Message.Split('\n').Select(_options.InWords))),
    };
}
