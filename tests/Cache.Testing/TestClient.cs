using System.Net;
using System.Net.Security;
using System.Net.Sockets;
using System.Text;

namespace Cache.Testing;

/// <summary>A client's socket, which knows of the protocol how a line ends. In texts, a char is a byte.</summary>
internal sealed class TestClient : IAsyncDisposable
{
    // Long enough for a busy machine; a reply that never comes fails the test instead of hanging it.
    private static readonly TimeSpan _patience = TimeSpan.FromSeconds(60);

    private readonly Socket _socket = new(SocketType.Stream, ProtocolType.Tcp) { NoDelay = true };

    // The bytes of the socket, or their text.
    private Stream _stream = Stream.Null;

    public static async Task<TestClient> ConnectAsync(EndPoint endPoint, bool isTls = false)
    {
        var client = new TestClient();
        await client._socket.ConnectAsync(endPoint);
        client._stream = new NetworkStream(client._socket);
        if (isTls)
            await client.OpenTlsAsync();
        return client;
    }

    public Task SendAsync(string text) => SendAsync(Encoding.Latin1.GetBytes(text));

    public async Task SendAsync(ReadOnlyMemory<byte> bytes) => await _stream.WriteAsync(bytes);

    /// <summary>Sends a line, and checks its whole reply.</summary>
    public Task ExpectAsync(string line, string reply) => ExchangeAsync(line + "\r\n", reply);

    /// <summary>Sends text as it is, and checks what comes back: as many bytes as the expected reply has.</summary>
    public async Task ExchangeAsync(string text, string reply)
    {
        await SendAsync(text);
        string actual = await ReadAsync(reply.Length);
        if (actual != reply)
            throw new InvalidDataException($"The reply is '{Begin(actual)}' and not '{Begin(reply)}'.");
    }

    /// <summary>The next bytes, of this count; fewer if the server closes the connection before.</summary>
    public async Task<string> ReadAsync(int count)
    {
        byte[] bytes = new byte[count];
        int length = 0;
        while (length < count && await ReceiveAsync(bytes.AsMemory(length)) is > 0 and var received)
            length += received;
        return Encoding.Latin1.GetString(bytes, 0, length);
    }

    /// <summary>Everything until the server closes the connection.</summary>
    public async Task<string> ReadToEndAsync()
    {
        var text = new StringBuilder();
        byte[] bytes = new byte[64 * 1024];
        while (await ReceiveAsync(bytes) is > 0 and var received)
            text.Append(Encoding.Latin1.GetString(bytes, 0, received));
        return text.ToString();
    }

    /// <summary>Says that nothing more will be sent; replies can still be read.</summary>
    public void EndSending() => _socket.Shutdown(SocketShutdown.Send);

    /// <summary>Goes away as a process that is killed: the server's next receive or send fails.</summary>
    public void Reset()
    {
        _socket.LingerState = new LingerOption(true, 0);
        _socket.Dispose();
    }

    public ValueTask DisposeAsync()
    {
        _socket.Dispose();
        return ValueTask.CompletedTask;
    }

    private static string Begin(string text) => text.Length <= 1000 ? text : text[..1000] + "…";

    private async Task OpenTlsAsync()
    {
        var tls = new SslStream(_stream);
        _stream = tls;
        await tls.AuthenticateAsClientAsync(new SslClientAuthenticationOptions
        {
            TargetHost = "localhost",
            RemoteCertificateValidationCallback = static (_, _, _, _) => true,
        });
    }

    private async Task<int> ReceiveAsync(Memory<byte> bytes)
    {
        using var patience = new CancellationTokenSource(_patience);
        return await _stream.ReadAsync(bytes, patience.Token);
    }
}
