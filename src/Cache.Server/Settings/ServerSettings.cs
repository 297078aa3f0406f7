using System.Collections.Concurrent;
using Cache.Durability;

namespace Cache.Server.Settings;

/// <summary>The settings that CONFIG shows, and of which it can change some while the server runs.</summary>
/// <remarks>
/// Written under the lock of CONFIG SET, read at any time by any thread: each is one word, so that no reader sees half
/// of a change. The memory limit and the eviction policy are in the store, see <see cref="Cache.Core.CacheStore"/>.
/// </remarks>
internal sealed class ServerSettings
{
    private const ulong MicrosecondsPerMillisecond = 1000;

    private volatile string _outputLimits = OutputLimits.Default;
    private volatile OutputLimit _pubSubOutputLimit = OutputLimits.PubSubOf(OutputLimits.Default);

    /// <summary>
    /// The lock of CONFIG SET. Each server has its own: looking up a name, or evicting down to a limit, takes seconds.
    /// </summary>
    public Lock Changing { get; } = new();

    /// <summary>The port that clients connect to; 0: none.</summary>
    public int Port { get; set; } = 6379;

    /// <summary>The port for TLS; 0: none.</summary>
    public int TlsPort { get; set; }

    /// <summary>Whether there are certificates, which TLS needs.</summary>
    public bool HasCertificates { get; set; }

    /// <summary>The other parameters of TLS.</summary>
    public TlsParameters Tls { get; set; } = new();

    /// <summary>The addresses that the server listens on, separated by blanks.</summary>
    public string Bind { get; set; } = "127.0.0.1";

    /// <summary>The ports and addresses.</summary>
    public ListenPlace Place => new(Port, TlsPort, Bind);

    /// <summary>The path of the Unix socket; empty: none.</summary>
    public string UnixSocketPath { get; set; } = "";

    /// <summary>The path of the admin socket; empty: none.</summary>
    public string AdminSocketPath { get; init; } = "";

    /// <summary>The full path of the file that the settings come from; empty: none.</summary>
    public string ConfigurationFile { get; init; } = "";

    /// <summary>The file of users; empty: none.</summary>
    public string AclFile { get; set; } = "";

    /// <summary>The most entries of ACL LOG.</summary>
    public int AclLogLengthMax { get; set; } = 128;

    /// <summary>The password of the default user in UTF-8, as it was last set here; empty: none.</summary>
    public byte[] RequirePass { get; set; } = [];

    /// <summary>The most clients connected at once.</summary>
    public int MaxClients { get; set; } = 10_000;

    /// <summary>The most clients that the limit of open files allows.</summary>
    public int MaxClientsMax { get; set; } = int.MaxValue;

    /// <summary>
    /// The number of clients of this machine that may be connected beyond the limit, for administrators.
    /// </summary>
    public int ReservedClients { get; set; }

    /// <summary>
    /// Whether clients of other machines are refused while the default user needs no password.
    /// </summary>
    public bool IsProtected { get; set; } = true;

    /// <summary>The most bytes of all clients together; 0: half of the store's limit.</summary>
    public long ClientMemoryLimit { get; set; }

    /// <summary>That limit as a percentage of the store's limit, if it was set so; else 0.</summary>
    public int ClientMemoryPercent { get; set; }

    /// <summary>The seconds after which a client that did not authenticate is disconnected; 0: never.</summary>
    public int AuthenticationSeconds { get; set; }

    /// <summary>The seconds of silence within a request after which a client is disconnected; 0: never.</summary>
    public int PartialRequestSeconds { get; set; }

    /// <summary>The seconds of silence after which a client is disconnected; 0: never.</summary>
    public int TimeoutSeconds { get; set; }

    /// <summary>
    /// The interval of TCP keep-alive in seconds; 0: none. Used for connections accepted from then on.
    /// </summary>
    public int TcpKeepAliveSeconds { get; set; } = 300;

    /// <summary>The classes of keyspace events that are published.</summary>
    public EventClasses NotifiedEvents { get; set; }

    /// <summary>The longest argument of a request in bytes.</summary>
    public long ProtoMaxBulkLength { get; set; } = 512 << 20;

    /// <summary>The most bytes of an incomplete request.</summary>
    public long ClientQueryBufferLimit { get; set; } = 1 << 30;

    /// <summary>
    /// The most bytes of unread replies of a client, besides one value; 0: no limit.
    /// </summary>
    public long ClientOutputBufferLimit { get; set; }

    /// <summary>
    /// That limit in the form of client-output-buffer-limit, with the limits that have no effect here.
    /// </summary>
    public string ClientOutputBufferLimits => OutputLimits.WithHardLimit(_outputLimits, ClientOutputBufferLimit);

