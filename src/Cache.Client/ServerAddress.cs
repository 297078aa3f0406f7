using System.Diagnostics.CodeAnalysis;
using System.Globalization;
using System.Net;
using System.Net.Sockets;

namespace Cache.Client;

/// <summary>Where a server listens: host and port, or the path of a Unix socket (then the port is 0).</summary>
internal readonly record struct ServerAddress(string Host, int Port)
{
    private const int PortDefault = 6379;

    public bool IsUnix => Port == 0;

    /// <summary>Reads "host", "host:port", "[IPv6]:port", or an absolute path.</summary>
    public static bool TryParse(string text, out ServerAddress address)
    {
        address = default;
        if (text.StartsWith('/'))
        {
            address = new ServerAddress(text, 0);
            return true;
        }

        int colon = text.LastIndexOf(':');
        bool isBare = colon < 0
            || text.IndexOf(':', StringComparison.Ordinal) != colon && !text.Contains("]:", StringComparison.Ordinal);
        string host = (isBare ? text : text[..colon]).Trim('[', ']');
        int port = PortDefault;
        if (host.Length == 0 || host.Any(char.IsWhiteSpace))
            return false;
        if (!isBare && (!int.TryParse(text.AsSpan(colon + 1), NumberStyles.None, CultureInfo.InvariantCulture, out port)
            || port is < 1 or > IPEndPoint.MaxPort))
        {
            return false;
        }

        address = new ServerAddress(host, port);
        return true;
    }

    public override string ToString()
    {
        if (IsUnix)
            return Host;
        string host = Host.Contains(':', StringComparison.Ordinal) ? $"[{Host}]" : Host;
        return string.Create(CultureInfo.InvariantCulture, $"{host}:{Port}");
    }

    /// <exception cref="SocketException">Nothing listens there.</exception>
    [SuppressMessage("Reliability", "CA2000", Justification = "It is given to the caller, or disposed of.")]
    public async ValueTask<Socket> ConnectAsync(CancellationToken token)
    {
        var socket = IsUnix
            ? new Socket(AddressFamily.Unix, SocketType.Stream, ProtocolType.Unspecified)
            : new Socket(SocketType.Stream, ProtocolType.Tcp) { NoDelay = true };
        try
        {
            if (IsUnix)
                await socket.ConnectAsync(new UnixDomainSocketEndPoint(Host), token).ConfigureAwait(false);
            else
                await socket.ConnectAsync(Host, Port, token).ConfigureAwait(false);
            return socket;
        }
        catch
        {
            socket.Dispose();
            throw;
        }
    }
}
