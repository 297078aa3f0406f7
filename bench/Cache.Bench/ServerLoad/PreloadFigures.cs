namespace Cache.Bench.ServerLoad;

/// <summary>What the preload took, and how its server's memory grew; that is null without its process id.</summary>
internal sealed record PreloadFigures
{
    public long Keys { get; init; }

    public double Seconds { get; init; }

    public long? ResidentBytesBefore { get; init; }

    public long? ResidentBytesAfter { get; init; }

    /// <summary>Memory per entry above its key and value.</summary>
    public double? EntryOverheadBytes { get; init; }
}
