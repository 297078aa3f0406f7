using System.Collections.Concurrent;
using Cache.Durability;

namespace Cache.Server.Settings;

/// <summary>The settings that CONFIG shows and, in part, changes while the server runs.</summary>
/// <remarks>
/// Written under the lock of CONFIG SET, read at any time by any thread: each is one word, so that no reader sees
/// half of a change. The memory limit and the eviction policy are the store's own, see
/// <see cref="Cache.Core.CacheStore"/>.
/// </remarks>
internal sealed class ServerSettings
{
    private volatile string _outputLimits = OutputLimits.Default;

    /// <summary>
    /// The lock of CONFIG SET. Each server has its own: to look up a name, or to evict down to a limit, takes seconds.
    /// </summary>
    public Lock Changing { get; } = new();

    /// <summary>The port that clients connect to; 0: none.</summary>
    public int Port { get; set; } = 6379;

    /// <summary>The port for TLS; 0: none.</summary>
    public int TlsPort { get; set; }

    /// <summary>Whether there are certificates, so that TLS can be spoken.</summary>
    public bool HasCertificates { get; set; }

    /// <summary>What else CONFIG shows of TLS.</summary>
    public TlsParameters Tls { get; set; } = new();

    /// <summary>The addresses that are listened on, separated by blanks.</summary>
    public string Bind { get; set; } = "127.0.0.1";

    /// <summary>Where clients are awaited.</summary>
    public ListenPlace Place => new(Port, TlsPort, Bind);

    /// <summary>The path of the Unix socket; empty: none.</summary>
    public string UnixSocketPath { get; set; } = "";

    /// <summary>The full path of the file that the settings come from; empty: none.</summary>
    public string ConfigurationFile { get; init; } = "";

    /// <summary>The file of users; empty: none.</summary>
    public string AclFile { get; set; } = "";

    /// <summary>How many denied requests are remembered.</summary>
    public int AclLogLengthMax { get; set; } = 128;

    /// <summary>The password of the default user in UTF-8, as it was last set here; empty: none.</summary>
    public byte[] RequirePass { get; set; } = [];

    /// <summary>How many clients may be connected at once.</summary>
    public int MaxClients { get; set; } = 10_000;

    /// <summary>What the limit of open files leaves room for.</summary>
    public int MaxClientsMax { get; set; } = int.MaxValue;

    /// <summary>How many clients of this machine may be connected beyond that, for administrators.</summary>
    public int ReservedClients { get; set; }

    /// <summary>
    /// Whether clients of other machines are refused as long as the default user needs no password.
    /// </summary>
    public bool IsProtected { get; set; } = true;

    /// <summary>The most bytes that all clients hold together; 0: a half of the store's limit.</summary>
    public long ClientMemoryLimit { get; set; }

    /// <summary>How many percent of the store's limit that is, if it was set so; else 0.</summary>
    public int ClientMemoryPercent { get; set; }

    /// <summary>After how many seconds a client that did not authenticate is closed; 0: never.</summary>
    public int AuthenticationSeconds { get; set; }

    /// <summary>After how many seconds of silence within a request a client is closed; 0: never.</summary>
    public int PartialRequestSeconds { get; set; }

    /// <summary>After how many seconds of silence a client is closed; 0: never.</summary>
    public int TimeoutSeconds { get; set; }

    /// <summary>
    /// The interval of TCP keep-alive in seconds; 0: none. Used for connections accepted from then on.
    /// </summary>
    public int TcpKeepAliveSeconds { get; set; } = 300;

    /// <summary>The longest argument of a request in bytes.</summary>
    public long ProtoMaxBulkLength { get; set; } = 512 << 20;

    /// <summary>The most bytes of a request that is not complete yet.</summary>
    public long ClientQueryBufferLimit { get; set; } = 1 << 30;

    /// <summary>
    /// The most bytes of replies, beside one value, that a client may ask for without reading them; 0: no limit.
    /// </summary>
    public long ClientOutputBufferLimit { get; set; }

    /// <summary>The same as client-output-buffer-limit has it, with the limits that mean nothing here.</summary>
    public string ClientOutputBufferLimits => OutputLimits.WithHardLimit(_outputLimits, ClientOutputBufferLimit);

    /// <summary>After how many seconds in which it takes none of its replies a client is closed; 0: never.</summary>
    public int OutputStallSeconds { get; set; }

    /// <summary>
    /// The name of the eviction policy that was set; several names mean the same policy of the store.
    /// </summary>
    public string MaxMemoryPolicy { get; set; } = "allkeys-lru";

    /// <summary>What keeps the store on disk; null: nothing does.</summary>
    public CacheDurability? Durability { get; init; }

    /// <summary>The level of the log; null: it is kept only.</summary>
    public LogLevelControl? LogLevel { get; set; }

    /// <summary>
    /// The canonical values of directives that have no field here, by their names and as far as they were given; a char
    /// is a byte.
    /// </summary>
    public ConcurrentDictionary<string, string> Kept { get; init; } = new(StringComparer.OrdinalIgnoreCase);

    /// <summary>Sets the password from text.</summary>
    public void SetPassword(string? password) => RequirePass = OptionText.ToBytes(password ?? "");

    /// <summary>Sets the limits of all kinds of clients.</summary>
    public void SetOutputLimits(string limits)
    {
        _outputLimits = limits;
        ClientOutputBufferLimit = OutputLimits.HardLimitOf(limits);
    }
}
