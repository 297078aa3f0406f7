using System.CommandLine;
using System.Diagnostics;
using Cache.Bench.Subjects;

namespace Cache.Bench.Verbs;

/// <summary>What the garbage collector makes of each subject; each in a process of its own.</summary>
internal static class GcVerb
{
    private const int ForcedCollections = 3;

    private static readonly Option<int> _seconds = new("--seconds")
    {
        Description = "Length of the load.",
        DefaultValueFactory = static _ => 30,
    };

    public static Command Create()
    {
        var verb = new Command("gc", "Pause of a forced blocking collection, and the worst pause under load.")
        {
            SubjectOptions.Keys, SubjectOptions.Value, SubjectOptions.Against, _seconds, ChildProcess.Subject,
        };
        _seconds.RequireAtLeast(1);
        verb.SetAction(Run);
        return verb;
    }

    private static int Run(ParseResult arguments)
    {
        int seconds = arguments.GetValue(_seconds);
        var table = new TextTable("subject", "forced gen2 ms", "worst pause ms", "pauses", "operations");
        bool isParent = ChildProcess.RunEach(
            arguments,
            ["gc", "--seconds", $"{seconds}"],
            (name, keys, valueLength) => Measure(name, keys, valueLength, TimeSpan.FromSeconds(seconds)),
            (subject, figures) => table.Add(
                subject, $"{figures[0]:F1}", $"{figures[1]:F1}", $"{figures[2]:F0}", $"{figures[3]:F0}"));
        if (!isParent)
            return 0;
        Console.WriteLine($"{arguments.GetValue(SubjectOptions.Keys)} entries, values of "
            + $"{arguments.GetValue(SubjectOptions.Value)} bytes; then {seconds} s of half GET, half SET on "
            + $"{Environment.ProcessorCount} threads; a process each.");
        table.Print();
        return 0;
    }

    private static void Measure(string name, int keys, int valueLength, TimeSpan length)
    {
        using var subject = SubjectOptions.CreateLoaded(name, keys, valueLength);
        double forcedMs = MeasureForcedMs();
        using var pauses = new PauseListener();
        long operations = Churn(subject, keys, valueLength, length);
        ChildProcess.Report(forcedMs, pauses.WorstMs, pauses.Count, operations);
    }

    private static double MeasureForcedMs()
    {
        var samples = new double[ForcedCollections];
        for (int i = 0; i < samples.Length; i++)
        {
            long start = Stopwatch.GetTimestamp();
            GC.Collect(GC.MaxGeneration, GCCollectionMode.Forced, blocking: true, compacting: false);
            samples[i] = Stopwatch.GetElapsedTime(start).TotalMilliseconds;
        }

        Array.Sort(samples);
        return samples[samples.Length / 2];
    }

    private static long Churn(Subject subject, int keys, int valueLength, TimeSpan length)
    {
        long operations = 0;
        long start = Stopwatch.GetTimestamp();
        BenchThreads.Run(Environment.ProcessorCount, thread =>
        {
            var random = new Random(thread);
            while (Stopwatch.GetElapsedTime(start) < length)
            {
                if (subject.Run(Operation.MixedHalfSet, new KeyBlock(random, keys, valueLength, valueLength)) != 0)
                    throw new WrongAnswerException($"{subject.Name} lost an entry under load.");
                Interlocked.Add(ref operations, KeyBlock.Count);
            }
        });
        return operations;
    }
}
