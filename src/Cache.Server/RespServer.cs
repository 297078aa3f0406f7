using System.Net;
using System.Text;
using Cache.Core;
using Cache.Durability;
using Cache.Server.Clients;
using Cache.Server.Commands;
using Cache.Server.Commands.Administration;
using Cache.Server.Commands.Cluster;
using Cache.Server.Commands.Dispatch;
using Cache.Server.Commands.Scripts;
using Cache.Server.Commands.Table;
using Cache.Server.Connections;
using Cache.Server.Diagnostics;
using Cache.Server.Scripts;
using Cache.Server.Security;
using Cache.Server.Settings;
using Cache.Server.Statistics;
using Cache.Server.Transport;
using Cache.Server.Transport.Linux;
using Cache.Server.Transport.Tls;
using Microsoft.Extensions.Logging;
using Microsoft.Extensions.Logging.Abstractions;

namespace Cache.Server;

/// <summary>
/// A server of the Redis protocol, versions 2 and 3, over a <see cref="CacheStore"/>.
/// </summary>
/// <remarks>
/// Starts once and stops once. The caller still owns the store, may use it in process meanwhile, and disposes it after
/// stopping the server. If the store is disposed first, the server logs that, answers requests for the store with an
/// error, and stops.
/// All members are thread-safe.
/// <para>
/// If the environment variable DOTNET_SYSTEM_NET_SOCKETS_INLINE_COMPLETIONS is 1 before the process uses its first
/// socket, the runtime completes socket operations on the thread that polls them, and a request is answered without a
/// change of threads: about half the work per request. It applies to all sockets of the process; set it only if this
/// server is the purpose of the process, and no other code blocks in the continuation of a socket operation.
/// </para>
/// <example><code>
/// await using var server = new RespServer(store, new RespServerOptions { Port = 6379 });
/// await server.StartAsync(cancellationToken);
/// </code></example>
/// </remarks>
public sealed partial class RespServer : IAsyncDisposable
{
    private static readonly TimeSpan _silentLoad = TimeSpan.FromMilliseconds(500);

    private readonly RespServerOptions _options;
    private readonly ServerState _state;
    private readonly ILogger _logger;
    private readonly QueuedLogger _adminLogger;
    private readonly Func<List<string>, CancellationToken, ValueTask<IReadOnlyList<TransportListener>>> _bind;
    private readonly ConnectionAcceptor<CommandExecutor> _acceptor;
    private readonly SemaphoreSlim _turn = new(1, 1);
    private readonly ListenerSet _listeners;
    private SocketBinder? _binder;
    private Task? _load;
    private IdleSweep? _idleSweep;
    private KeyspaceSweep? _keyspaceSweep;
    private EpollTransport? _epoll;
    private bool _wasStarted;
    private bool _wasStopped;
    private int _storeWasDisposed;

    /// <summary>Creates a server that does not listen yet.</summary>
    /// <param name="store">The store that the clients share.</param>
    /// <param name="options">Where to listen, and the limits; later changes have no effect.</param>
    /// <param name="loggerFactory">Creates the log; null for none.</param>
    /// <exception cref="ArgumentException">An option is out of range; the message names each.</exception>
    public RespServer(CacheStore store, RespServerOptions options, ILoggerFactory? loggerFactory = null)
        : this(store, options, loggerFactory, bind: null)
    {
    }

    /// <summary>The channels of its clients, for the process.</summary>
    public RespPubSub PubSub { get; }

    // With listeners of another transport.
    internal RespServer(
        CacheStore store,
        RespServerOptions options,
        ILoggerFactory? loggerFactory,
        Func<IReadOnlyList<TransportListener>>? bind)
    {
        ArgumentNullException.ThrowIfNull(store);
        ArgumentNullException.ThrowIfNull(options);
        options.ThrowIfInvalid();
        _options = options;
        var logger = new LevelledLogger(
            (loggerFactory ?? NullLoggerFactory.Instance).CreateLogger<RespServer>(), options.LogLevel);
        _logger = logger;
        _adminLogger = new QueuedLogger(logger);
        _bind = bind is null
            ? BindSocketsAsync
            : (_, _) => ValueTask.FromResult(bind());
        var commands = CommandTable.Default.Rename(options.RenamedCommands);
        _state = new ServerState(store, ToSettings(options, store), commands, CommandFamilies.Handlers)
        {
            Scripts = options.ScriptInterpreter is { } create
                ? new ServerScripts(create, outline => ScriptPlan.Create(outline, commands))
                : null,
            CertificateUsers = new CertificateUsers(options.TlsPort is null ? [] : options.TlsClientUsers),
            ScriptLogged = LogOfScript,
            CommandThrew = (command, exception) => ServerLog.CommandThrew(_logger, command, exception),
            StoreWasDisposed = EndWithStore,
            Stop = options.ShutdownRequested is { } stop ? client => RequestStop(stop, client) : null,
            EndProcess = options.ShutdownRequested is null ? null : EndProcess,
            UnsafeActionTaken =
                (client, action, reason) => ServerLog.UnsafeAction(_adminLogger, client, action, reason),
            Listen = bind is null ? TryListen : null,
            KeepAliveChanged = bind is null ? seconds => _listeners!.SetKeepAlive(_binder!, seconds) : null,
            ConfigRewritten = LogRewrite,
            LogListenRefused = problem => ServerLog.ListenRefused(_logger, problem),
            LimitMet = NoteLimit,
        };
        PubSub = new RespPubSub(_state.Channels);
        _state.Settings.LogLevel = logger.Control;
        _state.Databases.Changing = options.Durability is { } durability ? durability.TryChangeDatabases : null;
        if (options.Durability is { } kept)
            KeptFunctions.Attach(_state, kept);
        UserOptions.Apply(options, _state.Users);
        var pacer = new AcceptPacer(options.AcceptsPerSecond, store.TimeProvider);
        _acceptor = new ConnectionAcceptor<CommandExecutor>(_state, default, _logger, pacer);
        _listeners = new ListenerSet(_acceptor.AcceptAsync, _logger);
    }

