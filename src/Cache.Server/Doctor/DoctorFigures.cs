namespace Cache.Server.Doctor;

/// <summary>What the rules look at: a server's figures, rates as means of the last minute.</summary>
internal sealed record DoctorFigures
{
    public double CommandsPerSecond { get; init; }

    public double WritesPerSecond { get; init; }

    public double EvictionsPerSecond { get; init; }

    public double RefusedWritesPerSecond { get; init; }

    public double RefusedLogInsPerSecond { get; init; }

    public double RejectedConnectionsPerSecond { get; init; }

    /// <summary>Bytes of requests and replies.</summary>
    public double TrafficPerSecond { get; init; }

    /// <summary>100 is one processor.</summary>
    public double ProcessorPercent { get; init; }

    public int Processors { get; init; }

    /// <summary>Milliseconds in which the collector stopped all threads, in each second.</summary>
    public double PauseMsPerSecond { get; init; }

    public double FullCollectionsPerSecond { get; init; }

    public double HeapBytes { get; init; }

    public double QueuedWorkItems { get; init; }

    public long Keys { get; init; }

    public long LimitBytes { get; init; }

    public long ResidentBytes { get; init; }

    /// <summary>What the process may use: of its container, or of the machine.</summary>
    public long AvailableBytes { get; init; }

    /// <summary>Part of the reads that are answered, 0 to 1; null while the curve is not known.</summary>
    public double? HitRatio { get; init; }

    /// <summary>The same with twice the limit.</summary>
    public double DoubledHitRatio { get; init; }

    public int Clients { get; init; }

    public int ClientsMax { get; init; }

    /// <summary>
    /// Clients that have sent nothing for ten minutes, and neither wait nor are told anything.
    /// </summary>
    public int IdleClients { get; init; }

    /// <summary>The client with most replies that it has not read; empty if none has any.</summary>
    public string SlowestReader { get; init; } = "";

    public long UnreadBytes { get; init; }

    /// <summary>Whether that client is subscribed, tracks keys, or monitors.</summary>
    public bool ReadsMessages { get; init; }

    /// <summary>The key of most requests, and its share of all, 0 to 1.</summary>
    public string HotKey { get; init; } = "";

    public double HotKeyShare { get; init; }

    /// <summary>The key whose values make most traffic, and its share of all, 0 to 1.</summary>
    public string HeaviestKey { get; init; } = "";

    public long HeaviestKeyLength { get; init; }

    public double HeaviestKeyShare { get; init; }

    /// <summary>The command whose slow calls took longest in the last ten minutes; empty: none was slow.</summary>
    public string SlowCommand { get; init; } = "";

    public int SlowCalls { get; init; }

    public double SlowMilliseconds { get; init; }

    public double SlowestMilliseconds { get; init; }

    public string SlowClient { get; init; } = "";

    /// <summary>Why files cannot be written; null if they can, or none are.</summary>
    public string? FilesProblem { get; init; }

    public bool IsLoading { get; init; }

    /// <summary>By how many seconds the clock was set in the last ten minutes, negative: back; 0: not.</summary>
    public double ClockStepSeconds { get; init; }
}
