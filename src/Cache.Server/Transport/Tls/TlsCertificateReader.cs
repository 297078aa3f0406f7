using System.Net.Security;
using System.Security.Cryptography;
using System.Security.Cryptography.X509Certificates;

namespace Cache.Server.Transport.Tls;

/// <summary>Reads the files that a handshake needs. Every error names the option, the file and the reason.</summary>
internal static class TlsCertificateReader
{
    /// <param name="settings">The files.</param>
    /// <param name="problems">Receives an error for each file that cannot be read or has the wrong content.</param>
    /// <returns>Null if there is an error.</returns>
    public static SslServerAuthenticationOptions? Read(TlsSettings settings, List<string> problems)
    {
        var chain = new X509Certificate2Collection();
        var certificate = string.IsNullOrEmpty(settings.TlsPfxFile)
            ? ReadPem(settings, chain, problems)
            : Try(() => ReadPfx(settings, chain), problems);
        var policy = settings.AsksForCertificate ? Try(() => ToChainPolicy(settings), problems) : null;
        if (certificate is null || (policy is null && settings.AsksForCertificate))
            return null;
        return new SslServerAuthenticationOptions
        {
            // Created once, so that its chain is built once, and sessions of earlier connections can be resumed.
            ServerCertificateContext = SslStreamCertificateContext.Create(certificate, chain, offline: true),
            EnabledSslProtocols = settings.Protocols,
            AllowRenegotiation = false,
            ClientCertificateRequired = settings.AsksForCertificate,
            CertificateChainPolicy = policy,
            RemoteCertificateValidationCallback = new TlsClientTrust(settings.RequiresCertificate).Validate,
        };
    }

    private static T? Try<T>(Func<T> read, List<string> problems)
        where T : class
    {
        try
        {
            return read();
        }
        catch (IOException e)
        {
            problems.Add(e.Message);
            return null;
        }
    }

    // Each file is checked, also if the other cannot be used.
    private static X509Certificate2? ReadPem(
        TlsSettings settings, X509Certificate2Collection chain, List<string> problems)
    {
        string path = settings.TlsCertificateFile ?? "";
        string? pem = Try(
            () =>
            {
                string text = ReadText(nameof(settings.TlsCertificateFile), path);
                ImportPem(nameof(settings.TlsCertificateFile), path, text, chain);
                return text;
            },
            problems);
        string? keyPem = Try(() => ReadText(nameof(settings.TlsKeyFile), settings.TlsKeyFile ?? ""), problems);
        return pem is null || keyPem is null
            ? null
            : Try(() => ToCertificate(settings, pem, keyPem, chain), problems);
    }

    private static X509Certificate2 ToCertificate(
        TlsSettings settings, string pem, string keyPem, X509Certificate2Collection chain)
    {
        string path = settings.TlsCertificateFile ?? "";
        string keyPath = settings.TlsKeyFile ?? "";
        var bare = chain[0];
        chain.RemoveAt(0);
        try
        {
            var certificate = string.IsNullOrEmpty(settings.TlsKeyFilePassword)
                ? X509Certificate2.CreateFromPem(pem, keyPem)
                : X509Certificate2.CreateFromEncryptedPem(pem, keyPem, settings.TlsKeyFilePassword);
            bare.Dispose();
            return ToUsable(certificate);
        }
        catch (Exception e) when (e is CryptographicException or ArgumentException)
        {
            string reason = $"its key cannot be used, or is not that of {path}";
            throw Unfit(nameof(settings.TlsKeyFile), keyPath, reason, e);
        }
    }

    private static X509Certificate2 ReadPfx(TlsSettings settings, X509Certificate2Collection chain)
    {
        const string Option = nameof(settings.TlsPfxFile);
        string path = settings.TlsPfxFile!;
        try
        {
            var storage = OperatingSystem.IsWindows()
                ? X509KeyStorageFlags.DefaultKeySet
                : X509KeyStorageFlags.EphemeralKeySet;
            byte[] pfx = File.ReadAllBytes(path);
            chain.AddRange(X509CertificateLoader.LoadPkcs12Collection(pfx, settings.TlsKeyFilePassword, storage));
        }
        catch (Exception e) when (IsUnreadable(e))
        {
            throw Unfit(Option, path, "it cannot be read", e);
        }
        catch (CryptographicException e)
        {
            const string Reason = "it is no PFX file, or RespServerOptions.TlsKeyFilePassword is not its password";
            throw Unfit(Option, path, Reason, e);
        }

        foreach (var one in chain)
        {
            if (!one.HasPrivateKey)
                continue;
            chain.Remove(one);
            return one;
        }

        throw Unfit(Option, path, "it holds no certificate with a private key");
    }

    private static X509ChainPolicy ToChainPolicy(TlsSettings settings)
    {
        const string Option = nameof(settings.TlsCaCertificateFile);
        var policy = new X509ChainPolicy
        {
            RevocationMode = X509RevocationMode.NoCheck,
            DisableCertificateDownloads = true,
        };
        if (settings.TlsCaCertificateFile is not { Length: > 0 } path)
            return policy;

        var certificates = new X509Certificate2Collection();
        ImportPem(Option, path, ReadText(Option, path), certificates);
        policy.TrustMode = X509ChainTrustMode.CustomRootTrust;

        // A root ends a chain; the others are intermediate.
        foreach (var certificate in certificates)
        {
            bool isRoot = certificate.SubjectName.RawData.AsSpan().SequenceEqual(certificate.IssuerName.RawData);
            (isRoot ? policy.CustomTrustStore : policy.ExtraStore).Add(certificate);
        }

        return policy.CustomTrustStore.Count > 0
            ? policy
            : throw Unfit(Option, path, "it holds no root: no certificate that is its own issuer");
    }

    private static void ImportPem(string option, string path, string pem, X509Certificate2Collection certificates)
    {
        try
        {
            certificates.ImportFromPem(pem);
        }
        catch (CryptographicException e)
        {
            throw Unfit(option, path, "a certificate in it cannot be used", e);
        }

        if (certificates.Count == 0)
            throw Unfit(option, path, "it holds no certificate in PEM");
    }

    private static string ReadText(string option, string path)
    {
        try
        {
            return File.ReadAllText(path);
        }
        catch (Exception e) when (IsUnreadable(e))
        {
            throw Unfit(option, path, "it cannot be read", e);
        }
    }

    // TLS on Windows needs a key that was in a store.
    private static X509Certificate2 ToUsable(X509Certificate2 certificate)
    {
        if (!OperatingSystem.IsWindows())
            return certificate;
        using (certificate)
            return X509CertificateLoader.LoadPkcs12(certificate.Export(X509ContentType.Pkcs12), null);
    }

    private static bool IsUnreadable(Exception error) =>
        error is IOException or UnauthorizedAccessException or NotSupportedException or ArgumentException;

    private static IOException Unfit(string option, string path, string reason, Exception? error = null)
    {
        string detail = error is null ? "" : $" ({error.Message.TrimEnd('.')})";
        return new IOException($"RespServerOptions.{option} is '{path}'; {reason}{detail}.", error);
    }
}
