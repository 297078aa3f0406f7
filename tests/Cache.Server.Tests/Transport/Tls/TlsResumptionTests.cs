using System.Net.Security;
using System.Security.Authentication;
using System.Security.Cryptography.X509Certificates;

namespace Cache.Server.Tests.Transport.Tls;

/// <summary>That who comes back goes on with the session that it had, and is who it was.</summary>
/// <remarks>Windows keeps sessions its own way, and tells clients and servers less of it.</remarks>
public sealed class TlsResumptionTests : IDisposable
{
    private readonly TestCertificates _certificates = new();

    public static TheoryData<RespTransport, SslProtocols, TlsClientAuthentication> Cases { get; } = MakeCases();

    public void Dispose() => _certificates.Dispose();

    [Theory]
    [MemberData(nameof(Cases))]
    public async Task SecondConnection_ResumesTheSession(
        RespTransport transport, SslProtocols version, TlsClientAuthentication authentication)
    {
        if (OperatingSystem.IsWindows())
            return;
        await using var server = await TlsServer.StartAsync(
            _certificates, transport, o => o.TlsClientAuthentication = authentication);
        using var certificate = _certificates.MakeClient("alice");
        var context = SslStreamCertificateContext.Create(certificate, null, offline: true);
        bool[] resumed = await ConnectAsync(server, 3, context, version);

        Assert.Equal([false, true, true], resumed);
        Assert.Equal(0, server.FailedHandshakes);
    }

    // The session has the client's certificate, but not those that the client sent with it in the first handshake.
    [Theory]
    [MemberData(nameof(Cases))]
    public async Task SecondConnection_WithACertificateOfAnIntermediateAuthority_IsTrustedToo(
        RespTransport transport, SslProtocols version, TlsClientAuthentication authentication)
    {
        if (OperatingSystem.IsWindows())
            return;
        await using var server = await TlsServer.StartAsync(
            _certificates, transport, o => o.TlsClientAuthentication = authentication);
        var (certificate, intermediate) = _certificates.MakeClientOfIntermediate("alice");
        using var disposing = certificate;
        using var disposingToo = intermediate;
        var context = SslStreamCertificateContext.Create(certificate, [intermediate], offline: true);
        bool[] resumed = await ConnectAsync(server, 3, context, version);

        Assert.Equal([false, true, true], resumed);
        Assert.Equal(0, server.FailedHandshakes);
    }

    [Fact]
    public async Task Stranger_IsRefused_WhateverLedToOthers()
    {
        await using var server = await TlsServer.StartAsync(
            _certificates, RespTransport.Portable, o => o.TlsClientAuthentication = TlsClientAuthentication.Required);
        var (certificate, intermediate) = _certificates.MakeClientOfIntermediate("alice");
        using var disposing = certificate;
        using var disposingToo = intermediate;
        var context = SslStreamCertificateContext.Create(certificate, [intermediate], offline: true);
        await ConnectAsync(server, 1, context, SslProtocols.Tls12);

        using var stranger = TestCertificates.MakeStranger("alice");
        var strange = SslStreamCertificateContext.Create(stranger, null, offline: true);
        await Assert.ThrowsAnyAsync<Exception>(() => ConnectAsync(server, 1, strange, SslProtocols.Tls12));
        await Assert.ThrowsAnyAsync<Exception>(() => ConnectAsync(server, 1, null, SslProtocols.Tls12));
    }

    /// <returns>Of each connection, one after the other, whether it resumed a session.</returns>
    private static async Task<bool[]> ConnectAsync(
        TlsServer server, int count, SslStreamCertificateContext? context, SslProtocols version)
    {
        bool[] resumed = new bool[count];
        for (int i = 0; i < count; i++)
        {
            using var client = new TlsClient(await server.ConnectRawAsync());
            await client.OpenAsync(context, version);
            await client.ExpectAsync("PING\r\n", "+PONG\r\n");
            resumed[i] = client.IsResumed;
        }

        return resumed;
    }

    private static TheoryData<RespTransport, SslProtocols, TlsClientAuthentication> MakeCases()
    {
        var cases = new TheoryData<RespTransport, SslProtocols, TlsClientAuthentication>();
        foreach (var transport in SocketPair.Transports)
        {
            foreach (var version in (SslProtocols[])[SslProtocols.Tls12, SslProtocols.Tls13])
            {
                cases.Add(transport.Data, version, TlsClientAuthentication.None);
                cases.Add(transport.Data, version, TlsClientAuthentication.Required);
            }
        }

        return cases;
    }
}
