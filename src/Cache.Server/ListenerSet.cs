using System.Net;
using Cache.Server.Diagnostics;
using Cache.Server.Settings;
using Cache.Server.Transport;
using Cache.Server.Transport.Tls;
using Microsoft.Extensions.Logging;

namespace Cache.Server;

/// <summary>
/// The listeners of a server, which may change while it runs; each change is made as a whole or not at all.
/// </summary>
/// <remarks>
/// Algorithm: a change keeps the listeners whose addresses stay, opens the new ones, then closes the others, so that
/// the server always listens. A listener that conflicts with a new one, as 127.0.0.1 with *, is closed before; if the
/// new one fails the old one is opened again. Accepted connections continue.
/// Concurrency: everything under the gate, but names are looked up before it is taken, since that may take seconds;
/// changes come one at a time, under the lock of CONFIG SET.
/// </remarks>
/// <param name="accept">Accepts from a listener until it is closed.</param>
/// <param name="logger">Gets a line for each address that the server begins or ceases to listen on.</param>
internal sealed class ListenerSet(Func<TransportListener, Task> accept, ILogger logger)
{
    private readonly Lock _gate = new();

    // Guarded by the gate. The tasks of closed listeners stay until they end.
    private readonly List<Task> _accepting = [];
    private List<TransportListener> _listeners = [];
    private bool _isClosed;

    // Replaced as a whole under the gate, read by any thread.
    private volatile EndPoint[] _endPoints = [];
    private volatile EndPoint[] _tlsEndPoints = [];

    /// <summary>The addresses that it listens on.</summary>
    public IReadOnlyList<EndPoint> EndPoints => _endPoints;

    /// <summary>Those of them that use TLS.</summary>
    public IReadOnlyList<EndPoint> TlsEndPoints => _tlsEndPoints;

    /// <summary>Accepts from the listeners of the start.</summary>
    public void Open(IReadOnlyList<TransportListener> listeners)
    {
        lock (_gate)
        {
            Publish([.. listeners]);
            foreach (var listener in listeners)
            {
                Log(listener);
                _accepting.Add(accept(listener));
            }
        }
    }

    /// <summary>Changes the addresses that it listens on; the Unix socket stays.</summary>
    /// <param name="binder">Creates the listeners.</param>
    /// <param name="place">The new addresses.</param>
    /// <param name="present">
    /// The present addresses: if a port is unchanged only a listener's address counts, since the system may have chosen
    /// several ports.
    /// </param>
    /// <returns>Whether the change was made; if not, the log says why, and everything is as before.</returns>
    public bool TryChange(SocketBinder binder, in ListenPlace place, in ListenPlace present)
    {
        var problems = new List<string>();
        var wanted = ListenAddress.Resolve(
            place.Bind.Length == 0 ? [] : place.Bind.Split(' '),
            place.Port == 0 ? null : place.Port,
            place.TlsPort == 0 ? null : place.TlsPort,
            ListenWords.OfConfig,
            problems);
        if (problems.Count == 0)
        {
            bool keepsPort = place.Port == present.Port;
            bool keepsTlsPort = place.TlsPort == present.TlsPort;
            lock (_gate)
            {
                if (_isClosed || TryChange(binder, wanted, isTls => isTls ? keepsTlsPort : keepsPort, problems))
                    return !_isClosed;
            }
        }

        ServerLog.ListenRefused(logger, string.Join(' ', problems));
        return false;
    }

    /// <summary>Changes the interval of TCP keep-alive for new connections.</summary>
    /// <param name="binder">Creates the listeners.</param>
    /// <param name="seconds">The interval; 0: none.</param>
    public void SetKeepAlive(SocketBinder binder, int seconds)
    {
        lock (_gate)
            binder.SetKeepAlive(seconds, _isClosed ? [] : _listeners);
    }

    /// <summary>Closes all listeners.</summary>
    /// <returns>A task that ends when no connection is accepted any more.</returns>
    public Task Close()
    {
        lock (_gate)
        {
            _isClosed = true;
            foreach (var listener in _listeners)
                listener.Close();
            return Task.WhenAll(_accepting);
        }
    }

    /// <summary>Logs that the server no longer listens.</summary>
    public void Forget()
    {
        lock (_gate)
            Publish([]);
    }

