namespace Cache.Dashboard.Live;

/// <summary>The series that are sampled each second, by their places in a sample.</summary>
internal enum LiveSeries
{
    Operations,
    Hits,
    Misses,
    HitRatio,
    UsedBytes,
    LimitBytes,
    ResidentBytes,
    HeapBytes,
    ClientBytes,
    MedianMicroseconds,
    P99Microseconds,
    LongestMicroseconds,
    Clients,
    Evictions,
    Expirations,
    InputBytes,
    OutputBytes,
    Keys,
    RefusedWrites,
    Errors,
    RejectedClients,
    ProcessorPercent,
}
