using System.Diagnostics;
using System.Numerics;

namespace Cache.Server.Statistics;

/// <summary>Counts durations in classes that are at most an eighth of their duration wide.</summary>
/// <remarks>
/// Eight classes of equal width between two powers of two, so a class is found by a logarithm and a shift. Written by
/// one thread at a time; others may read counts that are a moment old.
/// </remarks>
internal sealed class LatencyHistogram
{
    /// <summary>The number of classes.</summary>
    public const int ClassCount = (DurationBits - ClassBits + 1) << ClassBits;

    private const int ClassBits = 3;
    private const int ClassesPerPower = 1 << ClassBits;

    // Longer than 2^40 ns, 18 minutes, is counted as that: no call is executed for so long.
    private const int DurationBits = 40;
    private const long DurationMax = (1L << DurationBits) - 1;

    private readonly long[] _counts = new long[ClassCount];

    /// <summary>Counts some calls of a duration.</summary>
    public void Add(long nanoseconds, long calls)
    {
        Debug.Assert(nanoseconds >= 0 && calls > 0);
        _counts[ClassOf(nanoseconds)] += calls;
    }

    /// <summary>Adds the counts to sums, one for each class.</summary>
    public void AddTo(Span<long> sums)
    {
        for (int i = 0; i < ClassCount; i++)
            sums[i] += _counts[i];
    }

    /// <summary>The class of a duration.</summary>
    public static int ClassOf(long nanoseconds)
    {
        long duration = Math.Min(nanoseconds, DurationMax);
        if (duration < ClassesPerPower)
            return (int)duration;
        int power = BitOperations.Log2((ulong)duration) - ClassBits;
        return ((power + 1) << ClassBits) + (int)(duration >> power & (ClassesPerPower - 1));
    }

    /// <summary>The longest duration of a class in nanoseconds.</summary>
    public static long LongestOf(int index)
    {
        Debug.Assert(index is >= 0 and < ClassCount);
        if (index < ClassesPerPower)
            return index;
        int power = (index >> ClassBits) - 1;
        return ((ClassesPerPower + (index & (ClassesPerPower - 1)) + 1L) << power) - 1;
    }
}