    private bool TryChange(
        SocketBinder binder, List<ListenAddress> wanted, Predicate<bool> keepsPort, List<string> problems)
    {
        var left = _listeners.FindAll(static one => one.EndPoint is IPEndPoint);
        var next = new TransportListener?[wanted.Count];
        for (int i = 0; i < next.Length; i++)
        {
            next[i] = left.Find(one => StandsFor(one, wanted[i], keepsPort(wanted[i].IsTls)));
            if (next[i] is { } same)
                left.Remove(same);
        }

        var inTheWay = left.FindAll(one => wanted.Exists(address => address.Overlaps(one.EndPoint)));
        Bind(binder, wanted, next, address => !IsBlocked(address), problems);
        if (problems.Count == 0 && inTheWay.Count > 0)
        {
            inTheWay.ForEach(Close);
            Bind(binder, wanted, next, IsBlocked, problems);
            left.RemoveAll(inTheWay.Contains);
        }

        var opened = next.OfType<TransportListener>().Except(_listeners).ToList();
        if (problems.Count > 0)
        {
            opened.ForEach(static one => one.Close());
            OpenAgain(binder, inTheWay.Except(left));
            return false;
        }

        left.ForEach(Close);
        var others = _listeners.FindAll(static one => one.EndPoint is not IPEndPoint);
        Publish([.. next.OfType<TransportListener>(), .. others]);
        opened.ForEach(Accept);
        return true;

        bool IsBlocked(ListenAddress address) => inTheWay.Exists(one => address.Overlaps(one.EndPoint));
    }

    private void Bind(
        SocketBinder binder,
        List<ListenAddress> wanted,
        TransportListener?[] next,
        Func<ListenAddress, bool> isMeant,
        List<string> problems)
    {
        for (int i = 0; i < next.Length; i++)
        {
            if (next[i] is null && isMeant(wanted[i]))
            {
                List<TransportListener> others = [.. _listeners, .. next.OfType<TransportListener>()];
                next[i] = binder.TryBind(wanted[i], ListenWords.OfConfig, problems, others);
            }
        }
    }

    // Opens again what was closed for a failed change. Another process may have taken the address.
    private void OpenAgain(SocketBinder binder, IEnumerable<TransportListener> closed)
    {
        foreach (var one in closed)
        {
            var problems = new List<string>();
            var endPoint = (IPEndPoint)one.EndPoint;
            var address = new ListenAddress($"{endPoint}", endPoint, one is TlsListener, MayBeAbsent: false);
            var again = binder.TryBind(address, ListenWords.OfConfig, problems, []);
            Publish(_listeners.ConvertAll(other => other == one ? again : other).OfType<TransportListener>());
            if (again is null)
                ServerLog.ListenLost(logger, one.EndPoint, string.Join(' ', problems));
            else
                Accept(again);
        }
    }

    private static bool StandsFor(TransportListener listener, ListenAddress address, bool keepsPort)
    {
        var endPoint = (IPEndPoint)listener.EndPoint;
        return listener is TlsListener == address.IsTls
            && endPoint.Address.Equals(address.EndPoint.Address)
            && (keepsPort || endPoint.Port == address.EndPoint.Port);
    }

    // On a thread of the pool, since a client that has connected meanwhile may be served at once.
    private void Accept(TransportListener listener)
    {
        Log(listener);
        _accepting.RemoveAll(static task => task.IsCompleted);
        _accepting.Add(Task.Run(() => accept(listener)));
    }

    private void Close(TransportListener listener)
    {
        listener.Close();
        ServerLog.ListensNoMore(logger, listener.EndPoint);
    }

    private void Publish(IEnumerable<TransportListener> listeners)
    {
        _listeners = [.. listeners];
        _endPoints = [.. _listeners.Select(static one => one.EndPoint)];
        _tlsEndPoints = [.. _listeners.OfType<TlsListener>().Select(static one => one.EndPoint)];
    }

    private void Log(TransportListener listener)
    {
        if (listener is TlsListener)
            ServerLog.ListeningForTls(logger, listener.EndPoint);
        else
            ServerLog.Listening(logger, listener.EndPoint);
    }
}
