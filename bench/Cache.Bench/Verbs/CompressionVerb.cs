using System.Buffers.Binary;
using System.CommandLine;
using System.Diagnostics;
using Cache.Bench.Subjects;
using Cache.Bench.Traces;
using Cache.Core;

namespace Cache.Bench.Verbs;

/// <summary>Replays traces with JSON values in equal memory, without and with compression of values.</summary>
internal static class CompressionVerb
{
    private const int Percent = 100;

    private static readonly Option<string[]> _traces = new("--trace")
    {
        AllowMultipleArgumentsPerToken = true,
        Description = "Trace files.",
    };

    private static readonly Option<int> _zipf = new("--zipf")
    {
        Description = "Also ten requests for each of so many objects, by Zipf's law with the exponent 0.9.",
    };

    private static readonly Option<int> _part = new("--percent")
    {
        Description = "The memory: what the store needs for so many per cent of a trace's objects; at least 1 MB.",
        DefaultValueFactory = static _ => 10,
    };

    public static Command Create()
    {
        var verb = new Command("hitratio-compression", "Hit ratios with JSON values, compressed or not.")
        {
            _traces, _zipf, _part,
        };
        _part.RequireBetween(1, Percent);
        _traces.RequireFiles();
        verb.RequireAnyOf(_traces, _zipf);
        verb.SetAction(Run);
        return verb;
    }

    private static int Run(ParseResult arguments)
    {
        var table = new TextTable("trace", "objects", "memory bytes", "compression", "entries", "compressed",
            "to percent", "tries per 1,000 requests", "hit ratio", "ns per request");
        foreach (string trace in arguments.GetValue(_traces) ?? [])
            AddAll(table, Path.GetFileName(trace), TraceFile.Read(trace), arguments.GetValue(_part));

        if (arguments.GetValue(_zipf) is > 0 and int objects)
            AddAll(table, "Zipf 0.9", ZipfTrace.Create(objects, 10 * objects, 0.9), arguments.GetValue(_part));

        Console.WriteLine($"Keys of {BenchKey.Length} bytes, values of JSON of about {JsonValue.LengthMean}.");
        table.Print();
        return 0;
    }

    private static void AddAll(TextTable table, string trace, uint[] ids, int percent)
    {
        foreach (var mode in Enum.GetValues<ValueCompression>())
            table.Add(Replay(trace, ids, mode, percent));
    }

    private static string[] Replay(string trace, uint[] ids, ValueCompression mode, int percent)
    {
        long unique = ids.Max() + 1L; // Numbered densely.
        var options = CapacityLimit.Find((int)Math.Max(1, unique * percent / Percent), JsonValue.LengthMean)
            .CreateOptions();
        options.Compression = mode;
        using var store = new CacheStore(options);
        byte[] key = new byte[CapacityLimit.KeyLength];
        long hits = 0;
        long start = Stopwatch.GetTimestamp();
        foreach (uint id in ids)
        {
            BinaryPrimitives.WriteUInt64LittleEndian(key, id);
            byte[] value = JsonValue.Of(id);
            if (store.GetArray(key) is { } read)
            {
                hits++;
                if (!read.AsSpan().SequenceEqual(value))
                    throw new WrongAnswerException($"The value of id {id} is not the one that was set.");
            }
            else if (store.Set(key, value) is var status and not WriteStatus.Done)
            {
                throw new WrongAnswerException($"SET of id {id}: {status}.");
            }
        }

        double ns = Stopwatch.GetElapsedTime(start).TotalNanoseconds / ids.Length;
        var statistics = store.GetStatistics();
        long ratio = Percent * statistics.CompressedBytes / Math.Max(1, statistics.CompressedValueBytes);
        return [trace, $"{unique}", $"{options.MemoryLimitBytes}", $"{mode}", $"{statistics.Count}",
            $"{statistics.CompressedCount}", $"{ratio}", $"{1000 * statistics.CompressionTries / ids.Length}",
            $"{(double)hits / ids.Length:F4}", $"{ns:F0}"];
    }
}