    /// <summary>The version of this server, such as "0.1.0".</summary>
    public static string Version => ServerState.Version;

    /// <summary>The version of Redis whose commands and replies are implemented.</summary>
    public static string RedisVersion { get; } = Encoding.ASCII.GetString(ServerState.RedisVersion);

    /// <summary>
    /// The addresses that the server listens on, with the ports that the system chose; empty unless started. CONFIG SET
    /// of port and bind changes them.
    /// </summary>
    public IReadOnlyList<EndPoint> EndPoints => _listeners.EndPoints;

    /// <summary>Those of <see cref="EndPoints"/> that use TLS.</summary>
    public IReadOnlyList<EndPoint> TlsEndPoints => _listeners.TlsEndPoints;

    /// <summary>Whether the default user accepts any password, as it does while none is set.</summary>
    public bool NeedsNoPassword => _state.Users.NeedsNoPassword;

    internal ServerState State => _state;

    /// <summary>Whether it was started, perhaps a moment ago.</summary>
    internal bool WasStarted => Volatile.Read(ref _wasStarted);

    /// <summary>The live connections.</summary>
    internal IEnumerable<LiveConnection> Connections => _acceptor.Live;

    internal LongWorkers Workers => _acceptor.Workers;

    /// <summary>
    /// Listens on all addresses, and accepts clients from then on; then loads the files of
    /// <see cref="RespServerOptions.Durability"/>, and answers <c>-LOADING</c> meanwhile.
    /// </summary>
    /// <exception cref="IOException">
    /// An address cannot be listened on, or a file of TLS or of users cannot be used. The message has a line for each,
    /// which names the option, its value and the reason; or files of the store cannot be loaded. Then the server does
    /// not listen.
    /// </exception>
    /// <exception cref="InvalidOperationException">The server was started before.</exception>
    /// <exception cref="ObjectDisposedException">The store was disposed.</exception>
    /// <exception cref="OperationCanceledException">The token was canceled.</exception>
    public async Task StartAsync(CancellationToken cancellationToken)
    {
        await _turn.WaitAsync(cancellationToken).ConfigureAwait(false);
        try
        {
            if (_wasStarted || _wasStopped)
                throw new InvalidOperationException("A server starts only once.");
            ObjectDisposedException.ThrowIf(_state.IsStoreDisposed, _state.Store);
            ServerLog.Starting(_logger, Version, RedisVersion, Environment.ProcessId);
            await BindAllAsync(cancellationToken).ConfigureAwait(false);
            _wasStarted = true;
        }
        finally
        {
            _turn.Release();
        }

        if (_load is { } load)
            await EndLoadAsync(load).ConfigureAwait(false);
    }

    /// <summary>
    /// Stops accepting, answers the requests that were received completely, and ends all connections; those that take
    /// longer than <see cref="RespServerOptions.DrainTimeout"/> are aborted. A command that takes even longer, over
    /// millions of keys for example, is not waited for: it ends by itself, and the log names it. Does nothing the
    /// second time, or before the start.
    /// </summary>
    /// <param name="cancellationToken">Aborts the connections at once.</param>
    public async Task StopAsync(CancellationToken cancellationToken)
    {
        await _turn.WaitAsync(CancellationToken.None).ConfigureAwait(false);
        try
        {
            if (!_wasStarted || _wasStopped)
                return;
            Volatile.Write(ref _wasStopped, true);
            var accepting = _listeners.Close();
            _acceptor.EndAccepting();
            await accepting.ConfigureAwait(false);
            await _acceptor.StopAsync(_options.DrainTimeout, cancellationToken).ConfigureAwait(false);
            await _idleSweep!.DisposeAsync().ConfigureAwait(false);
            await _keyspaceSweep!.DisposeAsync().ConfigureAwait(false);
            if (_epoll?.End() is > 0 and var loopsLeft)
                ServerLog.LoopsLeft(_logger, loopsLeft);
            _acceptor.Dispose();
            _certificates?.Dispose();
            _listeners.Forget();
            _state.Scripts?.Dispose();
            _state.Notifications.Set(EventClasses.None);
            CloseAdminSocket();
            ServerLog.Stopped(_logger);
        }
        finally
        {
            _turn.Release();
        }
    }

