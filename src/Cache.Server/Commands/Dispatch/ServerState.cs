using System.Reflection;
using Cache.Core;
using Cache.Durability;
using Cache.Server.Clients;
using Cache.Server.Cluster;
using Cache.Server.Commands.Replies;
using Cache.Server.Commands.Table;
using Cache.Server.Notifications;
using Cache.Server.PubSub;
using Cache.Server.Scripts;
using Cache.Server.Security;
using Cache.Server.Settings;
using Cache.Server.Statistics;
using Cache.Server.Tracking;
using Cache.Server.Waits;
using Cache.Server.Watches;

namespace Cache.Server.Commands.Dispatch;

/// <summary>The state that all connections of a server share. Thread-safe.</summary>
internal sealed class ServerState
{
    private const long MicrosecondsPerSecond = 1_000_000;
    private const long MicrosecondsPerMillisecond = 1000;

    /// <summary>The version of Redis whose commands and replies are implemented.</summary>
    public static ReadOnlySpan<byte> RedisVersion => "7.0.15"u8;

    /// <summary>The version of this server; the part behind a + identifies the build.</summary>
    public static string Version { get; } =
        typeof(ServerState).Assembly.GetCustomAttribute<AssemblyInformationalVersionAttribute>()!
            .InformationalVersion.Split('+')[0];

    // Interlocked; each has a snapshot.
    private int _longReplies;

    private long _unsafeActions;
    private volatile KeyspacePass? _keyspacePass;
    private int _flushes;
    private readonly Lazy<MetricHistory> _history = new(static () => new MetricHistory(HistorySeries.All));

    /// <param name="store">The store, by any of its keyspaces.</param>
    /// <param name="settings">The settings that may change while the server runs.</param>
    /// <param name="commands">The names under which clients find the commands.</param>
    /// <param name="handlers">The methods of the commands.</param>
    public ServerState(CacheStore store, ServerSettings settings, CommandTable commands, CommandHandlers handlers)
    {
        Store = store;
        Settings = settings;
        store.EncodingLimits = EncodingDirectives.Of(settings);
        Commands = commands;
        Handlers = handlers;
        Users = new AclUsers();
        Users.SetDefaultPassword(settings.RequirePass);
        Statistics = new ServerStatistics(Commands.All.Count, store.TimeProvider.TimestampFrequency);
        Clients = new ClientRegistry(settings, Users, store, ReportLimit);
        Watches = new WatchTable(store);
        Databases = new Databases(store) { Swapped = Watches.Swap };
        Contexts = new CommandContextPool(this);
        Limits = new LimitEvents();
        Throughput = new ThroughputMeter(store.TimeProvider);
        TicksPerMicrosecond = (double)store.TimeProvider.TimestampFrequency / MicrosecondsPerSecond;
        StartedAtMs = store.NowMs;
        Channels = new ChannelTable(Clients.Memory);
        Notifications = new KeyspaceNotifier(store, Channels, Databases.NumberOf);
        Tracking = new KeyTracking(store, Clients, settings);
        Waits = new WaitTable(store, Databases, Notifications);
        Pauses = new Pauses(Clients, store.TimeProvider);
        Monitors = new Monitors(Clients, settings, store.TimeProvider);
        Databases.Released = Release;
        StoreBytesAtStart = store.GetStatistics() is { Count: 0 } empty ? empty.MemoryBytes : 0;
    }

    /// <summary>The store, in its keyspace 0.</summary>
    public CacheStore Store { get; }

    /// <summary>The keyspaces by database numbers.</summary>
    public Databases Databases { get; }

    /// <summary>The keys that clients watch.</summary>
    public WatchTable Watches { get; }

    /// <summary>The keys that MIGRATE sends just now.</summary>
    public KeysOnTheirWay KeysOnTheirWay { get; } = new();

    /// <summary>The clock of store and server.</summary>
    public TimeProvider TimeProvider => Store.TimeProvider;

    /// <summary>The time by that clock, in Unix milliseconds.</summary>
    public long NowMs => Store.NowMs;

    /// <summary>The time of day in Unix microseconds.</summary>
    public long UnixMicroseconds =>
        (TimeProvider.GetUtcNow() - DateTimeOffset.UnixEpoch).Ticks / TimeSpan.TicksPerMicrosecond;

