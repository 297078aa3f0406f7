namespace Cache.Server.Statistics;

/// <summary>The steps by which the wall clock was set. Thread-safe.</summary>
internal sealed class ClockSteps
{
    // Less is a clock that is slewed, or a sample that came late.
    private const long StepMsMin = 1000;

    // More steps in ten minutes are as good as these.
    private const int StepsMax = 64;

    private readonly Lock _lock = new();
    private readonly Queue<(long AtMs, double Seconds)> _steps = new();
    private long? _distanceMs;

    /// <summary>Looks at both clocks.</summary>
    /// <param name="nowMs">Of the server's clock, which nobody sets.</param>
    /// <param name="unixMs">Of the wall clock.</param>
    /// <returns>By how many seconds the wall clock was set since the last look, negative: back; 0: not.</returns>
    public double Note(long nowMs, long unixMs)
    {
        lock (_lock)
        {
            long distance = unixMs - nowMs;
            long step = distance - (_distanceMs ?? distance);
            if (_distanceMs is not null && Math.Abs(step) < StepMsMin)
                return 0; // Small ones add up until they are a step.
            _distanceMs = distance;
            if (step == 0)
                return 0;
            double seconds = step / 1000.0;
            _steps.Enqueue((nowMs, seconds));
            if (_steps.Count > StepsMax)
                _steps.Dequeue();
            return seconds;
        }
    }

    /// <summary>The largest step since a moment, in seconds; 0: none.</summary>
    public double LargestSince(long nowMs)
    {
        double largest = 0;
        lock (_lock)
        {
            foreach (var (atMs, seconds) in _steps)
            {
                if (atMs >= nowMs && Math.Abs(seconds) > Math.Abs(largest))
                    largest = seconds;
            }
        }

        return largest;
    }
}
