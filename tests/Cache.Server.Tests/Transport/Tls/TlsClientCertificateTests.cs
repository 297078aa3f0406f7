using System.Security.Authentication;
using System.Security.Cryptography.X509Certificates;
using Cache.Testing;

namespace Cache.Server.Tests.Transport.Tls;

/// <summary>Who must show a certificate, which ones are trusted, and where they can be seen.</summary>
public sealed class TlsClientCertificateTests : IDisposable
{
    private readonly TestCertificates _certificates = new();

    public void Dispose() => _certificates.Dispose();

    [Theory]
    [MemberData(nameof(SocketPair.Transports), MemberType = typeof(SocketPair))]
    public async Task Required_WithATrustedOne_IsServedAndTheSessionHasIt(RespTransport transport)
    {
        await using var server = await StartAsync(transport, TlsClientAuthentication.Required);
        using var certificate = _certificates.MakeClient("alice");
        using var client = await server.ConnectAsync(certificate);

        await client.ExpectAsync("PING\r\n", "+PONG\r\n");

        var session = Assert.Single(server.Server.State.Clients.ToList());
        Assert.Equal("CN=alice", session.ClientCertificate!.Subject);
        Assert.Equal(certificate.Thumbprint, session.ClientCertificate.Thumbprint);
        var names = session.ClientCertificate.Extensions.OfType<X509SubjectAlternativeNameExtension>().Single();
        Assert.Equal(["alice"], names.EnumerateDnsNames());
    }

    [Theory]
    [MemberData(nameof(SocketPair.Transports), MemberType = typeof(SocketPair))]
    public async Task Required_OnAResumedSession_TheSessionHasItToo(RespTransport transport)
    {
        await using var server = await StartAsync(transport, TlsClientAuthentication.Required);
        using var certificate = _certificates.MakeClient("alice");

        for (int i = 0; i < 3; i++)
        {
            using var client = await server.ConnectAsync(certificate);
            await client.ExpectAsync("PING\r\n", "+PONG\r\n");
            var session = server.Server.State.Clients.ToList()[^1];
            Assert.Equal("CN=alice", session.ClientCertificate?.Subject);
        }
    }

    [Theory]
    [MemberData(nameof(SocketPair.Transports), MemberType = typeof(SocketPair))]
    public async Task Required_WithoutOne_IsRefused(RespTransport transport)
    {
        await using var server = await StartAsync(transport, TlsClientAuthentication.Required);

        await AssertRefusedAsync(server, null);
    }

    [Theory]
    [MemberData(nameof(SocketPair.Transports), MemberType = typeof(SocketPair))]
    public async Task Required_WithOneOfAnotherAuthority_IsRefused(RespTransport transport)
    {
        await using var server = await StartAsync(transport, TlsClientAuthentication.Required);
        using var certificate = TestCertificates.MakeStranger("alice");

        await AssertRefusedAsync(server, certificate);
    }

    [Theory]
    [MemberData(nameof(SocketPair.Transports), MemberType = typeof(SocketPair))]
    public async Task Required_WithoutACaFile_TrustsWhatTheMachineTrusts(RespTransport transport)
    {
        await using var server = await TlsServer.StartAsync(
            _certificates, transport, options =>
            {
                options.TlsClientAuthentication = TlsClientAuthentication.Required;
                options.TlsCaCertificateFile = null;
            });
        using var certificate = _certificates.MakeClient("alice");

        await AssertRefusedAsync(server, certificate);
    }

    [Theory]
    [MemberData(nameof(SocketPair.Transports), MemberType = typeof(SocketPair))]
    public async Task Optional_IsServedWithoutAndWithATrustedOneOnly(RespTransport transport)
    {
        await using var server = await StartAsync(transport, TlsClientAuthentication.Optional);
        using var certificate = _certificates.MakeClient("alice");
        using var stranger = TestCertificates.MakeStranger("alice");

        using var without = await server.ConnectAsync();
        await without.ExpectAsync("PING\r\n", "+PONG\r\n");
        using var with = await server.ConnectAsync(certificate);
        await with.ExpectAsync("PING\r\n", "+PONG\r\n");

        Assert.Equal(
            [null, "CN=alice"],
            server.Server.State.Clients.ToList().Select(static one => one.ClientCertificate?.Subject));
        await AssertRefusedAsync(server, stranger);
    }

    [Theory]
    [MemberData(nameof(SocketPair.Transports), MemberType = typeof(SocketPair))]
    public async Task None_IsNotAskedForOne(RespTransport transport)
    {
        await using var server = await StartAsync(transport, TlsClientAuthentication.None);
        using var certificate = TestCertificates.MakeStranger("alice");
        using var client = await server.ConnectAsync(certificate);

        await client.ExpectAsync("PING\r\n", "+PONG\r\n");

        Assert.Null(Assert.Single(server.Server.State.Clients.ToList()).ClientCertificate);
    }

    private Task<TlsServer> StartAsync(RespTransport transport, TlsClientAuthentication authentication) =>
        TlsServer.StartAsync(_certificates, transport, o => o.TlsClientAuthentication = authentication);

    // With TLS 1.3 the client's handshake is over before the server has seen the certificate.
    private static async Task AssertRefusedAsync(TlsServer server, X509Certificate2? certificate)
    {
        long before = server.FailedHandshakes;
        foreach (var version in (SslProtocols[])[SslProtocols.Tls12, SslProtocols.Tls13])
        {
            var error = await Assert.ThrowsAnyAsync<Exception>(async () =>
            {
                using var client = await server.ConnectAsync(certificate, version);
                await client.SendAsync("PING\r\n");
                Assert.Equal("", await client.ReadToEndAsync());
                throw new IOException("It was closed.");
            });
            Assert.True(error is IOException or AuthenticationException, error.ToString());
        }

        await Polling.WhileAsync(() => server.FailedHandshakes < before + 2);
        Assert.Equal(before + 2, server.FailedHandshakes);
    }
}
