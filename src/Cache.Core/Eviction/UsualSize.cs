using System.Diagnostics;

namespace Cache.Core.Eviction;

/// <summary>
/// What size entries have that eviction looks at: small ones need a use less to stay, long ones one more.
/// </summary>
/// <remarks>
/// A small entry gives little room when it goes, a long one gives the room of many. Where all have about one size there
/// are neither. The size is a mean that follows what comes by; one very long entry does not make all others small. Not
/// thread-safe.
/// </remarks>
internal struct UsualSize
{
    // Less than half of the usual size is small, more than four times of it is long. Between them no entries of one
    // kind are told apart, and those of another kind mostly are.
    private const int SmallDivisor = 2;
    private const int LongFactor = 4;

    // An entry counts as so many usual ones at most, so that few of megabytes do not make all others small.
    private const int CountedFactorMax = 8;

    // The mean is that of about so many: some segments, or the small list of a miniature.
    private const double Looks = 1_024;

    private double _mean; // 0: none was looked at.

    /// <summary>Looks at an entry.</summary>
    /// <param name="bytes">Of its record and its block; 0: its size does not count.</param>
    /// <returns>How many uses more it needs to stay: -1, 0 or 1.</returns>
    public int Look(long bytes)
    {
        Debug.Assert(bytes >= 0);
        if (bytes == 0)
            return 0;
        _mean = _mean == 0 ? bytes : _mean + (Math.Min(bytes, CountedFactorMax * _mean) - _mean) / Looks;
        if (bytes * SmallDivisor < _mean)
            return -1;
        return bytes > _mean * LongFactor ? 1 : 0;
    }
}
