using System.CommandLine;
using System.Globalization;
using Cache.Bench.Traces;
using Cache.Bench.Traces.Sizes;
using Cache.Core;

namespace Cache.Bench.Verbs;

/// <summary>Replays traces whose values differ in length through the store and policies of as many bytes.</summary>
internal static class SizesVerb
{
    private const int Percent = 100;
    private const double SmallShare = 0.1;
    private const double WindowShare = 0.01;

    private static readonly Option<string[]> _traces = new("--trace")
    {
        AllowMultipleArgumentsPerToken = true,
        Description = "Trace files.",
    };

    private static readonly Option<int> _zipf = new("--zipf")
    {
        Description = "A trace of Zipf's law too, over so many objects; 0: none.",
    };

    private static readonly Option<double> _exponent = new("--exponent")
    {
        Description = "Of Pareto's law, by which lengths are from 64 bytes to 64 KB; a smaller one has more long ones.",
        DefaultValueFactory = static _ => 1.1,
    };

    private static readonly Option<int[]> _parts = new("--percent")
    {
        AllowMultipleArgumentsPerToken = true,
        Description = "Capacities as parts of the bytes of all of a trace's entries.",
        DefaultValueFactory = static _ => [1, 5, 10, 25],
    };

    private static readonly Option<int> _readsPerLook = new("--reads-per-look")
    {
        Description = "Requests between two looks at what was noted: as many as there are in a tenth of a second.",
        DefaultValueFactory = static _ => StoreReplay.ReadsPerLook,
    };

    public static Command Create()
    {
        var verb = new Command("hitratio-sizes", "Object and byte hit ratios where values differ in length.")
        {
            _traces, _zipf, _exponent, _parts, _readsPerLook,
        };
        _zipf.RequireAtLeast(0);
        _readsPerLook.RequireAtLeast(1);
        _exponent.Validators.Add(static result =>
        {
            double value = result.GetValueOrDefault<double>();
            if (value is not (> 0 and <= 10))
                result.AddError($"--exponent is {value}; it must be above 0 and at most 10.");
        });
        _traces.RequireFiles();
        verb.RequireAnyOf(_traces, _zipf);
        verb.SetAction(Run);
        return verb;
    }

    private static int Run(ParseResult arguments)
    {
        var table = new TextTable("trace", "long ones", "%", "MB", "LRU", "W-TinyLFU AV", "GDSF", "S3-FIFO",
            "S3-FIFO by size", "store");
        foreach (string trace in arguments.GetValue(_traces) ?? [])
            Compare(table, Path.GetFileName(trace).Split('.')[0], TraceFile.Read(trace), arguments);
        int objects = arguments.GetValue(_zipf);
        if (objects > 0)
            Compare(table, "zipf 0.9", ZipfTrace.Create(objects, objects * 10, 0.9), arguments);
        Console.WriteLine("Object and byte hit ratio, in per cent.");
        table.Print();
        return 0;
    }

    private static void Compare(TextTable table, string name, uint[] ids, ParseResult arguments)
    {
        int unique = (int)ids.Max() + 1; // Numbered densely.
        double exponent = arguments.GetValue(_exponent);
        var any = new SizedTrace(ids, SizeLaw.Independent(unique, exponent));
        var cold = new SizedTrace(ids, SizeLaw.LongAreCold(ids, unique, exponent));
        foreach (var (trace, law) in new[] { (any, "any"), (cold, "cold") })
        {
            foreach (int part in arguments.GetValue(_parts)!)
            {
                long capacity = trace.Footprint * part / Percent;
                string[] ratios = Compare(trace, capacity, arguments.GetValue(_readsPerLook));
                table.Add([name, law, $"{part}", Text($"{capacity / 1e6:F2}"), .. ratios]);
            }
        }
    }

    private static string[] Compare(SizedTrace trace, long capacity, int readsPerLook)
    {
        int[] sizes = trace.EntryBytes;
        return
        [
            Ratios(trace, trace.Replay(new SizedLruPolicy(sizes, capacity))),
            Ratios(trace, trace.Replay(new SizedTinyLfuPolicy(sizes, capacity, WindowShare))),
            Ratios(trace, trace.Replay(new GdsfPolicy(sizes, capacity))),
            Ratios(trace, trace.Replay(new SizedS3FifoPolicy(sizes, capacity, SmallShare, hasClasses: false))),
            Ratios(trace, trace.Replay(new SizedS3FifoPolicy(sizes, capacity, SmallShare, hasClasses: true))),
            RatiosOfStore(trace, capacity, readsPerLook),
        ];
    }

    private static string RatiosOfStore(SizedTrace trace, long capacity, int readsPerLook)
    {
        if (capacity < CacheOptions.MemoryLimitMin)
            return "-";
        using var store = new CacheStore(new CacheOptions { MemoryLimitBytes = capacity, KeyspaceCount = 1 });
        return Ratios(trace, trace.Replay(store, readsPerLook));
    }

    private static string Ratios(SizedTrace trace, SizedHits hits)
    {
        double ofRequests = (double)Percent * hits.Requests / trace.Ids.Length;
        double ofBytes = (double)Percent * hits.Bytes / trace.AskedBytes;
        return Text($"{ofRequests:F2} {ofBytes:F2}");
    }

    private static string Text(FormattableString text) => text.ToString(CultureInfo.InvariantCulture);
}
