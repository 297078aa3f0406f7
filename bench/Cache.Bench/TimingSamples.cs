namespace Cache.Bench;

/// <summary>What was measured of each operation, number of threads and subject.</summary>
internal sealed class TimingSamples
{
    private readonly Dictionary<(Operation, int, Subject), List<(double Ns, double Bytes)>> _samples = [];

    public void Add(Operation operation, int threads, Subject subject, double ns, double allocatedBytes)
    {
        if (!_samples.TryGetValue((operation, threads, subject), out var samples))
            _samples[(operation, threads, subject)] = samples = [];
        samples.Add((ns, allocatedBytes));
    }

    public void Clear() => _samples.Clear();

    /// <summary>Nanoseconds per operation; not a number if the subject has none such.</summary>
    public double MedianNs(Operation operation, int threads, Subject subject) =>
        Median(operation, threads, subject, static sample => sample.Ns);

    public double AllocatedBytes(Operation operation, int threads, Subject subject) =>
        Median(operation, threads, subject, static sample => sample.Bytes);

    private double Median(
        Operation operation, int threads, Subject subject, Func<(double Ns, double Bytes), double> figure)
    {
        if (!_samples.TryGetValue((operation, threads, subject), out var samples))
            return double.NaN;
        double[] sorted = [.. samples.Select(figure).Order()];
        return sorted[sorted.Length / 2];
    }
}
