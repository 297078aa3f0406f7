using System.Buffers.Binary;
using System.CommandLine;
using Cache.Bench.Subjects;
using Cache.Bench.Traces;
using Cache.Core;

namespace Cache.Bench.Verbs;

/// <summary>Replays traces, and compares the curve with stores that really have the other limits.</summary>
internal static class CurveVerb
{
    private const int Percent = 100;

    // As many as a busy store answers between two looks at its samples.
    private const int ReadsPerLook = 2_000;

    private static readonly Option<string[]> _traces = new("--trace")
    {
        Required = true,
        AllowMultipleArgumentsPerToken = true,
        Description = "Trace files.",
    };

    private static readonly Option<int> _part = new("--percent")
    {
        Description = "The memory: what the store needs for so many per cent of a trace's objects; at least 4 MB.",
        DefaultValueFactory = static _ => 10,
    };

    public static Command Create()
    {
        var verb = new Command("hitratio-curve", "The estimated hit ratios of other limits, and the measured ones.")
        {
            _traces, _part, SubjectOptions.Value,
        };
        _part.RequireBetween(1, Percent);
        verb.SetAction(Run);
        return verb;
    }

    private static int Run(ParseResult arguments)
    {
        var table = new TextTable("trace", "memory bytes", "sampled keys", "one of", "scale", "estimated",
            "measured", "points");
        int valueLength = arguments.GetValue(SubjectOptions.Value);
        foreach (string trace in arguments.GetValue(_traces)!)
            Compare(table, trace, arguments.GetValue(_part), valueLength);
        table.Print();
        return 0;
    }

    private static void Compare(TextTable table, string trace, int percent, int valueLength)
    {
        uint[] ids = TraceFile.Read(trace);
        long unique = ids.Max() + 1L; // Numbered densely.
        int capacity = (int)Math.Max(1, unique * percent / Percent);
        long least = CacheOptions.MemoryLimitMin * 4; // A quarter of it is simulated.
        long limit = Math.Max(least, CapacityLimit.Find(capacity, valueLength).MemoryLimitBytes);
        using var store = Create(limit);
        Replay(store, ids, valueLength);
        var curve = store.GetHitRatioCurve()!;
        foreach (var point in curve.Points)
        {
            using var other = Create(point.MemoryLimitBytes);
            double measured = Replay(other, ids, valueLength);
            table.Add([Path.GetFileName(trace), $"{limit}", $"{curve.SampledKeys}", $"{curve.KeysPerSample}",
                $"{point.Scale}", curve.IsKnown ? $"{point.HitRatio:F4}" : "not known", $"{measured:F4}",
                $"{Percent * (point.HitRatio - measured):F2}"]);
        }
    }

    private static CacheStore Create(long limit) => new(new CacheOptions { MemoryLimitBytes = limit });

    private static double Replay(CacheStore store, uint[] ids, int valueLength)
    {
        byte[] key = new byte[CapacityLimit.KeyLength];
        byte[] value = new byte[valueLength];
        byte[] read = new byte[valueLength];
        long hits = 0;
        for (int i = 0; i < ids.Length; i++)
        {
            BinaryPrimitives.WriteUInt64LittleEndian(key, ids[i]);
            var sink = new SpanSink(read);
            if (store.TryGet(key, ref sink))
                hits++;
            else if (store.Set(key, value) is var status and not WriteStatus.Done)
                throw new WrongAnswerException($"SET of id {ids[i]}: {status}.");
            if (i % ReadsPerLook == 0)
                store.GetHitRatioCurve();
        }

        return (double)hits / ids.Length;
    }
}
