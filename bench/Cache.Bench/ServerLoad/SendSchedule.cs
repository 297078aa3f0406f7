using System.Diagnostics;

namespace Cache.Bench.ServerLoad;

/// <summary>When one connection's commands are due at a fixed rate. Not thread-safe: its connection's own.</summary>
/// <param name="firstAt">When the first is due, in the stopwatch's ticks.</param>
/// <param name="intervalTicks">The ticks from one to the next.</param>
internal sealed class SendSchedule(double firstAt, double intervalTicks)
{
    private long _taken;

    /// <summary>The moment that the next command is due at. Latency counts from here, sent or not.</summary>
    public long NextAt { get; private set; } = (long)firstAt;

    public void Take() => NextAt = (long)(firstAt + ++_taken * intervalTicks);

    /// <summary>Schedules that make up the rate together, evenly.</summary>
    public static SendSchedule[] Divide(double operationsPerSecond, int connections)
    {
        double ticks = Stopwatch.Frequency / operationsPerSecond;
        long now = Stopwatch.GetTimestamp();
        var turns = Enumerable.Range(1, connections);
        return [.. turns.Select(turn => new SendSchedule(now + turn * ticks, ticks * connections))];
    }
}
