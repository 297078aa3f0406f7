using System.CommandLine;
using Cache.Bench.Subjects;

namespace Cache.Bench.Verbs;

/// <summary>
/// Times the store behind the framework's interfaces beside the framework's own caches, interleaved in one run.
/// </summary>
internal static class DoorsVerb
{
    private static readonly Operation[] _operations =
        [.. Enum.GetValues<Operation>().Where(static operation => operation.IsOfDoor())];

    private static readonly string[] _subjects = ["door", "memorycache", "memorydistributed", "fusioncache"];

    public static Command Create()
    {
        var verb = new Command("doors", "Times TryGet and Set of the distributed cache beside the framework's caches.")
        {
            SubjectOptions.Keys, SubjectOptions.Value, TimingOptions.Threads, TimingOptions.Rounds,
        };
        verb.SetAction(Run);
        return verb;
    }

    private static int Run(ParseResult arguments)
    {
        int keys = arguments.GetValue(SubjectOptions.Keys);
        int valueLength = arguments.GetValue(SubjectOptions.Value);
        int rounds = arguments.GetValue(TimingOptions.Rounds);
        int[] threads = arguments.ThreadCounts();
        Subject[] subjects = [.. _subjects.Select(name => SubjectOptions.CreateLoaded(name, keys, valueLength))];
        Console.WriteLine($"{keys} entries, keys of {BenchKey.Length} bytes, values of {valueLength}; "
            + $"medians of {rounds} interleaved samples; ns per operation over all threads.");
        using var timing = new StoreTiming(_operations, subjects, keys, valueLength);
        timing.Measure(threads, rounds).ToTable(_operations, threads, subjects).Print();
        return 0;
    }
}
