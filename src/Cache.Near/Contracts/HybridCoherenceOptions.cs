using System.Text;
using Cache.Client;

namespace Cache.Near;

/// <summary>
/// The options of what keeps a hybrid cache true to its second level; read once, when the cache is made.
/// </summary>
public sealed class HybridCoherenceOptions
{
    /// <summary>
    /// Where the servers are on which the second level keeps its entries, and how connections to them are made.
    /// </summary>
    public RespClientOptions Servers { get; set; } = new();

    /// <summary>
    /// What the second level puts before each key: the InstanceName of the framework's cache over Redis. Required,
    /// unless <see cref="AllKeys"/> is set. It is proved at the start.
    /// </summary>
    public string KeyPrefix { get; set; } = "";

    /// <summary>
    /// Whether the second level puts nothing before its keys. Each write of anyone to the servers is then sent here.
    /// </summary>
    public bool AllKeys { get; set; }

    /// <summary>
    /// The longest life of a value in this process, whatever its options say: 10 ms to a day. Default: one minute.
    /// </summary>
    public TimeSpan MaximumAge { get; set; } = TimeSpan.FromMinutes(1);

    /// <summary>
    /// By how much a value in this process may be older than the second level: 300 ms to one minute. Default: 3
    /// seconds. A third of it is the interval of the heartbeats.
    /// </summary>
    public TimeSpan StalenessBound { get; set; } = TimeSpan.FromSeconds(3);

    /// <summary>What keeps values true. Default: <see cref="NearCoherence.Tracking"/>.</summary>
    public NearCoherence Coherence { get; set; }

    /// <summary>Tells every mistake in the options; none if they can be used.</summary>
    public IReadOnlyList<string> FindProblems()
    {
        List<string> problems = [.. Servers.FindProblems().Select(problem => $"Servers: {problem}")];
        if (KeyPrefix is not { Length: > 0 } && !AllKeys)
            problems.Add("KeyPrefix is empty: name what the second level puts before its keys, or set AllKeys.");
        if (KeyPrefix is { Length: > 0 } && AllKeys)
            problems.Add($"KeyPrefix is \"{KeyPrefix}\" and AllKeys is true; they exclude each other.");
        NearCacheOptions.FindTimeProblems(problems, MaximumAge, StalenessBound, Coherence);
        return problems;
    }

    internal byte[] PrefixBytes() => Encoding.UTF8.GetBytes(KeyPrefix ?? "");

    /// <summary>The options of the links.</summary>
    internal NearCacheOptions OfLinks()
    {
        var options = new NearCacheOptions
        {
            Servers = Servers,
            AllKeys = AllKeys,
            MaximumAge = MaximumAge,
            StalenessBound = StalenessBound,
            Coherence = Coherence,
        };
        if (!AllKeys)
            options.KeyPrefixes.Add(KeyPrefix);
        return options;
    }
}
