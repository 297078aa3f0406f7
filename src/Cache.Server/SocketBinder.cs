using System.Net;
using System.Net.Sockets;
using Cache.Server.Diagnostics;
using Cache.Server.Transport;
using Cache.Server.Transport.Linux;
using Cache.Server.Transport.Tls;
using Microsoft.Extensions.Logging;

namespace Cache.Server;

/// <summary>Makes the listeners that the options ask for: all of them, or none.</summary>
internal static class SocketBinder
{
    /// <param name="options">The addresses and ports.</param>
    /// <param name="epoll">The loops that move bytes; null for the portable transport.</param>
    /// <param name="tls">Makes TLS connections of those of the TLS port; null without one.</param>
    /// <param name="timeProvider">The clock of listeners and connections.</param>
    /// <param name="logger">Told of addresses that are skipped, and of arrivals that fail.</param>
    /// <param name="cancellationToken">Ends the look-up of host names.</param>
    /// <exception cref="IOException">An address cannot be listened on; the message names it and says why.</exception>
    public static async ValueTask<IReadOnlyList<TransportListener>> BindAsync(
        RespServerOptions options,
        EpollTransport? epoll,
        Func<TransportListener, TlsListener>? tls,
        TimeProvider timeProvider,
        ILogger logger,
        CancellationToken cancellationToken)
    {
        var settings = new SocketTransportSettings
        {
            Backlog = options.Backlog,
            KeepAliveSeconds = (int)Math.Ceiling(options.TcpKeepAlive.TotalSeconds),
            UnixSocketMode = options.UnixSocketMode,
            TimeProvider = timeProvider,
            Listen = epoll is null ? null : epoll.Listen,
            LacksDescriptors = DescriptorLimit.IsReserveTouched,
            AcceptFailed = (endPoint, error, delay) => ServerLog.AcceptFailed(logger, endPoint, delay, error.Message),
        };
        var listeners = new List<TransportListener>();
        try
        {
            foreach (string text in options.Bind)
            {
                var address = BindAddress.Parse(text);
                foreach (var ip in await ResolveAsync(address, cancellationToken).ConfigureAwait(false))
                {
                    if (options.Port is { } port)
                        TryBind(address, new IPEndPoint(ip, port), settings, listeners.Add, logger);
                    if (tls is not null && options.TlsPort is { } tlsPort)
                    {
                        TryBind(
                            address, new IPEndPoint(ip, tlsPort), settings, one => listeners.Add(tls(one)), logger);
                    }
                }
            }

            if (options.UnixSocketPath is { } path)
                listeners.Add(Bind(new UnixDomainSocketEndPoint(path), settings));

            // Each may be absent, but a server that nobody can reach is none: Redis ends there too.
            return listeners.Count > 0
                ? listeners
                : throw new IOException(
                    $"Cannot listen on {string.Join(' ', options.Bind)}: this machine has none of the addresses.");
        }
        catch
        {
            foreach (var listener in listeners)
                await listener.DisposeAsync().ConfigureAwait(false);
            throw;
        }
    }

    private static void TryBind(
        BindAddress address,
        IPEndPoint endPoint,
        SocketTransportSettings settings,
        Action<TransportListener> add,
        ILogger logger)
    {
        try
        {
            add(Bind(endPoint, settings));
        }
        catch (IOException e) when (address.MayBeAbsent && IsAbsent(e.InnerException))
        {
            ServerLog.AddressSkipped(logger, address.Name);
        }
    }

    private static async ValueTask<IPAddress[]> ResolveAsync(BindAddress address, CancellationToken cancellationToken)
    {
        try
        {
            return await address.ResolveAsync(cancellationToken).ConfigureAwait(false);
        }
        catch (SocketException e)
        {
            throw new IOException($"Cannot listen on {address.Name}: {e.Message}.", e);
        }
    }

    private static SocketListener Bind(EndPoint endPoint, SocketTransportSettings settings)
    {
        try
        {
            return SocketListener.Bind(endPoint, settings);
        }
        catch (Exception e) when (e is SocketException or IOException or UnauthorizedAccessException)
        {
            throw new IOException($"Cannot listen on {endPoint}: {Explain(e, endPoint)}", e);
        }
    }

    // The system says of a missing folder that there is no such address.
    private static string Explain(Exception error, EndPoint endPoint) =>
        FindMissingFolder(endPoint) is { } folder ? $"the folder {folder} does not exist." : Explain(error);

    private static string Explain(Exception error) => (error as SocketException)?.SocketErrorCode switch
    {
        SocketError.AddressAlreadyInUse =>
            "another process listens there already. Stop it, or choose another port or address.",
        SocketError.AddressNotAvailable => "this machine does not have the address.",
        SocketError.AccessDenied => "the process lacks the right to; ports below 1024 often need more of it.",
        _ => error.Message,
    };

    private static string? FindMissingFolder(EndPoint endPoint)
    {
        string? folder = endPoint is UnixDomainSocketEndPoint
            ? Path.GetDirectoryName(Path.GetFullPath(endPoint.ToString()!))
            : null;
        return folder is null || Directory.Exists(folder) ? null : folder;
    }

    private static bool IsAbsent(Exception? error) =>
        (error as SocketException)?.SocketErrorCode
            is SocketError.AddressNotAvailable or SocketError.AddressFamilyNotSupported;
}
