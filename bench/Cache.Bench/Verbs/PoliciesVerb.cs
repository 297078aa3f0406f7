using System.CommandLine;
using System.Globalization;
using Cache.Bench.Subjects;
using Cache.Bench.Traces;
using Cache.Bench.Traces.Policies;
using Cache.Core;

namespace Cache.Bench.Verbs;

/// <summary>Replays traces through the store and through textbook policies that hold as many entries.</summary>
internal static class PoliciesVerb
{
    private const int Percent = 100;

    // Below it a store of the least limit holds few entries of kilobytes in a handful of segments.
    private const int CapacityMin = 1_000;

    private static readonly double[] _shares = [0.02, 0.1, 0.3, 0.6, 0.9];

    private static readonly Option<string[]> _traces = new("--trace")
    {
        AllowMultipleArgumentsPerToken = true,
        Description = "Trace files.",
    };

    private static readonly Option<int> _zipf = new("--zipf")
    {
        Description = "A trace of Zipf's law too, over so many objects; 0: none.",
    };

    private static readonly Option<bool> _made = new("--made")
    {
        Description = "Traces that are made: keys that are used while they are new; a loop beside hot keys.",
    };

    private static readonly Option<int[]> _capacities = new("--capacity")
    {
        AllowMultipleArgumentsPerToken = true,
        Description = "Numbers of entries; without any, by --percent.",
        DefaultValueFactory = static _ => [],
    };

    private static readonly Option<int[]> _parts = new("--percent")
    {
        AllowMultipleArgumentsPerToken = true,
        Description = $"Capacities as parts of a trace's objects; only those of at least {CapacityMin} entries.",
        DefaultValueFactory = static _ => [1, 2, 5, 10, 20, 40],
    };

    private static readonly Option<int> _readsPerLook = new("--reads-per-look")
    {
        Description = "Requests between two looks at what was noted: as many as there are in a tenth of a second.",
        DefaultValueFactory = static _ => StoreReplay.ReadsPerLook,
    };

    public static Command Create()
    {
        var verb = new Command("hitratio-policies", "The store's hit ratios beside those of textbook policies.")
        {
            _traces, _zipf, _made, _capacities, _parts, _readsPerLook,
        };
        _zipf.RequireAtLeast(0);
        _readsPerLook.RequireAtLeast(1);
        _traces.RequireFiles();
        verb.RequireAnyOf(_traces, _zipf, _made);
        verb.SetAction(Run);
        return verb;
    }

    private static int Run(ParseResult arguments)
    {
        var table = new TextTable("trace", "capacity", "LRU", "ARC", "2Q", "SIEVE", "W-TinyLFU", "S3-FIFO 10 %",
            "S3-FIFO best", "share", "store", "less S3-FIFO", "less LRU");
        foreach (string trace in arguments.GetValue(_traces) ?? [])
            Compare(table, Path.GetFileName(trace).Split('.')[0], TraceFile.Read(trace), arguments);
        int objects = arguments.GetValue(_zipf);
        if (objects > 0)
            Compare(table, "zipf 0.9", ZipfTrace.Create(objects, objects * 10, 0.9), arguments);
        if (arguments.GetValue(_made))
        {
            Compare(table, "recent", MadeTrace.Recent(), arguments);
            Compare(table, "loop", MadeTrace.LoopAndHot(), arguments);
        }

        table.Print();
        return 0;
    }

    private static void Compare(TextTable table, string name, uint[] ids, ParseResult arguments)
    {
        int unique = (int)ids.Max() + 1; // Numbered densely.
        int[] capacities = arguments.GetValue(_capacities)!;
        if (capacities.Length == 0)
        {
            capacities = [.. arguments.GetValue(_parts)!.Select(part => (int)((long)unique * part / Percent))
                .Where(capacity => capacity >= CapacityMin)];
        }

        foreach (int capacity in capacities)
            Compare(table, name, ids, unique, capacity, arguments.GetValue(_readsPerLook));
    }

    private static void Compare(
        TextTable table, string name, uint[] ids, int unique, int capacity, int readsPerLook)
    {
        double lru = RatioOf(ids, new LruPolicy(unique, capacity));
        double[] byShare = [.. _shares.Select(share => RatioOf(ids, new S3FifoPolicy(unique, capacity, share)))];
        double best = byShare.Max();
        double store = RatioOfStore(ids, capacity, readsPerLook);
        table.Add(
            name, Text($"{capacity}"), Ratio(lru),
            Ratio(RatioOf(ids, new ArcPolicy(unique, capacity))),
            Ratio(RatioOf(ids, new TwoQueuePolicy(unique, capacity))),
            Ratio(RatioOf(ids, new SievePolicy(unique, capacity))),
            Ratio(RatioOf(ids, new TinyLfuPolicy(unique, capacity))),
            Ratio(byShare[Array.IndexOf(_shares, 0.1)]),
            Ratio(best), Text($"{_shares[Array.IndexOf(byShare, best)]}"),
            Ratio(store), Text($"{Percent * (store - best):F2}"), Text($"{Percent * (store - lru):F2}"));
    }

    private static double RatioOf(uint[] ids, IEntryPolicy policy)
    {
        long hits = 0;
        foreach (uint id in ids)
            hits += policy.Access((int)id) ? 1 : 0;
        return (double)hits / ids.Length;
    }

    private static double RatioOfStore(uint[] ids, int capacity, int readsPerLook)
    {
        var limit = CapacityLimit.Find(capacity);
        using var store = new CacheStore(limit.CreateOptions());
        long peak = 0;
        return (double)StoreReplay.Run(store, ids, limit.ValueLength, ref peak, readsPerLook) / ids.Length;
    }

    private static string Ratio(double ratio) => Text($"{ratio:F4}");

    private static string Text(FormattableString text) => text.ToString(CultureInfo.InvariantCulture);
}