    /// <summary>The limits of the unsent messages of a client that is subscribed to channels.</summary>
    public OutputLimit PubSubOutputLimit => _pubSubOutputLimit;

    /// <summary>The seconds after which a client that receives none of its replies is disconnected; 0: never.</summary>
    public int OutputStallSeconds { get; set; }

    /// <summary>
    /// The name of the eviction policy as it was set; several names mean the same policy of the store.
    /// </summary>
    public string MaxMemoryPolicy { get; set; } = "allkeys-lru";

    /// <summary>Calls of this duration in microseconds are in SLOWLOG; -1: none are.</summary>
    public long SlowLogMicroseconds { get; set; } = 10_000;

    /// <summary>After how many milliseconds of a script others get -BUSY; 0: never.</summary>
    public long BusyReplyMs { get; set; } = 5000;

    /// <summary>The most entries of SLOWLOG.</summary>
    public long SlowLogLengthMax { get; set; } = 128;

    /// <summary>Requests of this many bytes are in COMMANDLOG; -1: none are.</summary>
    public long LargeRequestBytes { get; set; } = 1 << 20;

    /// <summary>The most entries of that log.</summary>
    public long LargeRequestLengthMax { get; set; } = 128;

    /// <summary>Calls whose replies have this many bytes are in COMMANDLOG; -1: none are.</summary>
    public long LargeReplyBytes { get; set; } = 1 << 20;

    /// <summary>The most entries of that log.</summary>
    public long LargeReplyLengthMax { get; set; } = 128;

    /// <summary>What took this long in milliseconds is an event of LATENCY; 0: nothing is.</summary>
    public long LatencyThresholdMs { get; set; }

    /// <summary>The most keys that are remembered for CLIENT TRACKING; 0: as memory allows.</summary>
    public long TrackingTableKeysMax { get; set; } = 1_000_000;

    /// <summary>What ends the parts of a key whose first two are its prefix.</summary>
    public byte PrefixSeparator { get; set; } = (byte)':';

    /// <summary>The shorter of the two, in microseconds: at most 2^40.</summary>
    public long NoticedMicroseconds
    {
        get
        {
            // As numbers without a sign, -1 and 0 - 1 are the greatest.
            ulong ofLog = (ulong)SlowLogMicroseconds;
            ulong ofEvents = Math.Min((ulong)LatencyThresholdMs - 1, SettingBounds.MicrosecondsMax);
            ulong shorter = Math.Min(ofLog, (ofEvents + 1) * MicrosecondsPerMillisecond);
            return (long)Math.Min(shorter, SettingBounds.MicrosecondsMax);
        }
    }

    /// <summary>How connections are served: epoll or portable.</summary>
    public string Transport { get; set; } = "portable";

    /// <summary>The threads that serve connections with epoll; 1 without it.</summary>
    public int IoThreads { get; set; } = 1;

    /// <summary>Whether the durations of calls are counted for percentiles.</summary>
    public bool TracksLatency { get; set; } = true;

    /// <summary>The percentiles in INFO latencystats, separated by blanks.</summary>
    public string LatencyPercentiles { get; set; } = "50 99 99.9";

    /// <summary>Keeps the store on disk; null: nothing does.</summary>
    public CacheDurability? Durability { get; init; }

    /// <summary>The level of the log; null: the directive has no effect.</summary>
    public LogLevelControl? LogLevel { get; set; }

    /// <summary>
    /// The canonical values of directives without a field here, by name, if they were given; a char is a byte.
    /// </summary>
    public ConcurrentDictionary<string, string> Kept { get; init; } = new(StringComparer.OrdinalIgnoreCase);

    /// <summary>Where a program has a value from, by directive; empty: unknown.</summary>
    public IReadOnlyDictionary<string, string> Origins { get; init; } = new Dictionary<string, string>();

    /// <summary>The directives that CONFIG SET has changed.</summary>
    public ConcurrentDictionary<string, bool> Changed { get; } = new(StringComparer.OrdinalIgnoreCase);

    /// <summary>Sets the password from text.</summary>
    public void SetPassword(string? password) => RequirePass = OptionText.ToBytes(password ?? "");

    /// <summary>Sets the limits of all kinds of clients.</summary>
    public void SetOutputLimits(string limits)
    {
        _outputLimits = limits;
        _pubSubOutputLimit = OutputLimits.PubSubOf(limits);
        ClientOutputBufferLimit = OutputLimits.HardLimitOf(limits);
    }
}