    /// <summary>
    /// Reads the files of TLS, of users and of a cluster's slots again, and logs for each whether it was reloaded, is
    /// unchanged, or was refused, and why; a refused file changes nothing. Clients of replaced users are disconnected,
    /// as by ACL LOAD; none is if the users are unchanged. Does nothing before the start and after the stop.
    /// </summary>
    public async Task ReloadAsync()
    {
        await _turn.WaitAsync(CancellationToken.None).ConfigureAwait(false);
        try
        {
            if (!_wasStarted || _wasStopped)
                return;
            if (_certificates?.LookNow() == true)
                ServerLog.CertificateUnchanged(_logger);
            if (_options.AclFile is { Length: > 0 } path)
                ReloadUsers(path);
            if (_state.Cluster?.File is { } file)
                ReloadMap(file);
        }
        finally
        {
            _turn.Release();
        }
    }

    // Redis's levels: debug, verbose, notice, warning.
    private void LogOfScript(int level, string text)
    {
        if (level < 2)
            ServerLog.ScriptSaidInDetail(_adminLogger, text);
        else if (level == 2)
            ServerLog.ScriptSaid(_adminLogger, text);
        else
            ServerLog.ScriptWarned(_adminLogger, text);
    }

    /// <summary>Stops the server as <see cref="StopAsync"/> does.</summary>
    public async ValueTask DisposeAsync() => await StopAsync(CancellationToken.None).ConfigureAwait(false);

    // As in Redis: during a short load clients wait to be accepted, during a longer one they get an error.
    private async Task BeginLoadAsync(CacheDurability durability, CancellationToken cancellationToken)
    {
        durability.Loaded = _state.Databases.Restore;
        if (durability.Databases is { } keyspaces) // It was loaded before.
            _state.Databases.Restore(keyspaces);
        KeptFunctions.Load(_state, durability);
        _load = durability.StartAsync(cancellationToken);
        await _load.WaitAsync(_silentLoad, TimeProvider.System, cancellationToken)
            .ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
        if (_load.IsCompleted)
            await _load.ConfigureAwait(false);
    }

    private async Task EndLoadAsync(Task load)
    {
        try
        {
            await load.ConfigureAwait(false);
        }
        catch
        {
            await StopAsync(CancellationToken.None).ConfigureAwait(false);
            throw;
        }
    }

    // Not on the thread of the client's connection, which the stop waits for, nor on one of the pool: all may hang.
    private void RequestStop(Action stop, string client)
    {
        ServerLog.ShutdownRequested(_adminLogger, client);
        new Thread(() => CallStop(stop)) { IsBackground = true, Name = "cache shutdown" }.Start();
    }

    private void CallStop(Action stop)
    {
        try
        {
            stop();
        }
#pragma warning disable CA1031 // The exception is the program's; the server continues.
        catch (Exception e)
#pragma warning restore CA1031
        {
            ServerLog.ShutdownFailed(_logger, e);
        }
    }

    // Called by the first that notices it: a command, or the sweep. Commands that a stop has left behind notice it too
    // late.
    private void EndWithStore()
    {
        if (Volatile.Read(ref _wasStopped) || Interlocked.Exchange(ref _storeWasDisposed, 1) != 0)
            return;
        ServerLog.StoreWasDisposed(_logger);
        _ = Task.Run(() => StopAsync(CancellationToken.None));
    }

    private void NoteLimit(ConnectionLimit limit, string client, long value, long unlogged)
    {
        string description = LimitText.Describe(limit, value);
        string repeats = LimitText.Repeats(unlogged);
        ServerLog.LimitMet(_logger, client, description, repeats);
        bool isLogIn = limit is ConnectionLimit.AuthenticationFailure or ConnectionLimit.AuthenticationDelay
            or ConnectionLimit.CertificateUser;
        _state.NoteEvent(isLogIn ? EventKinds.LogIn : EventKinds.Limit, description + repeats, client);
    }

