using System.Net;
using System.Net.Security;
using System.Net.Sockets;
using System.Security.Authentication;
using System.Security.Cryptography;
using System.Security.Cryptography.X509Certificates;
using System.Text;
using Cache.Tool.Verbs;

namespace Cache.Tool.Client;

/// <summary>A connection to a server: sends commands, and reads their replies in order.</summary>
internal sealed class ServerConnection : IDisposable
{
    // A server that does not answer for so long is one that somebody has to look at by other means.
    private const int PatienceMs = 10_000;

    private readonly Socket _socket;
    private readonly Stream _stream;
    private readonly ReplyReader _reader;
    private readonly ServerAddress _address;

    private ServerConnection(ServerAddress address, Socket socket, Stream stream, int replyBytesMax)
    {
        _address = address;
        _socket = socket;
        _stream = stream;
        _reader = new ReplyReader(stream, replyBytesMax);
    }

    /// <exception cref="ToolException">There is no server, or it refuses the password.</exception>
    /// <param name="address">Where it is.</param>
    /// <param name="patienceMs">How long a reply may take.</param>
    /// <param name="replyBytesMax">The longest text of a reply.</param>
    public static ServerConnection Open(
        ServerAddress address, int patienceMs = PatienceMs, int replyBytesMax = ReplyReader.BytesMax)
    {
        Socket? socket = null;
        try
        {
            socket = Connect(address, patienceMs);
            var connection = new ServerConnection(address, socket, OpenStream(socket, address), replyBytesMax);
            connection.Authenticate(address);
            return connection;
        }
        catch (Exception failure) when (failure is SocketException or IOException or InvalidDataException
            or AuthenticationException or CryptographicException)
        {
            socket?.Dispose();
            throw new ToolException($"{address}: {failure.Message}{HintFor(address, failure)}");
        }
        catch
        {
            socket?.Dispose();
            throw;
        }
    }

    /// <summary>What the server sends behind the replies that were received.</summary>
    public Stream Stream => _stream;

    public int LocalPort => (_socket.LocalEndPoint as IPEndPoint)?.Port ?? 0;

    /// <summary>Ends what waits for the server, on any thread.</summary>
    public void Abort()
    {
        try
        {
            _socket.Shutdown(SocketShutdown.Both);
        }
        catch (Exception failure) when (failure is SocketException or ObjectDisposedException)
        {
            // It has ended already.
        }
    }

    /// <summary>Sends a command without waiting for its reply.</summary>
    public void Send(params ReadOnlySpan<byte[]> words)
    {
        using var request = new MemoryStream();
        request.Write(Encoding.ASCII.GetBytes($"*{words.Length}\r\n"));
        foreach (byte[] word in words)
        {
            request.Write(Encoding.ASCII.GetBytes($"${word.Length}\r\n"));
            request.Write(word);
            request.Write("\r\n"u8);
        }

        SendRaw(request.GetBuffer().AsSpan(0, (int)request.Length));
    }

    /// <summary>Sends bytes of requests that were made before.</summary>
    public void SendRaw(ReadOnlySpan<byte> requests)
    {
        try
        {
            _stream.Write(requests);
        }
        catch (IOException failure)
        {
            throw Failed(failure);
        }
    }

    /// <summary>The next reply, which may be an error.</summary>
    public Reply Receive()
    {
        try
        {
            return _reader.Read();
        }
        catch (Exception failure) when (failure is IOException or InvalidDataException)
        {
            throw Failed(failure);
        }
    }

    /// <summary>Calls a command, whose reply may be an error.</summary>
    public Reply TryCall(params ReadOnlySpan<string> words)
    {
        var bytes = new byte[words.Length][];
        for (int i = 0; i < words.Length; i++)
            bytes[i] = Encoding.UTF8.GetBytes(words[i]);
        Send(bytes);
        return Receive();
    }

    /// <summary>Calls a command.</summary>
    /// <exception cref="ToolException">The server refuses it.</exception>
    public Reply Call(params ReadOnlySpan<string> words)
    {
        var reply = TryCall(words);
        return reply.Kind == ReplyKind.Error
            ? throw new ToolException($"{string.Join(' ', words[..Math.Min(2, words.Length)])}: {reply.Text}")
            : reply;
    }

