namespace Cache.Server.Statistics;

/// <summary>The recent rate per second: computed when asked for, over the time since the previous question.</summary>
/// <remarks>So no timer sums over all clients while no client asks. Thread-safe.</remarks>
internal sealed class ThroughputMeter(TimeProvider timeProvider)
{
    // Redis's own interval between samples; two questions at once get the same answer.
    private const double SampleSecondsMin = 0.1;

    private readonly Lock _lock = new();
    private long _sampledAt = timeProvider.GetTimestamp();
    private TrafficCount _sample;
    private Throughput _last;

    /// <summary>Takes the present count.</summary>
    public Throughput Measure(in TrafficCount count)
    {
        lock (_lock)
        {
            long now = timeProvider.GetTimestamp();
            double seconds = timeProvider.GetElapsedTime(_sampledAt, now).TotalSeconds;
            if (seconds < SampleSecondsMin)
                return _last;
            var change = count.Since(_sample);
            _last = new Throughput(
                Math.Max(0, change.Commands / seconds),
                Math.Max(0, change.InputBytes / seconds),
                Math.Max(0, change.OutputBytes / seconds));
            _sampledAt = now;
            _sample = count;
            return _last;
        }
    }
}