    private void LogRewrite(string? problem)
    {
        if (problem is null)
            ServerLog.ConfigRewritten(_logger, _state.Settings.ConfigurationFile);
        else
            ServerLog.ConfigNotRewritten(_logger, _state.Settings.ConfigurationFile, problem);
    }

    // On this thread, for some seconds if there are many keys: whoever asked for it waits for the end.
    private void ReloadMap(string path)
    {
        string? problem;
        bool isTaken = false;
        if (ClusterOptions.TryReadFile(path, out problem) is { } map)
            isTaken = MapChange.TryTake(map, _state, own: null, keep: null, out problem);
        if (problem is not null)
            ServerLog.MapRefused(_logger, path, problem);
        else if (isTaken)
            ServerLog.MapReloaded(_logger, path);
        else
            ServerLog.MapUnchanged(_logger, path);
    }

    private void ReloadUsers(string path)
    {
        try
        {
            var users = AclFile.Read(path, _state.Users.GivesAllChannels);
            if (_state.Users.AreThe(users))
            {
                ServerLog.UsersUnchanged(_logger, path);
                return;
            }

            _state.Clients.Disconnect(_state.Users.ReplaceAll(users), caller: null);
            _state.EndUnentitled(_state.Users.Default, caller: null);
            ServerLog.UsersReloaded(_logger, path);
        }
        catch (AclFileException e)
        {
            ServerLog.UsersRefused(_logger, path, e.Message);
        }
    }

    // Reports all obstacles to a start at once.
    private async ValueTask BindAllAsync(CancellationToken cancellationToken)
    {
        var problems = new List<string>();
        var users = UserOptions.Read(_options, _state.Users.GivesAllChannels, problems);
        var settings = _state.Settings;
        _state.Cluster = ClusterOptions.Read(
            _options.KeptParameters, [_options.Port, _options.TlsPort], () => ClusterDirectives.NeedsAllSlots(settings),
            problems);
        IReadOnlyList<TransportListener> listeners = [];
        try
        {
            OpenAdminSocket(problems);
            listeners = await _bind(problems, cancellationToken).ConfigureAwait(false);
            if (problems.Count > 0)
                throw new IOException(string.Join('\n', problems.Select(_options.InWords)));
            if (_state.Durability is { } durability)
                await BeginLoadAsync(durability, cancellationToken).ConfigureAwait(false);
        }
        catch
        {
            foreach (var listener in listeners)
                listener.Close();
            _epoll?.Dispose();
            _epoll = null;
            _certificates?.Dispose();
            _certificates = null;
            CloseAdminSocket();
            throw;
        }

        if (users is not null)
            _state.Users.ReplaceAll(users);
        BeginAccepting(listeners);
    }

    private async ValueTask<IReadOnlyList<TransportListener>> BindSocketsAsync(
        List<string> problems, CancellationToken cancellationToken)
    {
        int clientsMax = DescriptorLimit.ReadClientsMax();
        _state.Settings.MaxClientsMax = clientsMax;
        if (_state.Settings.MaxClients > clientsMax)
        {
            ServerLog.MaxClientsLowered(_logger, _state.Settings.MaxClients, clientsMax);
            _state.Settings.MaxClients = clientsMax;
        }

        var tls = PrepareTls(problems);
        _state.Settings.HasCertificates = tls is not null;
        if (_options.Transport == RespTransport.Epoll)
            _epoll = new EpollTransport(_options.IoThreadCount, _state.Store.TimeProvider);
        _state.Databases.HasOneLoop = _options.IoThreadCount == 1;
        _binder = new SocketBinder(_options, _epoll, tls, _state.Store.TimeProvider, _logger);
        return await _binder.BindAllAsync(problems, cancellationToken).ConfigureAwait(false);
    }

    private void BeginAccepting(IReadOnlyList<TransportListener> listeners)
    {
        _state.Settings.Port = PortOf(listeners.Where(static one => one is not TlsListener));
        _state.Settings.TlsPort = PortOf(listeners.OfType<TlsListener>());
        _state.ProcessBaseBytes =
            Math.Max(0, Environment.WorkingSet - _state.Store.GetStatistics().MemoryBytes);
        _state.RuntimeBaseBytes = MemoryKinds.FindRuntimeBase(_state);
        _idleSweep = new IdleSweep(_state, _acceptor.Live, _epoll is null ? null : _epoll.TakeLongestRound);
        _keyspaceSweep = new KeyspaceSweep(_state);
        _state.Notifications.Set(_state.Settings.NotifiedEvents);
        _listeners.Open(listeners);
    }

    private bool TryListen(ListenPlace place) => _listeners.TryChange(_binder!, place, _state.Settings.Place);

    private static int PortOf(IEnumerable<TransportListener> listeners) =>
        listeners.Select(static one => one.EndPoint).OfType<IPEndPoint>().FirstOrDefault()?.Port ?? 0;
}
