using Cache.Testing;

namespace Cache.Server.Tests.Transport.Tls;

/// <summary>That changed files are taken while the server runs, and broken ones are not.</summary>
public sealed class TlsReloadTests : IDisposable
{
    private readonly TestCertificates _certificates = new();
    private readonly FakeTimeProvider _clock = new();
    private readonly MessageLog _log = new();

    public void Dispose()
    {
        _certificates.Dispose();
        _log.Dispose();
    }

    [Theory]
    [MemberData(nameof(SocketPair.Transports), MemberType = typeof(SocketPair))]
    public async Task ChangedFiles_AreShownToNewClients_AndOldOnesGoOn(RespTransport transport)
    {
        await using var server = await StartAsync(transport);
        using var before = await server.ConnectAsync();
        Assert.Equal("CN=localhost", before.ServerCertificate.Subject);

        _certificates.WriteServer("renewed");
        _clock.Advance(1000);

        using var after = await server.ConnectAsync();
        Assert.Equal("CN=renewed", after.ServerCertificate.Subject);
        await after.ExpectAsync("PING\r\n", "+PONG\r\n");
        await before.ExpectAsync("PING\r\n", "+PONG\r\n");
        Assert.Equal(
            ["TLS uses a new certificate: CN=renewed"],
            _log.Messages.Where(static text => text.StartsWith("TLS ", StringComparison.Ordinal)));
    }

    [Theory]
    [MemberData(nameof(SocketPair.Transports), MemberType = typeof(SocketPair))]
    public async Task BrokenFile_IsToldOnce_AndTheOldCertificateStaysUntilAGoodOneComes(RespTransport transport)
    {
        await using var server = await StartAsync(transport);

        _certificates.Write(_certificates.CertificateFile, "no certificate");
        _clock.Advance(60_000);

        using var during = await server.ConnectAsync();
        Assert.Equal("CN=localhost", during.ServerCertificate.Subject);
        await during.ExpectAsync("PING\r\n", "+PONG\r\n");
        string message = Assert.Single(
            _log.Messages, static text => text.StartsWith("TLS keeps its certificate", StringComparison.Ordinal));
        Assert.Contains($"TlsCertificateFile is '{_certificates.CertificateFile}'", message);

        _certificates.WriteServer("repaired");
        _clock.Advance(1000);
        using var after = await server.ConnectAsync();
        Assert.Equal("CN=repaired", after.ServerCertificate.Subject);
    }

    [Fact]
    public async Task File_ThatIsGone_IsToldOnce_AndTheOldCertificateStays()
    {
        await using var server = await StartAsync(RespTransport.Portable);

        File.Delete(_certificates.KeyFile);
        _clock.Advance(60_000);

        using var client = await server.ConnectAsync();
        await client.ExpectAsync("PING\r\n", "+PONG\r\n");
        Assert.Single(_log.Messages, static text => text.Contains("TlsKeyFile", StringComparison.Ordinal));
    }

    // As long as another process holds it, or its rights are wrong; neither end of that changes time or length.
    [Fact]
    public async Task File_ThatCannotBeReadForAWhile_IsToldOnce_AndTakenAsSoonAsItCan()
    {
        await using var server = await StartAsync(RespTransport.Portable);

        _certificates.WriteServer("renewed");
        using (new FileStream(_certificates.KeyFile, FileMode.Open, FileAccess.Read, FileShare.None))
            _clock.Advance(60_000);
        using var during = await server.ConnectAsync();
        Assert.Equal("CN=localhost", during.ServerCertificate.Subject);
        Assert.Single(_log.Messages, static text => text.Contains("TlsKeyFile", StringComparison.Ordinal));
        _clock.Advance(1000);

        using var after = await server.ConnectAsync();
        Assert.Equal("CN=renewed", after.ServerCertificate.Subject);
    }

    [Fact]
    public async Task Link_ThatLeadsElsewhere_IsAChange()
    {
        if (OperatingSystem.IsWindows())
            return;

        // As a mounted secret is exchanged: the files are links through a link that is replaced.
        Directory.CreateDirectory(_certificates.PathOf("old"));
        File.Copy(_certificates.CertificateFile, _certificates.PathOf("old/server.pem"));
        File.Copy(_certificates.KeyFile, _certificates.PathOf("old/server.key"));
        Directory.CreateSymbolicLink(_certificates.PathOf("current"), "old");
        File.CreateSymbolicLink(_certificates.PathOf("link.pem"), "current/server.pem");
        File.CreateSymbolicLink(_certificates.PathOf("link.key"), "current/server.key");
        await using var server = await TlsServer.StartAsync(
            _certificates, RespTransport.Portable, clock: _clock, loggers: _log, change: options =>
            {
                options.TlsCertificateFile = _certificates.PathOf("link.pem");
                options.TlsKeyFile = _certificates.PathOf("link.key");
            });

        _certificates.WriteServer("renewed");
        Directory.CreateDirectory(_certificates.PathOf("new"));
        File.Move(_certificates.CertificateFile, _certificates.PathOf("new/server.pem"));
        File.Move(_certificates.KeyFile, _certificates.PathOf("new/server.key"));
        Directory.Delete(_certificates.PathOf("current"));
        Directory.CreateSymbolicLink(_certificates.PathOf("current"), "new");
        _clock.Advance(1000);

        using var client = await server.ConnectAsync();
        Assert.Equal("CN=renewed", client.ServerCertificate.Subject);
    }

    private Task<TlsServer> StartAsync(RespTransport transport) =>
        TlsServer.StartAsync(_certificates, transport, clock: _clock, loggers: _log);
}
