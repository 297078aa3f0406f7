using System.CommandLine;
using Cache.Bench.Subjects;
using Cache.Bench.Traces;
using Cache.Core;

namespace Cache.Bench.Verbs;

/// <summary>Replays traces through the store and through MemoryCache, each in the same amount of memory.</summary>
internal static class EqualMemoryVerb
{
    // So many entries that what the process takes beside them does not show.
    private const int MeasuredEntries = 200_000;
    private const int Percent = 100;

    private static readonly Option<string[]> _traces = new("--trace")
    {
        Required = true,
        AllowMultipleArgumentsPerToken = true,
        Description = "Trace files.",
    };

    private static readonly Option<int> _part = new("--percent")
    {
        Description = "The memory: what the store needs for so many per cent of a trace's objects; at least 1 MB.",
        DefaultValueFactory = static _ => 10,
    };

    public static Command Create()
    {
        var verb = new Command("hitratio-memory", "Hit ratios of the store and of MemoryCache in equal process memory.")
        {
            _traces, _part, SubjectOptions.Value,
        };
        _part.RequireBetween(1, Percent);
        _traces.RequireFiles();
        verb.SetAction(Run);
        return verb;
    }

    private static int Run(ParseResult arguments)
    {
        var table = new TextTable("trace", "objects", "memory bytes", "MemoryCache bytes per entry",
            "store entries", "MemoryCache entries", "store", "MemoryCache", "store above");
        int valueLength = arguments.GetValue(SubjectOptions.Value);
        foreach (string trace in arguments.GetValue(_traces)!)
            table.Add(Compare(trace, arguments.GetValue(_part), valueLength));
        Console.WriteLine($"Keys of {BenchKey.Length} bytes, values of {valueLength}.");
        table.Print();
        return 0;
    }

    private static string[] Compare(string trace, int percent, int valueLength)
    {
        uint[] ids = TraceFile.Read(trace);
        long unique = ids.Max() + 1L; // Numbered densely.
        var limit = CapacityLimit.Find((int)Math.Max(1, unique * percent / Percent), valueLength);
        double[] figures = ChildProcess.Run(
            ["memory", "--keys", $"{MeasuredEntries}", "--value", $"{valueLength}"], "memorycache");
        double entryBytes = figures[0] / MeasuredEntries;
        int capacity = (int)Math.Max(1, limit.MemoryLimitBytes / entryBytes);

        using var store = new CacheStore(limit.CreateOptions());
        long peak = 0;
        double ofStore = (double)StoreReplay.Run(store, ids, valueLength, ref peak) / ids.Length;
        if (store.GetStatistics().MemoryBytes > limit.MemoryLimitBytes)
            throw new WrongAnswerException($"The store passed its limit of {limit.MemoryLimitBytes} bytes.");
        double ofMemoryCache = (double)MemoryCacheReplay.Run(ids, capacity, valueLength) / ids.Length;
        return [Path.GetFileName(trace), $"{unique}", $"{limit.MemoryLimitBytes}", $"{entryBytes:F0}",
            $"{peak}", $"{capacity}", $"{ofStore:F4}", $"{ofMemoryCache:F4}",
            ofStore > ofMemoryCache ? "yes" : "NO"];
    }
}
