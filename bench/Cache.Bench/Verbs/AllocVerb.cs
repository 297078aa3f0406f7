using System.CommandLine;
using Cache.Bench.Subjects;
using Cache.Core;

namespace Cache.Bench.Verbs;

/// <summary>Counts the bytes that operations allocate on the managed heap.</summary>
internal static class AllocVerb
{
    private const int Keys = 4_096;
    private const int Operations = 200_000;

    // Enough calls for the last tier of compilation, whose work would be counted otherwise.
    private const int WarmUps = 20;

    private static readonly Option<double> _max = new("--max")
    {
        Description = "The most bytes per operation; more is a failure.",
        DefaultValueFactory = static _ => double.PositiveInfinity,
    };

    public static Command Create()
    {
        var verb = new Command("alloc", "Allocated bytes per operation in process.") { SubjectOptions.Value, _max };
        verb.SetAction(Run);
        return verb;
    }

    private static int Run(ParseResult arguments)
    {
        int valueLength = arguments.GetValue(SubjectOptions.Value);
        using var store = new CacheStore(new CacheOptions { MemoryLimitBytes = 256 << 20 });
        byte[][] keys = [.. Enumerable.Range(0, Keys).Select(static i => new byte[BenchKey.Length])];
        for (int i = 0; i < Keys; i++)
            BenchKey.Write(i, keys[i]);
        var operations = new AllocOperations(store, keys, valueLength);
        var table = new TextTable("operation", "bytes per operation");
        double worst = 0;
        foreach (var (name, operation) in operations.All)
        {
            double bytes = BytesPerOperation(operation);
            worst = Math.Max(worst, bytes);
            table.Add(name, $"{bytes:F2}");
        }

        table.Print();
        double max = arguments.GetValue(_max);
        if (worst > max)
            throw new WrongAnswerException($"{worst:F2} bytes per operation were allocated; {max} are allowed.");
        return 0;
    }

    private static double BytesPerOperation(Action<int> operation)
    {
        for (int i = 0; i < WarmUps; i++)
            operation(Operations / WarmUps);
        long before = GC.GetAllocatedBytesForCurrentThread();
        operation(Operations);
        return (double)(GC.GetAllocatedBytesForCurrentThread() - before) / Operations;
    }
}