    /// <summary>The time of day in Unix seconds.</summary>
    public long UnixSeconds => TimeProvider.GetUtcNow().ToUnixTimeSeconds();

    /// <summary>Of the clock's timestamps; not always a whole number.</summary>
    public double TicksPerMicrosecond { get; }

    public ServerSettings Settings { get; }

    public CommandTable Commands { get; }

    public CommandHandlers Handlers { get; }

    /// <summary>The users and their rights.</summary>
    public AclUsers Users { get; }

    /// <summary>The users of certificates.</summary>
    public CertificateUsers CertificateUsers { get; init; } = new([]);

    /// <summary>The denied requests.</summary>
    public AclLog AclLog { get; } = new();

    /// <summary>Slows down guessing of passwords.</summary>
    public AuthenticationThrottle Throttle { get; } = new();

    public ServerStatistics Statistics { get; }

    /// <summary>The calls that took long.</summary>
    public SlowLog SlowLog { get; } = new();

    /// <summary>The calls whose requests were large.</summary>
    public SlowLog LargeRequests { get; } = new();

    /// <summary>The calls whose replies were large.</summary>
    public SlowLog LargeReplies { get; } = new();

    /// <summary>What made clients wait.</summary>
    public LatencyEvents LatencyEvents { get; } = new();

    /// <summary>Who is subscribed to what.</summary>
    public ChannelTable Channels { get; }

    /// <summary>Publishes what becomes of keys.</summary>
    public KeyspaceNotifier Notifications { get; }

    /// <summary>Tells clients of changed keys.</summary>
    public KeyTracking Tracking { get; }

    /// <summary>The clients of MONITOR.</summary>
    public Monitors Monitors { get; }

    /// <summary>The clients that wait for changes of keys.</summary>
    public WaitTable Waits { get; }

    /// <summary>Its scripts; null: it runs none.</summary>
    public ServerScripts? Scripts
    {
        get;
        init
        {
            field = value;
            Functions = value is null ? null : new ServerFunctions(value);
        }
    }

    /// <summary>Its functions; null: it runs no scripts.</summary>
    public ServerFunctions? Functions { get; private init; }

    /// <summary>What commands are refused with while a script takes long.</summary>
    public ReadOnlySpan<byte> BusyText =>
        Scripts is { Present.IsFunction: true } ? ErrorTexts.BusyWithFunction : ErrorTexts.Busy;

    /// <summary>Ends the script that runs, even one that has written, and all later ones: the server stops.</summary>
    public void EndScripts() => Scripts?.Present.EndAll();

    /// <summary>CLIENT PAUSE.</summary>
    public Pauses Pauses { get; }

    /// <summary>The last rare events.</summary>
    public EventLog Events { get; } = new();

    /// <summary>The figures of the last day; made when the server starts.</summary>
    public MetricHistory History => _history.Value;

    /// <summary>What the last pass over all entries has found; null: nothing yet.</summary>
    public KeyspacePass? KeyspacePass
    {
        get => _keyspacePass;
        set => _keyspacePass = value;
    }

    /// <summary>How often a database was flushed.</summary>
    public int Flushes => Volatile.Read(ref _flushes);

    /// <summary>Forgets what was counted of entries that are gone now.</summary>
    public void NoteFlush()
    {
        Interlocked.Increment(ref _flushes);
        KeyspacePass = null;
    }

    /// <summary>
    /// Held by a thread that looks up hot values, which may wait for one that hangs; given back at its end.
    /// </summary>
    public SemaphoreSlim Lookups { get; } = new(1);

    /// <summary>When the wall clock was set.</summary>
    public ClockSteps ClockSteps { get; } = new();

    /// <summary>Held while a package is made: each takes some 30 MB and a thread for a moment.</summary>
    public Lock PackageGate { get; } = new();

    public ClientRegistry Clients { get; }

    /// <summary>The contexts of commands.</summary>
    public CommandContextPool Contexts { get; }

    public ThroughputMeter Throughput { get; }

    /// <summary>Counts how often clients met limits.</summary>
    public LimitEvents Limits { get; }

    /// <summary>Called by redis.log, with a level from 0 to 3 and the text.</summary>
    public Action<int, string>? ScriptLogged { get; init; }

