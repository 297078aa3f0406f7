using System.CommandLine;
using Cache.Bench.Subjects;

namespace Cache.Bench.Verbs;

/// <summary>Times single operations, all subjects interleaved in one run, over the same freshly warmed keys.</summary>
internal static class StoreVerb
{
    private static readonly Operation[] _operations =
        [.. Enum.GetValues<Operation>().Where(static operation => !operation.IsOfDoor())];

    private static readonly Option<string> _only = new("--only")
    {
        Description = "Times only operations whose name contains this, as \"GET hit\".",
        DefaultValueFactory = static _ => "",
    };

    private static string AllNames => string.Join("; ", _operations.Select(static operation => operation.ToText()));

    public static Command Create()
    {
        _only.Validators.Add(static result =>
        {
            if (Named(result.GetValue(_only)!).Length == 0)
                result.AddError($"--only is '{result.GetValue(_only)}'; it must be part of: {AllNames}.");
        });
        var verb = new Command("store", "Times GET and SET in process, beside other caches.")
        {
            SubjectOptions.Keys, SubjectOptions.Value, SubjectOptions.Against,
            TimingOptions.Threads, TimingOptions.Rounds, _only,
        };
        verb.SetAction(Run);
        return verb;
    }

    private static int Run(ParseResult arguments)
    {
        int keys = arguments.GetValue(SubjectOptions.Keys);
        int valueLength = arguments.GetValue(SubjectOptions.Value);
        Subject[] subjects =
            [.. arguments.SubjectNames().Select(name => SubjectOptions.CreateLoaded(name, keys, valueLength))];
        int[] threads = arguments.ThreadCounts();
        int rounds = arguments.GetValue(TimingOptions.Rounds);
        var operations = Named(arguments.GetValue(_only)!);
        Console.WriteLine($"{keys} entries, keys of {BenchKey.Length} bytes, values of {valueLength}; "
            + $"medians of {rounds} interleaved samples; ns per operation over all threads.");
        using (var timing = new StoreTiming(operations, subjects, keys, valueLength))
        {
            var samples = timing.Measure(threads, rounds);
            samples.ToTable(operations, threads, subjects).Print();
            if (operations.Length == _operations.Length)
                PrintRatios(subjects, samples, threads);
        }

        return 0;
    }

    private static Operation[] Named(string part) =>
        [.. _operations.Where(operation => operation.ToText().Contains(part, StringComparison.OrdinalIgnoreCase))];

    private static void PrintRatios(Subject[] subjects, TimingSamples samples, int[] threads)
    {
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
}
