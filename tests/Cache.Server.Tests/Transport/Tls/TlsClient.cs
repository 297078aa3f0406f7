using System.Net.Security;
using System.Net.Sockets;
using System.Security.Authentication;
using System.Security.Cryptography.X509Certificates;
using System.Text;

namespace Cache.Server.Tests.Transport.Tls;

/// <summary>A client of a TLS port. In texts, a char is a byte.</summary>
internal sealed class TlsClient : IDisposable
{
    private readonly RecordTap _tap;
    private readonly SslStream _stream;

    public TlsClient(Socket socket)
    {
        Socket = socket;
        _tap = new RecordTap(socket);
        _stream = new SslStream(_tap);
    }

    public Socket Socket { get; }

    /// <summary>The certificate that the server showed.</summary>
    public X509Certificate2 ServerCertificate => (X509Certificate2)_stream.RemoteCertificate!;

    /// <summary>The version that was agreed on.</summary>
    public SslProtocols Protocol => _stream.SslProtocol;

    /// <summary>The type of the last record that the server sent.</summary>
    public byte LastRecordType => _tap.LastRecordType;

    /// <summary>Whether the server went on with an earlier session.</summary>
    public bool IsResumed => _tap.IsResumed;

    private static CancellationToken Token => TestContext.Current.CancellationToken;

    public Task OpenAsync(X509Certificate2? certificate, SslProtocols protocols) =>
        _stream.AuthenticateAsClientAsync(
            new SslClientAuthenticationOptions
            {
                TargetHost = "localhost",
                EnabledSslProtocols = protocols,
                ClientCertificates = certificate is null ? null : [certificate],
                LocalCertificateSelectionCallback = certificate is null ? null : (_, _, _, _, _) => certificate,
                RemoteCertificateValidationCallback = static (_, _, _, _) => true,
            },
            Token);

    /// <param name="context">The client's certificate and those that it shows with it; null for none.</param>
    /// <param name="version">The only one that the client speaks.</param>
    public Task OpenAsync(SslStreamCertificateContext? context, SslProtocols version) =>
        _stream.AuthenticateAsClientAsync(
            new SslClientAuthenticationOptions
            {
                TargetHost = "localhost",
                EnabledSslProtocols = version,
                ClientCertificateContext = context,
                RemoteCertificateValidationCallback = static (_, _, _, _) => true,
            },
            Token);

    public ValueTask SendAsync(string text) => SendAsync(Encoding.Latin1.GetBytes(text));

    public ValueTask SendAsync(byte[] bytes) => _stream.WriteAsync(bytes, Token);

    /// <summary>Sends only so many bytes of the records that the text becomes.</summary>
    public async Task SendPartAsync(string text, int bytes)
    {
        _tap.BytesLeft = bytes;
        await SendAsync(text);
    }

    public async Task ExpectAsync(string request, string reply)
    {
        await SendAsync(request);
        Assert.Equal(reply, await ReadAsync(reply.Length));
    }

    public async Task<string> ReadAsync(int count)
    {
        byte[] bytes = new byte[count];
        int read = await _stream.ReadAtLeastAsync(bytes, count, throwOnEndOfStream: false, Token);
        return Encoding.Latin1.GetString(bytes, 0, read);
    }

    /// <summary>Everything until the server ends the connection.</summary>
    public async Task<string> ReadToEndAsync()
    {
        using var text = new MemoryStream();
        await _stream.CopyToAsync(text, Token);
        return Encoding.Latin1.GetString(text.ToArray());
    }

    /// <summary>Ends sending, as TLS does.</summary>
    public Task EndSendingAsync() => _stream.ShutdownAsync();

    public void Dispose()
    {
        Socket.Dispose();
        _stream.Dispose();
    }
}