    /// <summary>The memory of all clients.</summary>
    public ClientMemory ClientMemory => Clients.Memory;

    /// <summary>When the server was created, in milliseconds of the store's clock.</summary>
    public long StartedAtMs { get; }

    /// <summary>The memory of the empty store when the server was created; 0 if it had entries already.</summary>
    public long StoreBytesAtStart { get; }

    /// <summary>The resident memory when the server started, without the store.</summary>
    public long ProcessBaseBytes { get; set; }

    /// <summary>Of that memory, what neither the collector nor the C library nor a file accounts for.</summary>
    public long RuntimeBaseBytes { get; set; }

    /// <summary>Identifies this run of the server: 40 hexadecimal digits.</summary>
    public string RunId { get; } =
        Convert.ToHexStringLower(System.Security.Cryptography.RandomNumberGenerator.GetBytes(20));

    /// <summary>Keeps the store on disk; null: nothing does.</summary>
    public CacheDurability? Durability => Settings.Durability;

    /// <summary>Whether all commands can be served: no load is under way, and files can be written.</summary>
    public bool IsServing => Settings.Durability is not { IsServing: false };

    /// <summary>
    /// Whether no command must be refused, put off or sent elsewhere: clients are not paused, no script takes long or
    /// holds keys, and there is no cluster.
    /// </summary>
    public bool IsUnhindered => !Pauses.CheckAll && IsServing && !Databases.IsHindered;

    /// <summary>The slots and their owners; null: this server has all keys. Set before the first client.</summary>
    public ClusterState? Cluster
    {
        get;
        set
        {
            field = value;
            Pauses.ChecksAlways = value is not null;
        }
    }

    /// <summary>Whether files are being loaded.</summary>
    public bool IsLoading => Settings.Durability is { IsLoading: true };

    /// <summary>Called when a command's method threw: a defect of this server. The client got an error reply.</summary>
    public Action<string, Exception>? CommandThrew { get; init; }

    /// <summary>The longest that one write has waited for memory since this was asked last.</summary>
    public TimeSpan TakeLongestWaitForMemory() => Store.TakeLongestWaitForMemory();

    /// <summary>Whether the store was disposed, so that no client can be served.</summary>
    public bool IsStoreDisposed => Store.IsDisposed;

    /// <summary>
    /// Called, perhaps more than once, when the store was disposed: no client can be served any more.
    /// </summary>
    public Action? StoreWasDisposed { get; init; }

    /// <summary>
    /// Changes the addresses, and returns whether that succeeded; if not, everything is as before, and the log says
    /// why. Null if the server does not listen on addresses.
    /// </summary>
    public Func<ListenPlace, bool>? Listen { get; init; }

    /// <summary>
    /// Asks the program to stop, with the address of the client that wants it; null: clients may not.
    /// </summary>
    public Action<string>? Stop { get; init; }

    /// <summary>Ends the process a moment later, whatever it does; null: clients may not.</summary>
    public Action? EndProcess { get; init; }

    /// <summary>Called by CACHE UNSAFE, with the client, the action and the reason.</summary>
    public Action<string, string, string>? UnsafeActionTaken { get; init; }

    /// <summary>How many unsafe actions were taken.</summary>
    public long UnsafeActions => Interlocked.Read(ref _unsafeActions);

    /// <summary>Called by CONFIG SET when the interval of TCP keep-alive has changed.</summary>
    public Action<int>? KeepAliveChanged { get; init; }

    /// <summary>Called by CONFIG REWRITE when the file was rewritten, or with the error.</summary>
    public Action<string?>? ConfigRewritten { get; init; }

    /// <summary>Logs why a change of addresses failed, which the reply does not say.</summary>
    public Action<string>? LogListenRefused { get; init; }

    /// <summary>Whether protected mode refuses clients of other machines.</summary>
    public bool IsClosedToOthers => Settings.IsProtected && Users.NeedsNoPassword;

    /// <summary>
    /// Called now and then when a limit was met: with the limit, the address, the value, and the number of unreported
    /// times.
    /// </summary>
    public Action<ConnectionLimit, string, long, long>? LimitMet { get; init; }

