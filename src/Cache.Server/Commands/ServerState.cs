using Cache.Core;

namespace Cache.Server.Commands;

/// <summary>What all connections of a server share and commands may see. Thread-safe.</summary>
internal sealed class ServerState
{
    /// <summary>The version of Redis whose commands and replies these are.</summary>
    public static ReadOnlySpan<byte> RedisVersion => "7.0.15"u8;

    public ServerState(CacheStore store)
        : this(store, new ServerSettings())
    {
    }

    public ServerState(CacheStore store, ServerSettings settings)
    {
        Store = store;
        Settings = settings;
        Commands = CommandTable.Default;
        Statistics = new ServerStatistics(Commands.All.Count);
        Clients = new ClientRegistry(this);
        Throughput = new ThroughputMeter(store.TimeProvider);
        StartedAtMs = store.NowMs;
    }

    /// <summary>The store, in its keyspace 0.</summary>
    public CacheStore Store { get; }

    /// <summary>The clock of the store, which is that of the server too.</summary>
    public TimeProvider TimeProvider => Store.TimeProvider;

    /// <summary>The time by that clock, in Unix milliseconds.</summary>
    public long NowMs => Store.NowMs;

    /// <summary>The time of day in Unix microseconds.</summary>
    public long UnixMicroseconds =>
        (TimeProvider.GetUtcNow() - DateTimeOffset.UnixEpoch).Ticks / TimeSpan.TicksPerMicrosecond;

    public ServerSettings Settings { get; }

    public CommandTable Commands { get; }

    public ServerStatistics Statistics { get; }

    public ClientRegistry Clients { get; }

    public ThroughputMeter Throughput { get; }

    /// <summary>When the server was made, in milliseconds of the store's clock.</summary>
    public long StartedAtMs { get; }

    /// <summary>The number that tells this run of the server from others: 40 hexadecimal digits.</summary>
    public string RunId { get; } =
        Convert.ToHexStringLower(System.Security.Cryptography.RandomNumberGenerator.GetBytes(20));

    /// <summary>Told when a command's method threw: a defect of this server. The client got an error reply.</summary>
    public Action<string, Exception>? CommandThrew { get; init; }

    /// <summary>Counts bytes of replies that wait for a slow client, or no more, against the store's limit.</summary>
    public void AddPendingReplies(long bytes) => Store.AddOutsideBytes(bytes);

    /// <summary>CONFIG RESETSTAT: all counters begin at 0 again, those of the store too.</summary>
    public void ResetStatistics()
    {
        Statistics.Reset(Clients.ToList());
        Clients.ResetCounts();
        Store.ResetStatistics();
    }
}
