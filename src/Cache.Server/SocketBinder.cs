using System.Net;
using System.Net.Sockets;
using Cache.Server.Diagnostics;
using Cache.Server.Transport;
using Cache.Server.Transport.Linux;
using Cache.Server.Transport.Sockets;
using Cache.Server.Transport.Tls;
using Microsoft.Extensions.Logging;

namespace Cache.Server;

/// <summary>Creates the listeners of addresses, or explains why it cannot.</summary>
/// <param name="options">The addresses and ports of the start.</param>
/// <param name="epoll">The loops that move bytes; null for the portable transport.</param>
/// <param name="tls">
/// Wraps the connections of the TLS port in TLS; null without a TLS port, or without certificates.
/// </param>
/// <param name="timeProvider">The clock of listeners and connections.</param>
/// <param name="logger">Gets a line for each skipped address, and for failed arrivals.</param>
internal sealed class SocketBinder(
    RespServerOptions options,
    EpollTransport? epoll,
    Func<TransportListener, TlsListener>? tls,
    TimeProvider timeProvider,
    ILogger logger)
{
    private readonly SocketTransportSettings _settings = new()
    {
        Backlog = options.Backlog,
        KeepAliveSeconds = (int)Math.Ceiling(options.TcpKeepAlive.TotalSeconds),
        UnixSocketMode = options.UnixSocketMode,
        TimeProvider = timeProvider,
        Listen = epoll is null ? null : epoll.Listen,
        HasPeerGone = OperatingSystem.IsLinux() ? LinuxCalls.HasPeerGone : null,
        LacksDescriptors = DescriptorLimit.IsReserveTouched,
        AcceptFailed = (endPoint, error, delay) => ServerLog.AcceptFailed(logger, endPoint, delay, error.Message),
    };

    /// <summary>Changes the interval of TCP keep-alive.</summary>
    /// <param name="seconds">The interval; 0: none.</param>
    /// <param name="listeners">The present listeners; connections that they accept from now on have it too.</param>
    public void SetKeepAlive(int seconds, IEnumerable<TransportListener> listeners)
    {
        _settings.KeepAliveSeconds = seconds;
        foreach (var listener in listeners)
            listener.SetUpAgain();
    }

    /// <summary>Finds the options' addresses that cannot be listened on now; it listens on none.</summary>
    /// <param name="options">The addresses and ports.</param>
    /// <param name="problems">Receives an error for each.</param>
    public static void FindProblems(RespServerOptions options, List<string> problems)
    {
        var words = ListenWords.OfOptions;
        var bind = options.Bind.Where(static text => BindAddress.Parse(text).IsValid);
        int? tlsPort = options.TlsPort == options.Port ? null : options.TlsPort;
        foreach (var address in ListenAddress.Resolve(
            bind, PortOrNull(options.Port), PortOrNull(tlsPort), words, problems))
        {
            try
            {
                using var socket = SocketListener.Reserve(address.EndPoint);
            }
            catch (SocketException e)
            {
                if (!address.MayBeAbsent || !IsAbsent(e))
                    AddOnce(problems, Explain(e, address, words));
            }
        }
    }

    /// <summary>Listens on all of the options' addresses.</summary>
    /// <param name="problems">Receives an error for each address that cannot be listened on.</param>
    /// <param name="cancellationToken">Ends the look-up of host names.</param>
    /// <returns>The listeners; the caller closes them if there are problems.</returns>
    public async ValueTask<List<TransportListener>> BindAllAsync(
        List<string> problems, CancellationToken cancellationToken)
    {
        var words = ListenWords.OfOptions;
        var (addresses, unknown) = await Task.Run(Resolve, cancellationToken).WaitAsync(cancellationToken)
            .ConfigureAwait(false);
        problems.AddRange(unknown);
        var listeners = new List<TransportListener>();
        foreach (var address in addresses)
        {
            if (TryBind(address, words, problems, listeners) is { } listener)
                listeners.Add(listener);
        }

        if (options.UnixSocketPath is { } path && BindUnix(path, problems) is { } unix)
            listeners.Add(unix);

        // Each may be absent, but a server without any address is useless: Redis ends then too.
        if (listeners.Count == 0 && problems.Count == 0)
        {
            string bind = string.Join(' ', options.Bind);
            problems.Add($"{words.Bind} is '{bind}'; this machine has none of the addresses.");
        }

        return listeners;

        (List<ListenAddress> Addresses, List<string> Problems) Resolve()
        {
            var unknown = new List<string>();
            return (ListenAddress.Resolve(options.Bind, options.Port, options.TlsPort, words, unknown), unknown);
        }
    }

    /// <summary>Listens on an address.</summary>
    /// <param name="address">The address.</param>
    /// <param name="words">The names of the options in messages.</param>
    /// <param name="problems">Receives the reason if it cannot be listened on.</param>
    /// <param name="others">The server's other listeners.</param>
    /// <returns>Null if it cannot be listened on, or is absent and may be.</returns>
    public TransportListener? TryBind(
        ListenAddress address, ListenWords words, List<string> problems, IReadOnlyList<TransportListener> others)
    {
        try
        {
            var listener = SocketListener.Bind(address.EndPoint, _settings);
            return address.IsTls && tls is not null ? tls(listener) : listener;
        }
        catch (SocketException e)
        {
            if (address.MayBeAbsent && IsAbsent(e))
                ServerLog.AddressSkipped(logger, address.Text);
            else if (others.Any(one => Equals(one.EndPoint, address.EndPoint) || address.Overlaps(one.EndPoint)))
                problems.Add($"{words.Bind} has '{address.Text}'; this server listens on {address.EndPoint} already.");
            else
                AddOnce(problems, Explain(e, address, words));
            return null;
        }
    }

    // An address that the machine lacks is absent for both ports.
    private static void AddOnce(List<string> problems, string problem)
    {
        if (!problems.Contains(problem))
            problems.Add(problem);
    }

    // An error for values out of range was added before.
    private static int? PortOrNull(int? port) => port is >= 0 and <= ushort.MaxValue ? port : null;

    private SocketListener? BindUnix(string path, List<string> problems)
    {
        try
        {
            return SocketListener.Bind(new UnixDomainSocketEndPoint(path), _settings);
        }
        catch (Exception e) when (e is SocketException or IOException or UnauthorizedAccessException)
        {
            string option = RespServerOptions.Ref(nameof(options.UnixSocketPath));
            problems.Add($"{option} is '{path}'; cannot listen on it: {ExplainUnix(e, path)}");
            return null;
        }
    }

    private static string Explain(SocketException error, ListenAddress address, ListenWords words)
    {
        if (error.SocketErrorCode == SocketError.AddressNotAvailable)
            return $"{words.Bind} has '{address.Text}'; this machine does not have the address.";
        string port = address.IsTls ? words.TlsPort : words.Port;
        string place = $"{port} is {address.EndPoint.Port}; cannot listen on {address.EndPoint}";
        return $"{place}: {Explain(error)}";
    }

    private static string Explain(Exception error) => (error as SocketException)?.SocketErrorCode switch
    {
        SocketError.AddressAlreadyInUse =>
            "another process listens there already. Stop it, or choose another port or address.",
        SocketError.AccessDenied => "the process is not permitted to; ports below 1024 often need special rights.",
        _ => error.Message,
    };

    // For a missing folder, the system reports that there is no such address.
    internal static string ExplainUnix(Exception error, string path) =>
        Path.GetDirectoryName(Path.GetFullPath(path)) is { } folder && !Directory.Exists(folder)
            ? $"the folder {folder} does not exist."
            : error is SocketException { SocketErrorCode: SocketError.AccessDenied }
                ? "the process is not permitted to."
                : Explain(error);

    private static bool IsAbsent(SocketException error) =>
        error.SocketErrorCode is SocketError.AddressNotAvailable or SocketError.AddressFamilyNotSupported;
}
