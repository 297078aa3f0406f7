using System.Reflection;
using Cache.Core;
using Cache.Durability;
using Cache.Server.Clients;
using Cache.Server.Commands.Table;
using Cache.Server.Security;
using Cache.Server.Settings;
using Cache.Server.Statistics;

namespace Cache.Server.Commands.Dispatch;

/// <summary>What all connections of a server share and commands may see. Thread-safe.</summary>
internal sealed class ServerState
{
    /// <summary>The version of Redis whose commands and replies these are.</summary>
    public static ReadOnlySpan<byte> RedisVersion => "7.0.15"u8;

    /// <summary>The version of this server; what stands behind a + tells of the build.</summary>
    public static string Version { get; } =
        typeof(ServerState).Assembly.GetCustomAttribute<AssemblyInformationalVersionAttribute>()!
            .InformationalVersion.Split('+')[0];

    /// <param name="store">Any keyspace of it.</param>
    /// <param name="settings">What can be set while the server runs.</param>
    /// <param name="commands">The names under which clients find the commands.</param>
    /// <param name="handlers">What executes them.</param>
    public ServerState(CacheStore store, ServerSettings settings, CommandTable commands, CommandHandlers handlers)
    {
        Store = store;
        Settings = settings;
        Commands = commands;
        Handlers = handlers;
        Users = new AclUsers();
        Users.SetDefaultPassword(settings.RequirePass);
        Statistics = new ServerStatistics(Commands.All.Count);
        Clients = new ClientRegistry(settings, Users, store, ReportLimit);
        Databases = new Databases(store);
        Contexts = new CommandContextPool(this);
        Limits = new LimitEvents();
        Throughput = new ThroughputMeter(store.TimeProvider);
        StartedAtMs = store.NowMs;
        StoreBytesAtStart = store.GetStatistics() is { Count: 0 } empty ? empty.MemoryBytes : 0;
    }

    /// <summary>The store, in its keyspace 0.</summary>
    public CacheStore Store { get; }

    /// <summary>The keyspaces that clients know by numbers.</summary>
    public Databases Databases { get; }

    /// <summary>The clock of the store, which is that of the server too.</summary>
    public TimeProvider TimeProvider => Store.TimeProvider;

    /// <summary>The time by that clock, in Unix milliseconds.</summary>
    public long NowMs => Store.NowMs;

    /// <summary>The time of day in Unix microseconds.</summary>
    public long UnixMicroseconds =>
        (TimeProvider.GetUtcNow() - DateTimeOffset.UnixEpoch).Ticks / TimeSpan.TicksPerMicrosecond;

    public ServerSettings Settings { get; }

    public CommandTable Commands { get; }

    public CommandHandlers Handlers { get; }

    /// <summary>The users, and what they may do.</summary>
    public AclUsers Users { get; }

    /// <summary>Which users clients are by their certificates.</summary>
    public CertificateUsers CertificateUsers { get; init; } = new([]);

    /// <summary>What was denied to whom.</summary>
    public AclLog AclLog { get; } = new();

    /// <summary>Makes guessing passwords slow.</summary>
    public AuthenticationThrottle Throttle { get; } = new();

    public ServerStatistics Statistics { get; }

    public ClientRegistry Clients { get; }

    /// <summary>What clients are served with.</summary>
    public CommandContextPool Contexts { get; }

    public ThroughputMeter Throughput { get; }

    /// <summary>How often clients came up against limits.</summary>
    public LimitEvents Limits { get; }

    /// <summary>What all clients hold together.</summary>
    public ClientMemory ClientMemory => Clients.Memory;

    /// <summary>When the server was made, in milliseconds of the store's clock.</summary>
    public long StartedAtMs { get; }

    /// <summary>What the empty store used when the server was made; 0 if it had entries already.</summary>
    public long StoreBytesAtStart { get; }

    /// <summary>What was resident in memory when the server started, without the store.</summary>
    public long ProcessBaseBytes { get; set; }

    /// <summary>The number that tells this run of the server from others: 40 hexadecimal digits.</summary>
    public string RunId { get; } =
        Convert.ToHexStringLower(System.Security.Cryptography.RandomNumberGenerator.GetBytes(20));

    /// <summary>What keeps the store on disk; null: nothing does.</summary>
    public CacheDurability? Durability => Settings.Durability;

    /// <summary>Whether nothing stands against commands in general: no load, no files that cannot be written.</summary>
    public bool IsServing => Settings.Durability is not { IsServing: false };

    /// <summary>Told when a command's method threw: a defect of this server. The client got an error reply.</summary>
    public Action<string, Exception>? CommandThrew { get; init; }

    /// <summary>Whether there is nothing left to serve clients with.</summary>
    public bool IsStoreDisposed => Store.IsDisposed;

    /// <summary>Told, perhaps more than once, that the store was disposed: no client can be served any more.</summary>
    public Action? StoreWasDisposed { get; init; }

    /// <summary>
    /// Listens elsewhere from now on, and says whether it could; if not, everything is as before, and the log says why.
    /// Null where nothing listens to addresses.
    /// </summary>
    public Func<ListenPlace, bool>? Listen { get; init; }

    /// <summary>Asks the program to stop, by the address of the client that wants it; null: clients may not.</summary>
    public Action<string>? Stop { get; init; }

    /// <summary>Told by CONFIG SET that the interval of TCP keep-alive has changed.</summary>
    public Action<int>? KeepAliveChanged { get; init; }

    /// <summary>Told by CONFIG REWRITE that the file was rewritten, or why it could not be.</summary>
    public Action<string?>? ConfigRewritten { get; init; }

    /// <summary>Logs why the server listens where it did, of which the reply says nothing.</summary>
    public Action<string>? LogListenRefused { get; init; }

    /// <summary>Whether protected mode refuses clients of other machines.</summary>
    public bool IsClosedToOthers => Settings.IsProtected && Users.NeedsNoPassword;

    /// <summary>
    /// Told now and then that a limit was met: which, by what address, its value, and how many times unsaid.
    /// </summary>
    public Action<ConnectionLimit, string, long, long>? LimitMet { get; init; }

    /// <summary>Counts that a client met a limit, and tells of it unless that was done a moment ago.</summary>
    /// <param name="limit">The limit.</param>
    /// <param name="client">The address of the client.</param>
    /// <param name="value">The limit's value, or what it was compared with.</param>
    public void ReportLimit(ConnectionLimit limit, string client, long value)
    {
        if (Limits.Add(limit, NowMs, out long unlogged))
            LimitMet?.Invoke(limit, client, value, unlogged);
    }

    /// <summary>Notes what was denied.</summary>
    /// <param name="denial">Why.</param>
    /// <param name="name">
    /// The command, the key, how it was tried to authenticate, or the name of the certificate.
    /// </param>
    /// <param name="userName">Who.</param>
    /// <param name="client">Its client.</param>
    public void LogDenial(AclDenial denial, string name, string userName, ClientSession client)
    {
        string description = ClientDescription.Of(client, NowMs).TrimEnd('\n');
        var entry = new AclLogEntry(denial, name, userName) { AtMs = NowMs, Client = description };
        AclLog.Add(entry, Settings.AclLogLengthMax);
    }

    /// <summary>Makes a client in its first state one of the user whom its certificate stands for, if any.</summary>
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
}
