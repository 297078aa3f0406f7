namespace Cache.Core.Tests.Curve;

/// <summary>
/// Requests for small entries that are read once more and never again, beside those for long ones that are used.
/// </summary>
/// <remarks>
/// A third of each: new small keys, these once more after a tenth as many as there are long keys, and long keys by
/// Zipf's law.
/// </remarks>
internal static class ReadOnceMore
{
    /// <summary>The numbers of small keys are above this one, those of long keys below.</summary>
    public const int SmallFirst = 2_000_000;

    /// <param name="random">Draws the requests.</param>
    /// <param name="count">Of requests.</param>
    /// <param name="longKeys">The number of long keys.</param>
    public static IEnumerable<int> Requests(Random random, int count, int longKeys)
    {
        double[] sums = new double[longKeys];
        for (int i = 0; i < longKeys; i++)
            sums[i] = (i == 0 ? 0 : sums[i - 1]) + Math.Pow(i + 1, -0.9);
        var pending = new Queue<int>();
        int newest = SmallFirst;
        for (int i = 0; i < count; i++)
        {
            double kind = random.NextDouble();
            int place = Array.BinarySearch(sums, random.NextDouble() * sums[^1]);
            if (kind < 0.35)
                pending.Enqueue(++newest);
            yield return kind < 0.35 ? newest
                : kind < 0.7 && pending.Count > longKeys / 10 ? pending.Dequeue()
                : place < 0 ? ~place : place;
        }
    }
}
