using System.Diagnostics;

namespace Cache.Server.Statistics;

/// <summary>The longest calls of the last minute, one for each second.</summary>
/// <remarks>
/// Written by one thread at a time, without a lock: a cell is one word, the second and the duration. Others may read
/// cells that are a moment old. A call that is not the longest of its second costs two comparisons.
/// </remarks>
/// <param name="ticksPerSecond">Of the clock that gives the moments.</param>
internal sealed class LatencyMaxima(long ticksPerSecond)
{
    /// <summary>The longest window in seconds.</summary>
    public const int SecondsMax = 60;

    private const int SecondShift = 32;
    private const double MicrosecondsPerSecond = 1_000_000;

    private readonly long _ticksPerSecond = ticksPerSecond;

    // By the second modulo their number: the second, and the longest duration in microseconds, at most an hour.
    private readonly long[] _cells = new long[SecondsMax];

    // Of the second of the last call; for the writer alone.
    private long _secondEnd;
    private long _longest;

    /// <summary>Notes a call.</summary>
    /// <param name="end">When it ended, in ticks.</param>
    /// <param name="ticks">Its duration.</param>
    public void Note(long end, long ticks)
    {
        if (ticks > _longest || end >= _secondEnd)
            Write(end, ticks);
    }

    /// <summary>The longest call of the last seconds, in microseconds.</summary>
    /// <param name="now">The present moment in ticks.</param>
    /// <param name="seconds">
    /// 1 to <see cref="SecondsMax"/>; the present second, which is not over, counts besides.
    /// </param>
    public long LongestOf(long now, int seconds)
    {
        Debug.Assert(seconds is > 0 and <= SecondsMax);
        long present = now / _ticksPerSecond;
        long longest = 0;
        for (int i = 0; i < SecondsMax; i++)
        {
            long cell = Volatile.Read(ref _cells[i]);
            if (present - (cell >> SecondShift) <= seconds)
                longest = Math.Max(longest, cell & uint.MaxValue);
        }

        return longest;
    }

    private void Write(long end, long ticks)
    {
        long second = end / _ticksPerSecond;
        _secondEnd = (second + 1) * _ticksPerSecond;
        _longest = ticks;
        double microseconds = ticks / (double)_ticksPerSecond * MicrosecondsPerSecond;
        long cell = (second << SecondShift) | (long)Math.Min(microseconds, uint.MaxValue);
        Volatile.Write(ref _cells[second % SecondsMax], cell);
    }
}
