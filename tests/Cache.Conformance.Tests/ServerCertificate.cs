using System.Security.Cryptography;
using System.Security.Cryptography.X509Certificates;

namespace Cache.Conformance.Tests;

/// <summary>A certificate that vouches for itself, and its key, in two files of a folder that goes with it.</summary>
internal sealed class ServerCertificate : IDisposable
{
    private static readonly DateTimeOffset _from = new(2020, 1, 1, 0, 0, 0, TimeSpan.Zero);
    private static readonly DateTimeOffset _until = new(2049, 1, 1, 0, 0, 0, TimeSpan.Zero);
    private readonly DirectoryInfo _folder = Directory.CreateTempSubdirectory("cache-");

    public ServerCertificate()
    {
        using var key = ECDsa.Create(ECCurve.NamedCurves.nistP256);
        var request = new CertificateRequest("CN=localhost", key, HashAlgorithmName.SHA256);
        using var certificate = request.CreateSelfSigned(_from, _until);
        File.WriteAllText(CertificateFile, certificate.ExportCertificatePem());
        File.WriteAllText(KeyFile, key.ExportPkcs8PrivateKeyPem());
    }

    public string CertificateFile => Path.Combine(_folder.FullName, "cert.pem");

    public string KeyFile => Path.Combine(_folder.FullName, "key.pem");

    public void Dispose() => _folder.Delete(recursive: true);
}
