namespace Cache.Server.Statistics;

/// <summary>The durations of a command's calls, by the classes of <see cref="LatencyHistogram"/>.</summary>
internal readonly record struct LatencyCounts(long[] Counts)
{
    /// <summary>The number of calls.</summary>
    public long Total
    {
        get
        {
            long total = 0;
            foreach (long count in Counts)
                total += count;
            return total;
        }
    }

    /// <summary>The duration in nanoseconds that a percentage of the calls did not exceed; 0 without calls.</summary>
    /// <param name="percentage">0 to 100.</param>
    public long PercentileOf(double percentage)
    {
        long rank = Math.Max(1, (long)Math.Ceiling(percentage / 100 * Total));
        long seen = 0;
        for (int i = 0; i < Counts.Length; i++)
        {
            seen += Counts[i];
            if (seen >= rank)
                return LatencyHistogram.LongestOf(i);
        }

        return 0;
    }
}
