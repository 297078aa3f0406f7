using System.Net;
using System.Net.Security;
using System.Security.Authentication;
using System.Security.Cryptography;
using System.Security.Cryptography.X509Certificates;
using Cache.Bench.ServerLoad;
using Cache.Bench.Verbs;
using Cache.Core;
using Cache.Server;

namespace Cache.Bench.Tests.ServerLoad;

/// <summary>The load against a server that speaks TLS, and the same against a plain one.</summary>
public sealed class LoadRunTlsTests : IAsyncLifetime
{
    private readonly string _folder = Directory.CreateTempSubdirectory().FullName;
    private readonly CacheStore _store = new(new CacheOptions { MemoryLimitBytes = 64 << 20, ShardCount = 2 });
    private readonly X509Certificate2 _certificate = MakeCertificate();
    private RespServer? _server;

    public async ValueTask InitializeAsync()
    {
        string certificateFile = Path.Combine(_folder, "server.pem");
        string keyFile = Path.Combine(_folder, "server.key");
        await File.WriteAllTextAsync(certificateFile, _certificate.ExportCertificatePem());
        using (var key = _certificate.GetECDsaPrivateKey()!)
            await File.WriteAllTextAsync(keyFile, key.ExportPkcs8PrivateKeyPem());
        _server = new RespServer(_store, new RespServerOptions
        {
            Port = 0,
            RequirePass = "secret",
            TlsPort = 0,
            TlsCertificateFile = certificateFile,
            TlsKeyFile = keyFile,
            TlsClientAuthentication = TlsClientAuthentication.None,
        });
        await _server.StartAsync(TestContext.Current.CancellationToken);
    }

    public async ValueTask DisposeAsync()
    {
        await _server!.DisposeAsync();
        _store.Dispose();
        _certificate.Dispose();
        Directory.Delete(_folder, recursive: true);
    }

    // The last one's replies span several records and reads.
    [Theory]
    [InlineData(true, 8)]
    [InlineData(true, 256)]
    [InlineData(true, 70_000)]
    [InlineData(false, 70_000)]
    public void MeasureRound_Verified_HasEveryReply(bool isTls, int valueBytes)
    {
        using var run = new LoadRun(MakeOptions(isTls) with { ValueBytes = valueBytes });

        run.Preload();
        var figures = run.MeasureRound();

        Assert.Equal(800, figures.Operations);
        Assert.Equal((0, 800), (figures.Misses, figures.Hits + figures.Stored));
    }

    [Fact]
    public void Connect_ToACertificateThatIsNotTrusted_Fails()
    {
        using var other = MakeCertificate();
        var options = MakeOptions(isTls: true) with
        {
            Tls = new SslClientAuthenticationOptions
            {
                TargetHost = "localhost",
                CertificateChainPolicy = TlsOption.Trust([other]),
            },
        };

        Assert.Throws<AuthenticationException>(() => new LoadRun(options));
    }

    private LoadOptions MakeOptions(bool isTls) => new()
    {
        Target = isTls ? _server!.TlsEndPoints[0] : _server!.EndPoints.Except(_server.TlsEndPoints).First(),
        Tls = isTls
            ? new SslClientAuthenticationOptions
            {
                TargetHost = "localhost",
                CertificateChainPolicy = TlsOption.Trust([_certificate]),
            }
            : null,
        Password = "secret",
        Keys = 100,
        Connections = 4,
        Pipeline = 10,
        Requests = 800,
        RequireHits = true,
    };

    private static X509Certificate2 MakeCertificate()
    {
        using var key = ECDsa.Create(ECCurve.NamedCurves.nistP256);
        var request = new CertificateRequest("CN=localhost", key, HashAlgorithmName.SHA256);
        var names = new SubjectAlternativeNameBuilder();
        names.AddDnsName("localhost");
        request.CertificateExtensions.Add(names.Build());
        var from = new DateTimeOffset(2020, 1, 1, 0, 0, 0, TimeSpan.Zero);
        return request.CreateSelfSigned(from, from.AddYears(29));
    }
}
