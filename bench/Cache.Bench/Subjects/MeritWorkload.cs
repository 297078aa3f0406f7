namespace Cache.Bench.Subjects;

/// <summary>
/// Requests of small entries, and of elements of large collections; a miss brings the whole key. The same for each
/// rule.
/// </summary>
internal sealed class MeritWorkload
{
    /// <summary>The bytes of a small entry.</summary>
    public const int EntryBytes = 100;

    private readonly double[] _sums;
    private readonly Random _random = new(1);

    /// <param name="entries">The small entries.</param>
    /// <param name="collections">The large collections.</param>
    /// <param name="bytesMin">The bytes of the shortest collection; the others are spread by their logarithms.</param>
    /// <param name="bytesMax">Those of the longest one.</param>
    /// <param name="share">The share of requests that go to collections.</param>
    /// <param name="skew">Rank r of each class has the weight r^-skew.</param>
    public MeritWorkload(int entries, int collections, int bytesMin, int bytesMax, double share, double skew)
    {
        Bytes = new int[entries + collections];
        _sums = new double[Bytes.Length];
        Array.Fill(Bytes, EntryBytes, 0, entries);
        for (int i = entries; i < Bytes.Length; i++)
            Bytes[i] = (int)(bytesMin * Math.Pow((double)bytesMax / bytesMin, _random.NextDouble()));
        double sum = Fill(0, entries, 1 - share, skew, before: 0);
        Fill(entries, Bytes.Length, share, skew, sum);
        Entries = entries;
    }

    /// <summary>The number of small entries; they come first.</summary>
    public int Entries { get; }

    /// <summary>The bytes of each key.</summary>
    public int[] Bytes { get; }

    /// <summary>The key of the next request.</summary>
    public int Next()
    {
        int found = Array.BinarySearch(_sums, _random.NextDouble() * _sums[^1]);
        return Math.Min(Bytes.Length - 1, found < 0 ? ~found : found);
    }

    /// <summary>What the best fixed choice of keys for a limit would answer: the most requests a byte.</summary>
    public double BestHitRatio(long limit)
    {
        int[] order = [.. Enumerable.Range(0, Bytes.Length)];
        double[] merits = [.. order.Select(i => -RateOf(i) / Bytes[i])];
        Array.Sort(merits, order);
        double hits = 0;
        foreach (int key in order)
        {
            if (Bytes[key] > limit)
                continue;
            limit -= Bytes[key];
            hits += RateOf(key);
        }

        return hits / _sums[^1];
    }

    private double RateOf(int key) => _sums[key] - (key == 0 ? 0 : _sums[key - 1]);

    private double Fill(int from, int to, double share, double skew, double before)
    {
        double all = 0;
        for (int i = from; i < to; i++)
            all += Math.Pow(i - from + 1, -skew);
        for (int i = from; i < to; i++)
            _sums[i] = before += share * Math.Pow(i - from + 1, -skew) / all;
        return before;
    }
}
