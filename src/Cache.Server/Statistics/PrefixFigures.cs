namespace Cache.Server.Statistics;

/// <summary>What is known of the keys with a prefix: counts of samples or of a sweep, or rates.</summary>
internal record struct PrefixFigures
{
    /// <summary>Requests that read a key.</summary>
    public double Reads { get; set; }

    /// <summary>Of these, those that found an entry.</summary>
    public double Hits { get; set; }

    /// <summary>Requests that write a key.</summary>
    public double Writes { get; set; }

    /// <summary>The bytes of the values that these requests read and wrote.</summary>
    public double Traffic { get; set; }

    /// <summary>The entries.</summary>
    public double Keys { get; set; }

    /// <summary>The memory that they take.</summary>
    public double Size { get; set; }

    /// <summary>Of the entries, those that expire.</summary>
    public double Expiring { get; set; }

    /// <summary>The milliseconds that these have left, together.</summary>
    public double TimeToLiveMs { get; set; }

    /// <summary>The requests and entries: 0 if nothing was counted.</summary>
    public readonly double Weight => Reads + Writes + Keys;

    /// <summary>The greater of its shares of all requests and entries, and of all bytes.</summary>
    public readonly double ShareOf(in PrefixFigures all)
    {
        double bytes = all.Size + all.Traffic;
        return Math.Max(
            all.Weight > 0 ? Weight / all.Weight : 0, bytes > 0 ? (Size + Traffic) / bytes : 0);
    }

    public void Add(in PrefixFigures other)
    {
        Reads += other.Reads;
        Hits += other.Hits;
        Writes += other.Writes;
        Traffic += other.Traffic;
        Keys += other.Keys;
        Size += other.Size;
        Expiring += other.Expiring;
        TimeToLiveMs += other.TimeToLiveMs;
    }

    /// <summary>The same, times a factor.</summary>
    public readonly PrefixFigures Times(double factor) => new()
    {
        Reads = factor * Reads,
        Hits = factor * Hits,
        Writes = factor * Writes,
        Traffic = factor * Traffic,
        Keys = factor * Keys,
        Size = factor * Size,
        Expiring = factor * Expiring,
        TimeToLiveMs = factor * TimeToLiveMs,
    };
}
