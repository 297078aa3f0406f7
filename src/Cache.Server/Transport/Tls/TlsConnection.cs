using System.IO.Pipelines;
using System.Net;
using System.Net.Security;
using System.Security.Cryptography.X509Certificates;

namespace Cache.Server.Transport.Tls;

/// <summary>TLS over another connection: its input and output are plain, those of the other are records.</summary>
/// <remarks>
/// The handshake runs on the thread pool, since it costs as much as a thousand requests and other connections wait for
/// the thread of the transport. After it all work is done on the thread that receives the bytes.
/// Concurrency: like every connection, one owner; <see cref="Abort"/> and <see cref="StopReceiving"/> touch only the
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

    /// <param name="transport">The connection below; this connection owns it from now on.</param>
    /// <param name="settings">The time limit of a handshake, and the callbacks.</param>
    /// <param name="options">The certificate and the trust in clients.</param>
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
#pragma warning disable CA1031 // A peer's bytes end only its own connection.
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

    public override long AheadMemoryBytes => _transport.AheadMemoryBytes;

    // Records that arrived with the last ones that were read lie in the memory of the connection below: seldom.
    public override void ReceiveAhead(bool isOn)
    {
        if (_records.IsDrained)
            _transport.ReceiveAhead(isOn);
    }

    public override void Post(Action<object> work, object state) => _transport.Post(work, state);

    public override bool TryBeginLong() => _transport.TryBeginLong();

    public override void EndLong() => _transport.EndLong();

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

    // So the peer can distinguish an orderly end from a broken connection.
    private async ValueTask SayGoodbyeAsync()
    {
        try
        {
            await _ssl.ShutdownAsync().ConfigureAwait(false);
        }
#pragma warning disable CA1031 // A broken session cannot be ended in order; the connection below must be.
        catch (Exception)
#pragma warning restore CA1031
        {
            // No reader waits for the result.
        }
    }
}
