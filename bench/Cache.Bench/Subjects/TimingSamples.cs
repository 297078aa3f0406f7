using Cache.Bench.Verbs;

namespace Cache.Bench.Subjects;

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

    /// <summary>
    /// A row for each operation and number of threads: nanoseconds, the first subject's as parts of the others', bytes.
    /// </summary>
    public TextTable ToTable(Operation[] operations, int[] threads, Subject[] subjects)
    {
        string[] headings = ["operation", "threads", .. subjects.Select(static s => s.Name),
            .. subjects.Skip(1).Select(static s => $"/ {s.Name}"), .. subjects.Select(static s => $"{s.Name} B/op")];
        var table = new TextTable(headings);
        foreach (var operation in operations)
        {
            foreach (int count in threads)
            {
                double first = MedianNs(operation, count, subjects[0]);
                table.Add([operation.ToText(), $"{count}",
                    .. subjects.Select(s => Figure(MedianNs(operation, count, s), "F0")),
                    .. subjects.Skip(1).Select(s => Figure(first / MedianNs(operation, count, s), "F2")),
                    .. subjects.Select(s => Figure(AllocatedBytes(operation, count, s), "F1"))]);
            }
        }

        return table;
    }

    private static string Figure(double value, string format) => double.IsNaN(value) ? "" : value.ToString(format);

    private double Median(
        Operation operation, int threads, Subject subject, Func<(double Ns, double Bytes), double> figure)
    {
        if (!_samples.TryGetValue((operation, threads, subject), out var samples))
            return double.NaN;
        double[] sorted = [.. samples.Select(figure).Order()];
        return sorted[sorted.Length / 2];
    }
}
