using System.CommandLine;
using System.Net;
using System.Net.Security;
using System.Security.Cryptography;
using System.Security.Cryptography.X509Certificates;

namespace Cache.Bench.Verbs;

/// <summary>Whether a verb speaks TLS with its server, and which certificates of it are good enough.</summary>
internal sealed class TlsOption
{
    private readonly Option<bool> _tls = new("--tls")
    {
        Description = "Speaks TLS. The server's certificate must be one that the machine trusts.",
    };

    private readonly Option<string?> _ca = new("--tls-ca")
    {
        Description = "With --tls: a PEM file of what the certificate must come from instead, itself for example.",
    };

    private readonly Option<bool> _insecure = new("--tls-insecure")
    {
        Description = "With --tls: takes any certificate.",
    };

    public TlsOption()
    {
        _ca.Validators.Add(result =>
        {
            string path = result.GetValueOrDefault<string?>() ?? "";
            if (TryReadCertificates(path) is not { Count: > 0 })
                result.AddError($"--tls-ca is '{path}'; it must be a file of certificates in PEM.");
        });
    }

    public void AddTo(Command verb)
    {
        verb.Options.Add(_tls);
        verb.Options.Add(_ca);
        verb.Options.Add(_insecure);
        verb.Validators.Add(result =>
        {
            bool hasCa = result.GetValue(_ca) is not null;
            bool isInsecure = result.GetValue(_insecure);
            if ((hasCa || isInsecure) && !result.GetValue(_tls))
                result.AddError("--tls-ca and --tls-insecure need --tls.");
            if (hasCa && isInsecure)
                result.AddError("--tls-ca and --tls-insecure exclude each other.");
        });
    }

    /// <summary>How to speak TLS with the target; null for not.</summary>
    public SslClientAuthenticationOptions? ReadFrom(ParseResult arguments, EndPoint target)
    {
        if (!arguments.GetValue(_tls))
            return null;
        var options = new SslClientAuthenticationOptions
        {
            TargetHost = target switch
            {
                DnsEndPoint dns => dns.Host,
                IPEndPoint ip => ip.Address.ToString(),
                _ => "localhost",
            },
        };
        if (arguments.GetValue(_insecure))
            options.RemoteCertificateValidationCallback = static (_, _, _, _) => true;
        if (arguments.GetValue(_ca) is { } path)
            options.CertificateChainPolicy = Trust(TryReadCertificates(path)!);
        return options;
    }

    /// <summary>Trusts what comes from these certificates, and nothing else.</summary>
    internal static X509ChainPolicy Trust(X509Certificate2Collection certificates)
    {
        var policy = new X509ChainPolicy
        {
            TrustMode = X509ChainTrustMode.CustomRootTrust,
            RevocationMode = X509RevocationMode.NoCheck,
            DisableCertificateDownloads = true,
        };
        policy.CustomTrustStore.AddRange(certificates);
        return policy;
    }

    private static X509Certificate2Collection? TryReadCertificates(string path)
    {
        var certificates = new X509Certificate2Collection();
        try
        {
            certificates.ImportFromPemFile(path);
        }
        catch (Exception e) when (e is IOException or UnauthorizedAccessException or CryptographicException
            or ArgumentException)
        {
            return null;
        }

        return certificates;
    }
}
