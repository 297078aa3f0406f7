using System.Security.Cryptography;
using System.Security.Cryptography.X509Certificates;

namespace Cache.Server.Tests.Transport.Tls;

/// <summary>A certificate authority, and files with certificates that it or nobody vouches for.</summary>
internal sealed class TestCertificates : IDisposable
{
    public const string Password = "päss word";

    private static readonly DateTimeOffset _from = new(2020, 1, 1, 0, 0, 0, TimeSpan.Zero);
    private static readonly DateTimeOffset _until = new(2049, 1, 1, 0, 0, 0, TimeSpan.Zero);
    private readonly TemporaryFolder _folder = new();
    private readonly X509Certificate2 _authority = MakeAuthority("CN=authority");
    private long _lastTime;

    public TestCertificates()
    {
        WriteServer("localhost");
        File.WriteAllText(CaFile, _authority.ExportCertificatePem());
    }

    public string CertificateFile => PathOf("server.pem");

    public string KeyFile => PathOf("server.key");

    public string CaFile => PathOf("ca.pem");

    public string PathOf(string name) => _folder.PathOf(name);

    /// <summary>Writes the server's two files anew.</summary>
    public void WriteServer(string name)
    {
        using var certificate = Make(name, _authority);
        Write(CertificateFile, certificate.ExportCertificatePem());
        using var key = certificate.GetECDsaPrivateKey()!;
        Write(KeyFile, key.ExportPkcs8PrivateKeyPem());
    }

    /// <summary>Writes a file so that its time is another than before, however coarse the clock.</summary>
    public void Write(string path, string text)
    {
        File.WriteAllText(path, text);
        File.SetLastWriteTimeUtc(path, _from.UtcDateTime.AddSeconds(++_lastTime));
    }

    /// <summary>Writes the server's certificate and key in one PFX file.</summary>
    public string WritePfx(string name)
    {
        using var certificate = Make(name, _authority);
        string path = PathOf("server.pfx");
        File.WriteAllBytes(path, certificate.Export(X509ContentType.Pkcs12, Password));
        return path;
    }

    /// <summary>Writes a certificate and its key, encrypted.</summary>
    public (string Certificate, string Key) WriteEncrypted(string name)
    {
        using var certificate = Make(name, _authority);
        using var key = certificate.GetECDsaPrivateKey()!;
        var files = (PathOf("encrypted.pem"), PathOf("encrypted.key"));
        var parameters = new PbeParameters(PbeEncryptionAlgorithm.Aes256Cbc, HashAlgorithmName.SHA256, 1000);
        File.WriteAllText(files.Item1, certificate.ExportCertificatePem());
        File.WriteAllText(files.Item2, key.ExportEncryptedPkcs8PrivateKeyPem(Password, parameters));
        return files;
    }

    /// <summary>A client's certificate that the authority vouches for.</summary>
    public X509Certificate2 MakeClient(string name) => Make(name, _authority);

    /// <summary>As <see cref="MakeClient(string)"/>, with these alternative names only.</summary>
    public X509Certificate2 MakeClient(Action<SubjectAlternativeNameBuilder> addNames) =>
        Make("client", _authority, addNames);

    /// <summary>A client's certificate, and that of the authority between ours and it.</summary>
    public (X509Certificate2 Client, X509Certificate2 Intermediate) MakeClientOfIntermediate(string name)
    {
        using var key = ECDsa.Create(ECCurve.NamedCurves.nistP256);
        var request = new CertificateRequest("CN=intermediate", key, HashAlgorithmName.SHA256);
        request.CertificateExtensions.Add(new X509BasicConstraintsExtension(true, false, 0, true));
        var intermediate = request.Create(_authority, _from, _until, RandomNumberGenerator.GetBytes(8));
        using var signing = intermediate.CopyWithPrivateKey(key);
        return (Make(name, signing), intermediate);
    }

    /// <summary>A client's certificate that another authority of the same name vouches for.</summary>
    public static X509Certificate2 MakeStranger(string name)
    {
        using var other = MakeAuthority("CN=authority");
        return Make(name, other);
    }

    /// <summary>A certificate that nobody vouches for, with this extension.</summary>
    public static X509Certificate2 MakeBare(params X509Extension[] extensions)
    {
        using var key = ECDsa.Create(ECCurve.NamedCurves.nistP256);
        var request = new CertificateRequest("CN=bare", key, HashAlgorithmName.SHA256);
        foreach (var extension in extensions)
            request.CertificateExtensions.Add(extension);
        return request.CreateSelfSigned(_from, _until);
    }

    public void Dispose()
    {
        _authority.Dispose();
        _folder.Dispose();
    }

    private static X509Certificate2 MakeAuthority(string subject)
    {
        using var key = ECDsa.Create(ECCurve.NamedCurves.nistP256);
        var request = new CertificateRequest(subject, key, HashAlgorithmName.SHA256);
        request.CertificateExtensions.Add(new X509BasicConstraintsExtension(true, false, 0, true));
        return request.CreateSelfSigned(_from, _until);
    }

    private static X509Certificate2 Make(string name, X509Certificate2 authority) =>
        Make(name, authority, names => names.AddDnsName(name));

    private static X509Certificate2 Make(
        string name, X509Certificate2 authority, Action<SubjectAlternativeNameBuilder> addNames)
    {
        using var key = ECDsa.Create(ECCurve.NamedCurves.nistP256);
        var request = new CertificateRequest($"CN={name}", key, HashAlgorithmName.SHA256);
        var names = new SubjectAlternativeNameBuilder();
        addNames(names);
        request.CertificateExtensions.Add(names.Build());
        using var bare = request.Create(authority, _from, _until, RandomNumberGenerator.GetBytes(8));
        return bare.CopyWithPrivateKey(key);
    }
}
