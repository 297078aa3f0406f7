using System.IO.Pipelines;
using System.Net;
using System.Net.Security;
using System.Security.Cryptography.X509Certificates;

namespace Cache.Server.Transport.Tls;

/// <summary>TLS over another connection: its input and output are plain, those of the other are records.</summary>
/// <remarks>
/// The handshake is made on the thread pool, since it costs a thousand times what a request does and other connections
/// wait for the thread of the transport. From then on all work is done on the thread that brings the bytes.
/// Concurrency: as every connection, one owner; <see cref="Abort"/> and <see cref="StopReceiving"/> touch only the
/// connection below.
/// </remarks>
internal sealed class TlsConnection : TransportConnection
{
    private readonly TransportConnection _transport;
    private readonly TlsSettings _settings;
    private readonly SslServerAuthenticationOptions _options;
    private readonly TlsRecordStream _records;
    private readonly SslStream _ssl;
    private readonly TlsInput _input;
    private readonly TlsOutput _output;

    /// <param name="transport">From here on this connection's own.</param>
    /// <param name="settings">How long a handshake may take, and who is told.</param>
    /// <param name="options">The certificate, and whom it is shown to.</param>
    public TlsConnection(
        TransportConnection transport, TlsSettings settings, SslServerAuthenticationOptions options)
    {
        _transport = transport;
        _settings = settings;
        _options = options;
        _records = new TlsRecordStream(transport.Input, transport.Output, settings.TimeProvider);
        _ssl = new SslStream(_records, leaveInnerStreamOpen: true);
        _input = new TlsInput(_ssl, _records);
        _output = new TlsOutput(_ssl, transport.Output);
    }

    public override PipeReader Input => _input;

    public override PipeWriter Output => _output;

    public override long SentBytes => _transport.SentBytes;

    public override long UnsentMemoryBytes => _transport.UnsentMemoryBytes;

    public override TimeSpan PartialInputAge => _records.PartialAge;

    public override bool SharesThread => _transport.SharesThread;

    public override int Descriptor => _transport.Descriptor;

    public override EndPoint? RemoteEndPoint => _transport.RemoteEndPoint;

    public override EndPoint? LocalEndPoint => _transport.LocalEndPoint;

    public override X509Certificate2? ClientCertificate => _ssl.RemoteCertificate as X509Certificate2;

    public override async ValueTask OpenAsync()
    {
        await Task.CompletedTask.ConfigureAwait(ConfigureAwaitOptions.ForceYielding);
        using var deadline = new CancellationTokenSource(_settings.HandshakeTimeout, _settings.TimeProvider);
        using var abort = deadline.Token.UnsafeRegister(
            static transport => ((TransportConnection)transport!).Abort(), _transport);
        try
        {
            await _ssl.AuthenticateAsServerAsync(_options, CancellationToken.None).ConfigureAwait(false);
        }
#pragma warning disable CA1031 // Whatever a peer sends ends its connection only.
        catch (Exception e)
#pragma warning restore CA1031
        {
            string reason = deadline.IsCancellationRequested ? "it took too long" : e.Message;
            var failure = new IOException($"The TLS handshake failed: {reason}", e);
            _settings.HandshakeFailed?.Invoke(RemoteEndPoint, failure, _records.IsOfOtherProtocol);
            throw failure;
        }

        _records.EndHandshake();
        _output.Open();
    }

    public override void StopReceiving() => _transport.StopReceiving();

    public override bool IsPeerGone => _transport.IsPeerGone;

    public override void Post(Action<object> work, object state) => _transport.Post(work, state);

    public override void Abort() => _transport.Abort();

    public override async ValueTask DisposeAsync()
    {
        if (_output.IsOpen)
            await SayGoodbyeAsync().ConfigureAwait(false);
        await _ssl.DisposeAsync().ConfigureAwait(false);
        await _transport.Input.CompleteAsync().ConfigureAwait(false);
        await _transport.Output.CompleteAsync().ConfigureAwait(false);
        await _transport.DisposeAsync().ConfigureAwait(false);
    }

    // The peer can tell an orderly end from a cut connection.
    private async ValueTask SayGoodbyeAsync()
    {
        try
        {
            await _ssl.ShutdownAsync().ConfigureAwait(false);
        }
#pragma warning disable CA1031 // A session that is broken cannot be ended well; what is below must be.
        catch (Exception)
#pragma warning restore CA1031
        {
            // There is no reader to tell.
        }
    }
}
