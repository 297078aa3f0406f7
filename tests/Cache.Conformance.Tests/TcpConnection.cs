using System.Net;
using System.Net.Security;
using System.Net.Sockets;
using System.Text;

namespace Cache.Conformance.Tests;

/// <summary>A client's socket, without any knowledge of the protocol. In texts, a char is a byte.</summary>
internal sealed class TcpConnection : IDisposable
{
    // Long enough for a busy machine; a reply that never comes fails the test instead of hanging it.
    private static readonly TimeSpan s_patience = TimeSpan.FromSeconds(30);

    private readonly Socket _socket = new(AddressFamily.InterNetwork, SocketType.Stream, ProtocolType.Tcp)
    {
        NoDelay = true,
    };

    // The bytes of the socket, or their text.
    private Stream _stream = Stream.Null;

    public static async Task<TcpConnection> OpenAsync(IPEndPoint endPoint, bool isTls)
    {
        var connection = new TcpConnection();
        await connection._socket.ConnectAsync(endPoint, TestContext.Current.CancellationToken);
        connection._stream = new NetworkStream(connection._socket);
        if (isTls)
            await connection.OpenTlsAsync();
        return connection;
    }

    public Task SendAsync(string text) => SendAsync(Encoding.Latin1.GetBytes(text));

    public async Task SendAsync(ReadOnlyMemory<byte> bytes) =>
        await _stream.WriteAsync(bytes, TestContext.Current.CancellationToken);

    /// <summary>Sends, and reads as many bytes as the expected reply has.</summary>
    public async Task ExpectAsync(string request, string reply)
    {
        await SendAsync(request);
        Assert.Equal(reply, await ReadAsync(reply.Length));
    }

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

    public void Dispose() => _socket.Dispose();

    private async Task OpenTlsAsync()
    {
        var tls = new SslStream(_stream);
        _stream = tls;
        await tls.AuthenticateAsClientAsync(
            new SslClientAuthenticationOptions
            {
                TargetHost = "localhost",
                RemoteCertificateValidationCallback = static (_, _, _, _) => true,
            },
            TestContext.Current.CancellationToken);
    }

    private async Task<int> ReceiveAsync(Memory<byte> bytes)
    {
        using var patience = CancellationTokenSource.CreateLinkedTokenSource(TestContext.Current.CancellationToken);
        patience.CancelAfter(s_patience);
        return await _stream.ReadAsync(bytes, patience.Token);
    }
}
