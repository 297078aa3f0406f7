namespace Cache.Server.Statistics;

/// <summary>What went through connections: plain fields, written by one thread at a time.</summary>
internal struct TrafficCount
{
    /// <summary>Commands that came to a call.</summary>
    public long Commands;

    public long InputBytes;

    public long OutputBytes;

    /// <summary>Receives that brought bytes.</summary>
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

    /// <summary>What was counted since an earlier state.</summary>
    public readonly TrafficCount Since(in TrafficCount earlier) => new()
    {
        Commands = Commands - earlier.Commands,
        InputBytes = InputBytes - earlier.InputBytes,
        OutputBytes = OutputBytes - earlier.OutputBytes,
        Reads = Reads - earlier.Reads,
        Writes = Writes - earlier.Writes,
    };
}
