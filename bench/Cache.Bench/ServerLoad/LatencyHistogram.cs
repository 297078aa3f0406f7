using System.Numerics;

namespace Cache.Bench.ServerLoad;

/// <summary>Counts of latencies, in buckets that widen with them: 64 to a power of two, 1.6 % at most.</summary>
/// <remarks>Not thread-safe: one per connection, added up when all are at rest.</remarks>
internal sealed class LatencyHistogram
{
    private const int BucketBits = 6;
    private const int BucketsPerPower = 1 << BucketBits;

    // 2^42 ns is more than an hour; what takes longer lands in the last bucket.
    private const int PowersMax = 42 - BucketBits;

    private readonly uint[] _counts = new uint[(PowersMax + 1) * BucketsPerPower];

    public long Count { get; private set; }

    public long MaxNanoseconds { get; private set; }

    public void Record(long nanoseconds)
    {
        nanoseconds = Math.Max(nanoseconds, 0);
        _counts[IndexOf(nanoseconds)]++;
        Count++;
        if (nanoseconds > MaxNanoseconds)
            MaxNanoseconds = nanoseconds;
    }

    public void Add(LatencyHistogram other)
    {
        for (int i = 0; i < _counts.Length; i++)
            _counts[i] += other._counts[i];
        Count += other.Count;
        MaxNanoseconds = Math.Max(MaxNanoseconds, other.MaxNanoseconds);
    }

    public void Clear()
    {
        Array.Clear(_counts);
        Count = 0;
        MaxNanoseconds = 0;
    }

    /// <summary>The latency that a share of all is not above: its bucket's upper end, or the maximum.</summary>
    public long AtQuantile(double quantile)
    {
        long wanted = Math.Max(1, (long)Math.Ceiling(Count * quantile));
        long seen = 0;
        for (int i = 0; i < _counts.Length; i++)
        {
            seen += _counts[i];
            if (seen >= wanted)
                return Math.Min(UpperEndOf(i), MaxNanoseconds);
        }

        return MaxNanoseconds;
    }

    // Up to two buckets' powers every value has its own bucket; from there on the value's upper bits are its index.
    private static int IndexOf(long value)
    {
        int power = Math.Max(0, BitOperations.Log2((ulong)value) - BucketBits);
        int index = (power << BucketBits) + (int)(value >> power);
        return power < PowersMax ? index : (PowersMax << BucketBits) + BucketsPerPower - 1;
    }

    private static long UpperEndOf(int index)
    {
        int power = Math.Max(0, (index >> BucketBits) - 1);
        long upperBits = index - (power << BucketBits);
        return ((upperBits + 1) << power) - 1;
    }
}
