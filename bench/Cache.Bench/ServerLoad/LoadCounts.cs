using Cache.Bench.Subjects;

namespace Cache.Bench.ServerLoad;

/// <summary>What happened during a phase. Not thread-safe: one per connection, added up when all are at rest.</summary>
internal sealed class LoadCounts
{
    public long Hits { get; set; }

    public long Misses { get; set; }

    public long Stored { get; set; }

    public LatencyHistogram Latencies { get; } = new();

    public long Operations => Hits + Misses + Stored;

    public void Add(LoadCounts other)
    {
        Hits += other.Hits;
        Misses += other.Misses;
        Stored += other.Stored;
        Latencies.Add(other.Latencies);
    }

    public void Clear()
    {
        Hits = Misses = Stored = 0;
        Latencies.Clear();
    }
}
