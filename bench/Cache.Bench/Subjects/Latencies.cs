using System.Diagnostics;
using System.Numerics;
using Cache.Bench.Verbs;

namespace Cache.Bench.Subjects;

/// <summary>How long single operations took: a histogram whose bars are a sixteenth of a power of two wide.</summary>
internal sealed class Latencies
{
    private const int BarsPerPower = 16;

    private readonly long[] _bars = new long[64 * BarsPerPower];

    public long Count { get; private set; }

    public double MaxMs => MaxTicks * TickMs;

    private static double TickMs => 1_000.0 / Stopwatch.Frequency;

    private long MaxTicks { get; set; }

    /// <summary>Times one operation that began at a timestamp and has just ended.</summary>
    /// <returns>The timestamp of its end.</returns>
    public long Add(long start)
    {
        long end = Stopwatch.GetTimestamp();
        long ticks = end - start;
        Count++;
        MaxTicks = Math.Max(MaxTicks, ticks);
        _bars[BarOf(ticks)]++;
        return end;
    }

    /// <summary>The time that a part of all operations, 0 to 1, did not exceed.</summary>
    public double QuantileUs(double part)
    {
        long wanted = (long)(Count * part);
        int bar = 0;
        for (long seen = _bars[0]; seen < wanted; seen += _bars[bar])
            bar++;
        return StartOf(bar + 1) * TickMs * 1_000;
    }

    /// <summary>The operations that took longer than so many milliseconds, to the width of a bar.</summary>
    public long CountAbove(double ms)
    {
        long count = 0;
        for (int bar = BarOf((long)(ms / TickMs)) + 1; bar < _bars.Length; bar++)
            count += _bars[bar];
        return count;
    }

    public void AddTo(TextTable table, string name) => table.Add(
        name, $"{Count}", $"{QuantileUs(0.5):F2}", $"{QuantileUs(0.99):F2}", $"{QuantileUs(0.999):F1}",
        $"{CountAbove(1)}", $"{CountAbove(5)}", $"{MaxMs:F2}");

    public static TextTable CreateTable(string subject) =>
        new(subject, "operations", "p50 us", "p99 us", "p99.9 us", "above 1 ms", "above 5 ms", "max ms");

    /// <summary>
    /// Times nothing at all for as long as something was timed: what takes longer here is the machine's doing.
    /// </summary>
    public static Latencies OfNothing(TimeSpan length)
    {
        var latencies = new Latencies();
        long begin = Stopwatch.GetTimestamp();
        for (long now = begin; Stopwatch.GetElapsedTime(begin, now) < length;)
            now = latencies.Add(now);
        return latencies;
    }

    private static int BarOf(long ticks)
    {
        if (ticks < BarsPerPower)
            return (int)Math.Max(0, ticks);
        int power = BitOperations.Log2((ulong)ticks);
        return (power - 3) * BarsPerPower + (int)(ticks >> (power - 4)) - BarsPerPower;
    }

    private static double StartOf(int bar)
    {
        if (bar < BarsPerPower)
            return bar;
        int power = bar / BarsPerPower + 3;
        return (double)(BarsPerPower + bar % BarsPerPower) * Math.Pow(2, power - 4);
    }
}