    /// <summary>The requests per second of a key; 0 if it is not one of the hot keys.</summary>
    public double FindRate(ReadOnlySpan<byte> key, int database) =>
        Statistics.FindRate(key, database, TimeProvider.GetTimestamp());

    /// <summary>Keeps a rare event for CACHE EVENTS.</summary>
    /// <param name="kind">One of <see cref="EventKinds"/>.</param>
    /// <param name="text">A sentence, without secrets, keys and values.</param>
    /// <param name="client">The address of the client that it is about; empty: none.</param>
    public void NoteEvent(string kind, string text, string client = "") =>
        Events.Add(UnixMicroseconds / MicrosecondsPerMillisecond, kind, text, client);

    /// <summary>Counts an unsafe action, logs it, and keeps it as an event; before it is done.</summary>
    public void NoteUnsafeAction(string client, string action, string reason)
    {
        Interlocked.Increment(ref _unsafeActions);
        UnsafeActionTaken?.Invoke(client, action, reason);
        NoteEvent(EventKinds.Unsafe, $"{client}: CACHE UNSAFE {action}: {reason}");
    }

    /// <summary>Counts that a client met a limit, and reports it unless the last report was a moment ago.</summary>
    /// <param name="limit">The limit.</param>
    /// <param name="client">The address of the client.</param>
    /// <param name="value">The limit's value, or what it was compared with.</param>
    public void ReportLimit(ConnectionLimit limit, string client, long value)
    {
        if (Limits.Add(limit, NowMs, out long unlogged))
            LimitMet?.Invoke(limit, client, value, unlogged);
    }

    /// <summary>Logs a denial for ACL LOG.</summary>
    /// <param name="denial">The reason.</param>
    /// <param name="name">
    /// The command, the key, the way of authentication, or the name of the certificate.
    /// </param>
    /// <param name="userName">The user's name.</param>
    /// <param name="client">Its client.</param>
    /// <param name="place">Where it is denied.</param>
    public void LogDenial(
        AclDenial denial, string name, string userName, ClientSession client,
        AclLogPlace place = AclLogPlace.TopLevel)
    {
        string description = ClientDescription.Of(client, NowMs).TrimEnd('\n');
        var entry = new AclLogEntry(denial, name, userName)
        {
            AtMs = NowMs,
            Client = description,
            Place = place,
        };
        AclLog.Add(entry, Settings.AclLogLengthMax);
    }

    /// <summary>
    /// Ends the clients of a user that are subscribed to what it has no right to any more; the caller after its reply.
    /// </summary>
    public void EndUnentitled(AclUser user, ClientSession? caller)
    {
        // The rights were changed before; see SUBSCRIBE.
        Interlocked.MemoryBarrier();
        foreach (var client in Clients.ToList())
        {
            if (client.User != user || client.Subscriptions is not Subscriptions { IsEmpty: false } subscriptions
                || Channels.AreAll(subscriptions, user.Rules.AllowsChannel))
            {
                continue;
            }

            if (client == caller)
                client.CloseAfterReply();
            else
                client.Kill();
        }
    }

    /// <summary>Gives a new client the user of its certificate, if there is one.</summary>
    public void AdmitByCertificate(ClientSession client)
    {
        if (CertificateUsers.FindUser(client) is not var (name, userName))
            return;
        if (Users.Find(userName) is { Rules.IsOn: true } user)
        {
            Clients.Admit(client, user);
            return;
        }

        ReportLimit(ConnectionLimit.CertificateUser, client.EndPoints.Remote, 0);
        LogDenial(AclDenial.Certificate, name.Text, userName, client);
    }

    /// <summary>CONFIG RESETSTAT: all counters begin at 0 again, those of the store too.</summary>
    public void ResetStatistics()
    {
        Statistics.Reset();
        Clients.ResetCounts();
        Limits.Reset();
        Store.ResetStatistics();
    }

    /// <summary>The replies that are being written in parts.</summary>
    public int LongReplyCount => Volatile.Read(ref _longReplies);

    /// <summary>Counts a reply that begins, or has ended.</summary>
    public void AddLongReplies(int by) => Interlocked.Add(ref _longReplies, by);

    // Who was put off goes on; a client of a pause finds that it is paused still.
    private void Release()
    {
        foreach (var client in Clients.ToList())
            client.EndPause();
        Waits.ServePutOff();
    }
}
