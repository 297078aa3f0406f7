using System.Net;
using System.Security.Authentication;
using Cache.Core;

namespace Cache.Server.Tests.Transport.Tls;

/// <summary>Which options and files a server with TLS starts with, and what it says of the others.</summary>
public sealed class TlsOptionsTests : IDisposable
{
    private readonly TestCertificates _certificates = new();
    private readonly CacheStore _store = new(new CacheOptions { MemoryLimitBytes = 16 << 20, ShardCount = 2 });

    private static CancellationToken Token => TestContext.Current.CancellationToken;

    public void Dispose()
    {
        _store.Dispose();
        _certificates.Dispose();
    }

    [Fact]
    public async Task Start_FromAPfx_ServesItsCertificate()
    {
        string path = _certificates.WritePfx("pfx");
        await using var server = await TlsServer.StartAsync(_certificates, RespTransport.Portable, options =>
        {
            (options.TlsCertificateFile, options.TlsKeyFile) = (null, null);
            (options.TlsPfxFile, options.TlsKeyFilePassword) = (path, TestCertificates.Password);
        });

        using var client = await server.ConnectAsync();
        Assert.Equal("CN=pfx", client.ServerCertificate.Subject);
        await client.ExpectAsync("PING\r\n", "+PONG\r\n");
    }

    [Fact]
    public async Task Start_FromAnEncryptedKey_ServesItsCertificate()
    {
        var files = _certificates.WriteEncrypted("encrypted");
        await using var server = await TlsServer.StartAsync(_certificates, RespTransport.Portable, options =>
        {
            (options.TlsCertificateFile, options.TlsKeyFile) = files;
            options.TlsKeyFilePassword = TestCertificates.Password;
        });

        using var client = await server.ConnectAsync();
        Assert.Equal("CN=encrypted", client.ServerCertificate.Subject);
    }

    [Fact]
    public async Task Start_FilesThatDoNotFit_NamesOptionFileAndReason_AndListensNowhere()
    {
        string empty = _certificates.PathOf("empty");
        File.WriteAllText(empty, "");
        string absent = _certificates.PathOf("absent");
        var encrypted = _certificates.WriteEncrypted("other");
        string pfx = _certificates.WritePfx("pfx");
        string leaf = _certificates.CertificateFile;

        await AssertRefusedAsync($"TlsCertificateFile is '{absent}'; it cannot be read", o =>
            o.TlsCertificateFile = absent);
        await AssertRefusedAsync($"TlsCertificateFile is '{empty}'; it holds no certificate in PEM", o =>
            o.TlsCertificateFile = empty);
        await AssertRefusedAsync(
            $"TlsKeyFile is '{absent}'; it cannot be read (Could not find file '{absent}').",
            o => o.TlsKeyFile = absent);
        await AssertRefusedAsync($"TlsKeyFile is '{empty}'; its key cannot be used", o => o.TlsKeyFile = empty);
        await AssertRefusedAsync($"is not that of {encrypted.Certificate}", o =>
            o.TlsCertificateFile = encrypted.Certificate);
        await AssertRefusedAsync($"TlsKeyFile is '{encrypted.Key}'; its key cannot be used", o =>
            (o.TlsCertificateFile, o.TlsKeyFile, o.TlsKeyFilePassword) =
                (encrypted.Certificate, encrypted.Key, "wrong"));
        string noPfx = $"TlsPfxFile is '{pfx}'; it is no PFX file, or RespServerOptions.TlsKeyFilePassword";
        await AssertRefusedAsync(noPfx, o =>
            (o.TlsCertificateFile, o.TlsKeyFile, o.TlsPfxFile) = (null, null, pfx));
        await AssertRefusedAsync($"TlsPfxFile is '{absent}'; it cannot be read", o =>
            (o.TlsCertificateFile, o.TlsKeyFile, o.TlsPfxFile) = (null, null, absent));
        await AssertRefusedAsync($"TlsCaCertificateFile is '{absent}'; it cannot be read", o =>
            o.TlsCaCertificateFile = absent);
        await AssertRefusedAsync($"TlsCaCertificateFile is '{leaf}'; it holds no root", o =>
            o.TlsCaCertificateFile = leaf);
    }

    [Fact]
    public void FindProblems_TlsPortWithItsFiles_FindsNone() => Assert.Empty(MakeOptions().FindProblems());

    [Fact]
    public void FindProblems_WithoutATlsPort_LooksAtNothingOfTls() =>
        Assert.Empty(new RespServerOptions { TlsProtocols = SslProtocols.None, TlsKeyFile = "k" }.FindProblems());

