namespace Cache.Core.Hybrid;

/// <summary>The counters of a hybrid cache, each thread on cache lines that few others use.</summary>
/// <remarks>
/// Plain additions, as in the store's counters: of two racing threads in one stripe, one addition may be lost.
/// </remarks>
internal sealed class HybridCounters
{
    // A stripe is two lines: a core fetches them in pairs.
    private const int StripeCount = 64;
    private const int CountersPerStripe = 16;

    // The first stripe stays unused: its line has the array's length, which every call reads.
    private readonly long[] _counts = new long[(1 + StripeCount) * CountersPerStripe];

    public long this[HybridCounter counter]
    {
        get
        {
            long sum = 0;
            for (int i = (int)counter; i < _counts.Length; i += CountersPerStripe)
                sum += Volatile.Read(ref _counts[i]);
            return sum;
        }
    }

    /// <summary>Counts on the hit path.</summary>
    public void Count(HybridCounter counter) => _counts[IndexOf(counter)]++;

    /// <summary>Counts rare events exactly.</summary>
    public void CountExactly(HybridCounter counter) => Interlocked.Increment(ref _counts[IndexOf(counter)]);

    private static int IndexOf(HybridCounter counter) =>
        ((1 + (Environment.CurrentManagedThreadId & (StripeCount - 1))) * CountersPerStripe) + (int)counter;
}
