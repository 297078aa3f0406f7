using System.Buffers.Binary;
using System.CommandLine;
using Cache.Bench.Subjects;
using Cache.Bench.Traces;
using Cache.Core;
using Cache.Testing;

namespace Cache.Bench.Verbs;

/// <summary>Replays traces, and compares the curve with stores that really have the other limits.</summary>
internal static class CurveVerb
{
    private const int Percent = 100;

    // The store looks at its samples once in this time, and sweeps.
    private const int StepMs = 100;

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

    private static readonly Option<int> _rate = new("--rate")
    {
        Description = "Reads a second, of the store's clock: the sample is smaller where they cost more.",
        DefaultValueFactory = static _ => 20_000,
    };

    public static Command Create()
    {
        var verb = new Command("hitratio-curve", "The estimated hit ratios of other limits, and the measured ones.")
        {
            _traces, _part, _rate, SubjectOptions.Value,
        };
        _part.RequireBetween(1, Percent);
        _rate.RequireAtLeast(1_000 / StepMs);
        _traces.RequireFiles();
        verb.SetAction(Run);
        return verb;
    }

    private static int Run(ParseResult arguments)
    {
        var table = new TextTable("trace", "memory bytes", "sampled keys", "one of", "scale", "estimated",
            "measured", "points");
        int valueLength = arguments.GetValue(SubjectOptions.Value);
        int readsPerStep = arguments.GetValue(_rate) / (1_000 / StepMs);
        foreach (string trace in arguments.GetValue(_traces)!)
            Compare(table, trace, arguments.GetValue(_part), readsPerStep, valueLength);
        table.Print();
        return 0;
    }

    private static void Compare(TextTable table, string trace, int percent, int readsPerStep, int valueLength)
    {
        uint[] ids = TraceFile.Read(trace);
        long unique = ids.Max() + 1L; // Numbered densely.
        int capacity = (int)Math.Max(1, unique * percent / Percent);
        long least = CacheOptions.MemoryLimitMin * 4; // A quarter of it is simulated.
        long limit = Math.Max(least, CapacityLimit.Find(capacity, valueLength).MemoryLimitBytes);
        var clock = new FakeTimeProvider();
        using var store = Create(limit, clock);
        Replay(store, clock, ids, readsPerStep, valueLength);
        var curve = store.GetHitRatioCurve()!;
        foreach (var point in curve.Points)
        {
            var otherClock = new FakeTimeProvider();
            using var other = Create(point.MemoryLimitBytes, otherClock);
            double measured = Replay(other, otherClock, ids, readsPerStep, valueLength);
            table.Add([Path.GetFileName(trace), $"{limit}", $"{curve.SampledKeys}", $"{curve.KeysPerSample}",
                $"{point.Scale}", curve.IsKnown ? $"{point.HitRatio:F4}" : "not known", $"{measured:F4}",
                $"{Percent * (point.HitRatio - measured):F2}"]);
        }
    }

    private static CacheStore Create(long limit, FakeTimeProvider clock) =>
        new(new CacheOptions { MemoryLimitBytes = limit }, clock);

    private static double Replay(
        CacheStore store, FakeTimeProvider clock, uint[] ids, int readsPerStep, int valueLength)
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
            if (i % readsPerStep == 0)
                clock.Advance(StepMs);
        }

        return (double)hits / ids.Length;
    }
}
