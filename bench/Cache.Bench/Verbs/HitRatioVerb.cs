using System.CommandLine;
using Cache.Bench.Subjects;
using Cache.Bench.Traces;
using Cache.Core;

namespace Cache.Bench.Verbs;

/// <summary>Replays a trace through the store, whose byte limit is set so that a given number of entries fit.</summary>
internal static class HitRatioVerb
{
    private static readonly Option<string> _trace = new("--trace") { Required = true, Description = "A trace file." };
    private static readonly Option<int> _capacity = new("--capacity")
    {
        Required = true,
        Description = "How many of the trace's entries the store is to hold.",
    };

    private static readonly Option<int> _threshold = new("--threshold")
    {
        Description = "How often a new entry must be used to outlive its first turn.",
        DefaultValueFactory = static _ => new CacheOptions().PromotionThreshold,
    };

    private static readonly Option<int> _loweredFrom = new("--lowered-from")
    {
        Description = "Megabytes of the limit that the store has at first, before it is lowered; 0: none.",
    };

    public static Command Create()
    {
        var verb = new Command("hitratio", "Replays a trace through the store: GET, SET on a miss.")
        {
            _trace, _capacity, _threshold, _loweredFrom,
        };
        _capacity.RequireAtLeast(1);
        _loweredFrom.RequireAtLeast(0);
        _threshold.RequireBetween(1, CacheOptions.PromotionThresholdMax);
        _trace.RequireFile();
        verb.SetAction(Run);
        return verb;
    }

    private static int Run(ParseResult arguments)
    {
        uint[] ids = TraceFile.Read(arguments.GetValue(_trace)!);
        int capacity = arguments.GetValue(_capacity);
        var limit = CapacityLimit.Find(capacity);
        var options = limit.CreateOptions();
        options.PromotionThreshold = arguments.GetValue(_threshold);
        options.MemoryLimitBytes = Math.Max(options.MemoryLimitBytes, (long)arguments.GetValue(_loweredFrom) << 20);
        using var store = new CacheStore(options);
        store.MemoryLimitBytes = limit.MemoryLimitBytes;
        long peak = 0;
        long hits = StoreReplay.Run(store, ids, limit.ValueLength, ref peak);
        var statistics = store.GetStatistics();
        if (statistics.Hits != hits || statistics.Misses != ids.Length - hits)
            throw new WrongAnswerException($"The store counted {statistics.Hits} hits; there were {hits}.");

        var table = new TextTable("requests", "hits", "entries at most", "capacity", "limit bytes", "value bytes");
        table.Add(
            $"{ids.Length}", $"{hits}", $"{peak}", $"{capacity}", $"{limit.MemoryLimitBytes}", $"{limit.ValueLength}");
        table.Print();
        Console.WriteLine($"hit ratio {(double)hits / ids.Length:F4}");
        if (peak > Math.Ceiling(capacity * 1.02))
            throw new WrongAnswerException($"The store held {peak} entries; 1.02 × {capacity} were allowed.");
        return 0;
    }
}
