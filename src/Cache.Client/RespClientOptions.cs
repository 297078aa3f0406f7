using System.Net.Security;

namespace Cache.Client;

/// <summary>Where servers are, and how connections to them are made.</summary>
/// <remarks>Not thread-safe; not to be changed once connections are made with it.</remarks>
public sealed partial class RespClientOptions
{
    // CLUSTER SLOTS of any cluster, and a value of any size that is worth keeping in a process.
    private const int ReplyBytesMaxDefault = 64 << 20;

    /// <summary>
    /// The servers to begin with: "host", "host:port", or the path of a Unix socket. Of a cluster some nodes are
    /// enough; with <see cref="ServiceName"/> they are sentinels.
    /// </summary>
    public IList<string> EndPoints { get; } = [];

    /// <summary>The name under which sentinels know the primary; null: there are no sentinels.</summary>
    public string? ServiceName { get; set; }

    /// <summary>The user; null: the default one.</summary>
    public string? User { get; set; }

    /// <summary>The password; null: none is needed.</summary>
    public string? Password { get; set; }

    /// <summary>
    /// Asked before each connection, in place of <see cref="User"/> and <see cref="Password"/>: for tokens that expire.
    /// </summary>
    public Func<CancellationToken, ValueTask<RespCredentials>>? Credentials { get; set; }

    /// <summary>The password of the sentinels; null: none is needed.</summary>
    public string? SentinelPassword { get; set; }

    /// <summary>The database, 0 to 65,535. A cluster has only 0.</summary>
    public int Database { get; set; }

    /// <summary>Whether connections use TLS.</summary>
    public bool UseTls { get; set; }

    /// <summary>Changes the options of TLS of each connection: certificates, names, protocols.</summary>
    public Action<SslClientAuthenticationOptions>? ConfigureTls { get; set; }

    /// <summary>The name of the connections in CLIENT LIST, without spaces; null: none.</summary>
    public string? ClientName { get; set; }

    /// <summary>The longest time until a connection is made, its handshakes included: 10 ms to 5 minutes.</summary>
    public TimeSpan ConnectTimeout { get; set; } = TimeSpan.FromSeconds(5);

    /// <summary>
    /// The longest time until a reply: 10 ms to 5 minutes. A connection whose reply is late is closed.
    /// </summary>
    public TimeSpan ReplyTimeout { get; set; } = TimeSpan.FromSeconds(2);

    /// <summary>The longest reply in bytes, 64 KB to 512 MB. A connection with a longer one is closed.</summary>
    public int ReplyBytesMax { get; set; } = ReplyBytesMaxDefault;

    /// <summary>Tells every mistake in the options; none if they can be used.</summary>
    public IReadOnlyList<string> FindProblems()
    {
        List<string> problems = [];
        if (EndPoints.Count == 0)
            problems.Add("EndPoints is empty: name at least one server, \"localhost:6379\" for example.");
        foreach (string endPoint in EndPoints)
        {
            if (!ServerAddress.TryParse(endPoint ?? "", out _))
                problems.Add($"EndPoints has \"{endPoint}\", which is no host, no host:port, and no absolute path.");
        }

        AddRange(problems, Database is >= 0 and <= ushort.MaxValue, $"Database is {Database}; it must be 0 to 65535.");
        AddTime(problems, nameof(ConnectTimeout), ConnectTimeout);
        AddTime(problems, nameof(ReplyTimeout), ReplyTimeout);
        AddRange(
            problems,
            ReplyBytesMax is >= 64 << 10 and <= 512 << 20,
            $"ReplyBytesMax is {ReplyBytesMax}; it must be 65536 to 536870912.");
        AddRange(
            problems,
            ClientName is null || ClientName.Length > 0 && ClientName.All(letter => letter is > ' ' and <= '~'),
            $"ClientName is \"{ClientName}\"; it must be visible ASCII without spaces.");
        AddRange(problems, User is null || Password is not null, "User needs a Password.");
        AddRange(
            problems,
            Credentials is null || Password is null,
            "Credentials and Password exclude each other: Credentials is asked before each connection.");
        AddRange(
            problems, ServiceName is not "", "ServiceName is empty; it must be the name that sentinels know, or null.");
        AddRange(
            problems, SentinelPassword is null || ServiceName is not null, "SentinelPassword needs a ServiceName.");
        return problems;
    }

    private static void AddTime(List<string> problems, string name, TimeSpan value) => AddRange(
        problems,
        value >= TimeSpan.FromMilliseconds(10) && value <= TimeSpan.FromMinutes(5),
        $"{name} is {value}; it must be 10 ms to 5 minutes.");

    private static void AddRange(List<string> problems, bool isGood, string problem)
    {
        if (!isGood)
            problems.Add(problem);
    }
}
