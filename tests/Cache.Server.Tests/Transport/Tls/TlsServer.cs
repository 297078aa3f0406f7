using System.Net.Security;
using System.Net.Sockets;
using System.Security.Authentication;
using System.Security.Cryptography.X509Certificates;
using Cache.Core;
using Microsoft.Extensions.Logging;

namespace Cache.Server.Tests.Transport.Tls;

/// <summary>A server that speaks TLS on a port that the system chose.</summary>
internal sealed class TlsServer : IAsyncDisposable
{
    private readonly CacheStore _store;

    private TlsServer(TimeProvider? clock, RespServerOptions options, ILoggerFactory? loggers)
    {
        var store = new CacheOptions { MemoryLimitBytes = 64 << 20, ShardCount = 2 };
        _store = new CacheStore(store, clock ?? TimeProvider.System);
        Server = new RespServer(_store, options, loggers);
    }

    public RespServer Server { get; }

    public long FailedHandshakes => Server.State.Statistics.FailedHandshakes;

    private static CancellationToken Token => TestContext.Current.CancellationToken;

    public static async Task<TlsServer> StartAsync(
        TestCertificates certificates,
        RespTransport transport,
        Action<RespServerOptions>? change = null,
        TimeProvider? clock = null,
        ILoggerFactory? loggers = null)
    {
        var options = new RespServerOptions
        {
            Port = null,
            TlsPort = 0,
            TlsCertificateFile = certificates.CertificateFile,
            TlsKeyFile = certificates.KeyFile,
            TlsCaCertificateFile = certificates.CaFile,
            TlsClientAuthentication = TlsClientAuthentication.None,
            Transport = transport,
        };
        change?.Invoke(options);
        var server = new TlsServer(clock, options, loggers);
        await server.Server.StartAsync(Token);
        return server;
    }

    /// <summary>A connected socket that has said nothing.</summary>
    public async Task<Socket> ConnectRawAsync()
    {
        var endPoint = Server.TlsEndPoints[0];
        var socket = new Socket(endPoint.AddressFamily, SocketType.Stream, ProtocolType.Tcp) { NoDelay = true };
        await socket.ConnectAsync(endPoint, Token);
        return socket;
    }

    /// <summary>A client whose handshake has ended, as far as it knows.</summary>
    public async Task<TlsClient> ConnectAsync(
        X509Certificate2? certificate = null, SslProtocols protocols = SslProtocols.None)
    {
        var client = new TlsClient(await ConnectRawAsync());
        await client.OpenAsync(certificate, protocols);
        return client;
    }

    /// <summary>
    /// Waits until the server has noted that its replies have left, which clients may have before. A clock that passed
    /// meanwhile would have them wait, or be taken, in the middle of that time.
    /// </summary>
    public async Task AwaitRepliesSentAsync()
    {
        while (Server.Connections.Any(static one =>
            one.Client is { PendingOutputBytes: > 0 } || one.Transport.UnsentMemoryBytes > 0))
        {
            await Task.Delay(1, Token);
        }
    }

    public async ValueTask DisposeAsync()
    {
        await Server.DisposeAsync();
        _store.Dispose();
    }
}