    /// <summary>The fields of sections of INFO.</summary>
    public Dictionary<string, string> Info(params ReadOnlySpan<string> sections)
    {
        var fields = new Dictionary<string, string>(StringComparer.Ordinal);
        foreach (string line in Call(["INFO", .. sections]).Text.Split("\r\n"))
        {
            int colon = line.IndexOf(':', StringComparison.Ordinal);
            if (colon > 0)
                fields[line[..colon]] = line[(colon + 1)..];
        }

        return fields;
    }

    public void Dispose()
    {
        _stream.Dispose();
        _socket.Dispose();
    }

    private static Socket Connect(ServerAddress address, int patienceMs)
    {
        var socket = address.SocketPath is null
            ? new Socket(SocketType.Stream, ProtocolType.Tcp) { NoDelay = true }
            : new Socket(AddressFamily.Unix, SocketType.Stream, ProtocolType.Unspecified);
        socket.SendTimeout = socket.ReceiveTimeout = patienceMs;
        try
        {
            if (address.SocketPath is { } path)
                socket.Connect(new UnixDomainSocketEndPoint(path));
            else
                Connect(socket, address, Math.Min(patienceMs, PatienceMs));
            return socket;
        }
        catch (ArgumentException failure)
        {
            socket.Dispose();
            throw new ToolException($"{address}: {failure.Message}"); // A path that no socket can have.
        }
        catch
        {
            socket.Dispose();
            throw;
        }
    }

    // The system's own patience with a machine that does not answer is two minutes.
    private static void Connect(Socket socket, ServerAddress address, int patienceMs)
    {
        using var limit = new CancellationTokenSource(TimeSpan.FromMilliseconds(patienceMs), TimeProvider.System);
        try
        {
            socket.ConnectAsync(address.Host, address.Port, limit.Token).AsTask().GetAwaiter().GetResult();
        }
        catch (OperationCanceledException)
        {
            throw new SocketException((int)SocketError.TimedOut);
        }
    }

    private static Stream OpenStream(Socket socket, ServerAddress address)
    {
        var stream = new NetworkStream(socket);
        if (!address.UsesTls)
            return stream;
        var tls = new SslStream(stream);
        tls.AuthenticateAsClient(new SslClientAuthenticationOptions
        {
            TargetHost = address.Host,
            CertificateChainPolicy = address.CaFile is { } file ? PolicyOf(file) : null,
            ClientCertificates = address.CertificateFile is { } own ? [CertificateOf(own, address.KeyFile)] : null,
        });
        return tls;
    }

    // By way of PKCS #12: keys that are in no store cannot be used everywhere.
    private static X509Certificate2 CertificateOf(string file, string? keyFile)
    {
        using var pem = X509Certificate2.CreateFromPemFile(file, keyFile);
        return X509CertificateLoader.LoadPkcs12(pem.Export(X509ContentType.Pkcs12), null);
    }

    private static X509ChainPolicy PolicyOf(string file)
    {
        var policy = new X509ChainPolicy
        {
            TrustMode = X509ChainTrustMode.CustomRootTrust,
            RevocationMode = X509RevocationMode.NoCheck,
        };
        policy.CustomTrustStore.ImportFromPemFile(file);
        return policy;
    }

    private ToolException Failed(Exception failure) => new(
        failure.InnerException is SocketException { SocketErrorCode: SocketError.TimedOut or SocketError.WouldBlock }
            ? $"{_address}: the server has not answered for {_socket.ReceiveTimeout / 1000} seconds."
            : $"{_address}: {failure.Message}{HintFor(_address, failure)}");

    // TLS 1.3 tells of a missing certificate behind the handshake, by an end.
    private static string HintFor(ServerAddress address, Exception failure) =>
        address is { UsesTls: true, CertificateFile: null } && failure is IOException
            ? " Does it ask for a certificate of the client? --cert FILE and --key FILE give one."
            : "";

    private void Authenticate(ServerAddress address)
    {
        if (address.Password is not { } password)
            return;
        var reply = address.User is { } user ? TryCall("AUTH", user, password) : TryCall("AUTH", password);
        bool isRefused = reply.Kind == ReplyKind.Error
            && (!address.IsPasswordOfEnvironment || reply.Text.StartsWith("WRONGPASS", StringComparison.Ordinal));
        if (isRefused)
            throw new ToolException($"{address}: {reply.Text}");
    }
}
