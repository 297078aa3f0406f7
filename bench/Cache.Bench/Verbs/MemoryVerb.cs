using System.CommandLine;
using Cache.Bench.Subjects;

namespace Cache.Bench.Verbs;

/// <summary>Bytes of process memory per entry above key and value; each subject in a process of its own.</summary>
internal static class MemoryVerb
{
    private static readonly Option<bool> _ttl = new("--ttl") { Description = "Give each entry an expiry." };

    public static Command Create()
    {
        var verb = new Command("memory", "Bytes per entry above key and value, by the process's resident memory.")
        {
            SubjectOptions.Keys, SubjectOptions.Value, SubjectOptions.Against, _ttl, ChildProcess.Subject,
        };
        verb.SetAction(Run);
        return verb;
    }

    private static int Run(ParseResult arguments)
    {
        int keys = arguments.GetValue(SubjectOptions.Keys);
        int valueLength = arguments.GetValue(SubjectOptions.Value);
        bool hasTtl = arguments.GetValue(_ttl);
        var table = new TextTable("subject", "resident MB", "bytes per entry", "above key and value");
        bool isParent = ChildProcess.RunEach(
            arguments,
            hasTtl ? ["memory", "--ttl"] : ["memory"],
            (name, _, _) => Measure(name, keys, valueLength, hasTtl ? TimeSpan.FromHours(1) : default),
            (subject, figures) =>
            {
                double perEntry = figures[0] / keys;
                table.Add(
                    subject, $"{figures[0] / (1 << 20):F1}", $"{perEntry:F1}",
                    $"{perEntry - BenchKey.Length - valueLength:F1}");
            });
        if (!isParent)
            return 0;
        Console.WriteLine($"{keys} entries, keys of {BenchKey.Length} bytes, values of {valueLength}; a process each.");
        table.Print();
        return 0;
    }

    private static void Measure(string name, int keys, int valueLength, TimeSpan timeToLive)
    {
        // What the code itself takes is there before the first look.
        SubjectOptions.CreateLoaded(name, KeyBlock.Count, valueLength, timeToLive).Dispose();
        long before = ResidentMemory.Read();
        using var subject = SubjectOptions.CreateLoaded(name, keys, valueLength, timeToLive);
        long after = ResidentMemory.Read();
        ChildProcess.Report(after - before);
        GC.KeepAlive(subject);
    }
}
