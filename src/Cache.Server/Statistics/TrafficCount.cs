namespace Cache.Server.Statistics;

/// <summary>The traffic of connections: plain fields, written by one thread at a time.</summary>
internal struct TrafficCount
{
    /// <summary>Commands that were called.</summary>
    public long Commands;

    public long InputBytes;

    public long OutputBytes;

    /// <summary>Receives of one byte or more.</summary>
    public long Reads;

    /// <summary>Flushes.</summary>
    public long Writes;

    public void Add(in TrafficCount other)
    {
        Commands += other.Commands;
        InputBytes += other.InputBytes;
        OutputBytes += other.OutputBytes;
        Reads += other.Reads;
        Writes += other.Writes;
    }

    /// <summary>The difference to an earlier state.</summary>
    public readonly TrafficCount Since(in TrafficCount earlier) => new()
    {
        Commands = Commands - earlier.Commands,
        InputBytes = InputBytes - earlier.InputBytes,
        OutputBytes = OutputBytes - earlier.OutputBytes,
        Reads = Reads - earlier.Reads,
        Writes = Writes - earlier.Writes,
    };
}
