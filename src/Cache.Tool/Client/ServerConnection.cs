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

    private ServerConnection(Socket socket, Stream stream)
    {
        _socket = socket;
        _stream = stream;
        _reader = new ReplyReader(stream);
    }

    /// <exception cref="ToolException">There is no server, or it refuses the password.</exception>
    public static ServerConnection Open(ServerAddress address)
    {
        Socket? socket = null;
        try
        {
            socket = Connect(address);
            var connection = new ServerConnection(socket, OpenStream(socket, address));
            connection.Authenticate(address);
            return connection;
        }
        catch (Exception failure) when (failure is SocketException or IOException or InvalidDataException
            or AuthenticationException or CryptographicException)
        {
            socket?.Dispose();
            throw new ToolException($"{address}: {failure.Message}");
        }
        catch
        {
            socket?.Dispose();
            throw;
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

        _stream.Write(request.GetBuffer().AsSpan(0, (int)request.Length));
    }

    /// <summary>Sends bytes of requests that were made before.</summary>
    public void SendRaw(ReadOnlySpan<byte> requests) => _stream.Write(requests);

    /// <summary>The next reply, which may be an error.</summary>
    public Reply Receive() => _reader.Read();

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

    private static Socket Connect(ServerAddress address)
    {
        var socket = address.SocketPath is null
            ? new Socket(SocketType.Stream, ProtocolType.Tcp) { NoDelay = true }
            : new Socket(AddressFamily.Unix, SocketType.Stream, ProtocolType.Unspecified);
        socket.SendTimeout = socket.ReceiveTimeout = PatienceMs;
        try
        {
            if (address.SocketPath is { } path)
                socket.Connect(new UnixDomainSocketEndPoint(path));
            else
                socket.Connect(address.Host, address.Port);
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
        });
        return tls;
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

    private void Authenticate(ServerAddress address)
    {
        if (address.Password is not { } password)
            return;
        var reply = address.User is { } user ? TryCall("AUTH", user, password) : TryCall("AUTH", password);
        if (reply.Kind == ReplyKind.Error)
            throw new ToolException($"{address}: {reply.Text}");
    }
}