    [Fact]
    public void FindProblems_TlsOptionsOutOfRange_NamesEach()
    {
        AssertProblem("TlsPort is 70000; it must be between 0 and 65535.", o => o.TlsPort = 70_000);
        AssertProblem(
            "TlsPort is 7; it must differ from RespServerOptions.Port.",
            o => (o.Port, o.TlsPort) = (7, 7));
        AssertProblem(
            "TlsPort is 0; it needs an address in RespServerOptions.Bind.",
            o => (o.Bind, o.UnixSocketPath, o.Port) = ([], "/tmp/s", null));
        AssertProblem(
            "TlsCertificateFile is not given; it or RespServerOptions.TlsPfxFile is needed for a "
            + "RespServerOptions.TlsPort.",
            o => (o.TlsCertificateFile, o.TlsKeyFile) = (null, null));
        AssertProblem(
            "TlsKeyFile is not given; it is needed for RespServerOptions.TlsCertificateFile.",
            o => o.TlsKeyFile = "");
        AssertProblem(
            "TlsPfxFile is 'p'; it excludes RespServerOptions.TlsCertificateFile: give one.", o => o.TlsPfxFile = "p");
        AssertProblem(
            "TlsProtocols is Tls11; it must be Tls12, Tls13 or both.",
            o => o.TlsProtocols = Enum.Parse<SslProtocols>("Tls11"));
        AssertProblem(
            "TlsClientAuthentication is 9; it must be one of None, Optional, Required.",
            o => o.TlsClientAuthentication = (TlsClientAuthentication)9);
        AssertProblem(
            "TlsClientAuthentication is None; it cannot be used with RespServerOptions.TlsClientUsers, "
            + "which needs certificates.",
            o => (o.TlsClientAuthentication, o.TlsClientUsers) = (TlsClientAuthentication.None, Map("a", "alice")));
        AssertProblem(
            "TlsHandshakeTimeout is 00:00:00; it must be above 0 and at most 00:10:00.",
            o => o.TlsHandshakeTimeout = TimeSpan.Zero);
    }

    [Fact]
    public void FindProblems_NoPortAtAll_IsOne() =>
        Assert.Equal(
            "RespServerOptions.Port is null; it must be a port unless RespServerOptions.TlsPort or "
            + "RespServerOptions.UnixSocketPath is given.",
            Assert.Single(new RespServerOptions { Port = null }.FindProblems()));

    [Theory]
    [InlineData("")]
    [InlineData("*.example")]
    [InlineData("two words")]
    [InlineData("127.0.0.1")]
    [InlineData("alice@")]
    [InlineData("@example")]
    [InlineData("spiffe:")]
    [InlineData("sha256:")]
    [InlineData("sha256:00112233445566778899aabbccddeeff00112233445566778899aabbccddeef")]
    [InlineData("sha256:00112233445566778899aabbccddeeff00112233445566778899aabbccddeegg")]
    [InlineData("00112233445566778899aabbccddeeff00112233445566778899aabbccddeeff")]
    [InlineData("AA:11:22:33:44:55:66:77:88:99:AA:BB:CC:DD:EE:FF:00:11:22:33:44:55:66:77:88:99:AA:BB:CC:DD:EE:FF")]
    public void FindProblems_TlsClientUserOfNoCertificate_TellsTheForms(string name) => AssertProblem(
        $"TlsClientUsers has '{name}'; it must be a DNS name, an e-mail address, a URI, or sha256: and 64 hexadecimal "
        + "digits.",
        o => o.TlsClientUsers = Map(name, "alice"));

    [Theory]
    [InlineData("")]
    [InlineData("a b")]
    public void FindProblems_TlsClientUserWithoutAUser_NamesBoth(string user) => AssertProblem(
        $"TlsClientUsers has 'alice.example' with the user '{user}'; it must be a name without spaces.",
        o => o.TlsClientUsers = Map("alice.example", user));

    [Fact]
    public void FindProblems_TlsClientUsersOfOneName_NamesBoth() => AssertProblem(
        "TlsClientUsers has 'alice.example' and 'Alice.Example'; they are the same certificate's name.",
        o => o.TlsClientUsers = new Dictionary<string, string> { ["alice.example"] = "a", ["Alice.Example"] = "b" });

    private static Dictionary<string, string> Map(string name, string user) => new() { [name] = user };

    private RespServerOptions MakeOptions() => new()
    {
        Port = null,
        TlsPort = 0,
        TlsCertificateFile = _certificates.CertificateFile,
        TlsKeyFile = _certificates.KeyFile,
    };

    private void AssertProblem(string problem, Action<RespServerOptions> change)
    {
        var options = MakeOptions();
        change(options);
        Assert.Equal($"RespServerOptions.{problem}", Assert.Single(options.FindProblems()));
    }

    private async Task AssertRefusedAsync(string problem, Action<RespServerOptions> change)
    {
        var options = MakeOptions();
        options.Port = 0;
        change(options);
        await using var server = new RespServer(_store, options);

        var error = await Assert.ThrowsAsync<IOException>(() => server.StartAsync(Token));

        Assert.StartsWith("RespServerOptions.Tls", error.Message, StringComparison.Ordinal);
        Assert.Contains(problem, error.Message, StringComparison.Ordinal);
        Assert.Empty(server.EndPoints);
    }
}
