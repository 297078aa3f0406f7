using System.CommandLine;

namespace Cache.Bench;

/// <summary>Times single operations, all subjects interleaved in one run, over the same freshly warmed keys.</summary>
internal static class StoreVerb
{
    private static readonly Option<string> _threads = new("--threads")
    {
        Description = "Numbers of threads, for example 1,2",
        DefaultValueFactory = static _ => "1,2",
    };

    private static readonly Option<int> _rounds = new("--rounds")
    {
        Description = "Samples of each figure; the median is printed.",
        DefaultValueFactory = static _ => 31,
    };

    public static Command Create()
    {
        var verb = new Command("store", "Times GET and SET in process, beside other caches.")
        {
            SubjectOptions.Keys, SubjectOptions.Value, SubjectOptions.Against, _threads, _rounds,
        };
        _rounds.RequireAtLeast(1);
        _threads.Validators.Add(static result =>
        {
            var counts = SubjectOptions.Split(result.GetValue(_threads));
            if (counts.Length == 0 || counts.Any(static n => !int.TryParse(n, out int count) || count < 1))
                result.AddError("--threads must be a list of numbers, each at least 1.");
        });
        verb.SetAction(Run);
        return verb;
    }

    private static int Run(ParseResult arguments)
    {
        int keys = arguments.GetValue(SubjectOptions.Keys);
        int valueLength = arguments.GetValue(SubjectOptions.Value);
        Subject[] subjects =
            [.. arguments.SubjectNames().Select(name => SubjectOptions.CreateLoaded(name, keys, valueLength))];
        int[] threads = [.. SubjectOptions.Split(arguments.GetValue(_threads)).Select(int.Parse)];
        Console.WriteLine($"{keys} entries, keys of {BenchKey.Length} bytes, values of {valueLength}; "
            + $"medians of {arguments.GetValue(_rounds)} interleaved samples; ns per operation over all threads.");
        using (var timing = new StoreTiming(subjects, keys, valueLength))
        {
            var samples = timing.Measure(threads, arguments.GetValue(_rounds));
            Print(subjects, samples, threads);
        }

        return 0;
    }

    private static void Print(Subject[] subjects, TimingSamples samples, int[] threads)
    {
        string[] headings = ["operation", "threads", .. subjects.Select(static s => s.Name),
            .. subjects.Skip(1).Select(static s => $"/ {s.Name}"), .. subjects.Select(static s => $"{s.Name} B/op")];
        var table = new TextTable(headings);
        foreach (var operation in Enum.GetValues<Operation>())
        {
            foreach (int count in threads)
            {
                double store = samples.MedianNs(operation, count, subjects[0]);
                table.Add([operation.ToText(), $"{count}",
                    .. subjects.Select(s => Figure(samples.MedianNs(operation, count, s), "F0")),
                    .. subjects.Skip(1).Select(s => Figure(store / samples.MedianNs(operation, count, s), "F2")),
                    .. subjects.Select(s => Figure(samples.AllocatedBytes(operation, count, s), "F1"))]);
            }
        }

        table.Print();
        Console.WriteLine($"With {threads[0]} threads, batch of 16 / one by one:");
        PrintRatio("GET", Operation.GetBytesBatch, Operation.GetBytes);
        PrintRatio("SET in place", Operation.SetBytesInPlaceBatch, Operation.SetBytesInPlace);
        PrintRatio("SET other size", Operation.SetBytesAppendedBatch, Operation.SetBytesAppended);
        double hot = samples.MedianNs(Operation.GetTextHot, threads[0], subjects[0])
            / samples.MedianNs(Operation.GetTextHot, threads[^1], subjects[0]);
        Console.WriteLine($"16 hot keys, throughput with {threads[^1]} threads / with {threads[0]}: {hot:F2}");

        void PrintRatio(string name, Operation batch, Operation single)
        {
            double ns = samples.MedianNs(single, threads[0], subjects[0]);
            Console.WriteLine($"  {name} {samples.MedianNs(batch, threads[0], subjects[0]) / ns:F2}");
        }
    }

    private static string Figure(double value, string format) => double.IsNaN(value) ? "" : value.ToString(format);
}
