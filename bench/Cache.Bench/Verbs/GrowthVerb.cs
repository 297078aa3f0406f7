using System.Buffers.Binary;
using System.CommandLine;
using System.Diagnostics;
using Cache.Bench.Subjects;
using Cache.Core;

namespace Cache.Bench.Verbs;

/// <summary>How long single SETs take while the store grows from nothing.</summary>
internal static class GrowthVerb
{
    // What an entry may take beside its value; so chosen that half of the limit is used before the end, when the
    // ghosts are made.
    private const int EntryBytes = 96;
    private const long SlackBytes = 64 << 20;

    public static Command Create()
    {
        var verb = new Command("growth", "Times every SET of new keys; the machine's own disturbance beside it.")
        {
            SubjectOptions.Keys, SubjectOptions.Value,
        };
        verb.SetAction(Run);
        return verb;
    }

    private static int Run(ParseResult arguments)
    {
        int keys = arguments.GetValue(SubjectOptions.Keys);
        byte[] value = new byte[arguments.GetValue(SubjectOptions.Value)];
        Grow(KeyBlock.Count * 32, value, new Latencies()); // Compiles.
        var latencies = new Latencies();
        long start = Stopwatch.GetTimestamp();
        var statistics = Grow(keys, value, latencies);
        var length = Stopwatch.GetElapsedTime(start);
        if (statistics.Count != keys || statistics.Evictions != 0)
            throw new WrongAnswerException($"{statistics.Count} of {keys} entries are there.");

        var table = Latencies.CreateTable("SET of a new key");
        latencies.AddTo(table, $"0 to {keys} entries");
        Latencies.OfNothing(length).AddTo(table, "nothing, as long");
        table.Print();
        Console.WriteLine($"{statistics.MemoryBytes >> 20} MB used of {statistics.MemoryLimitBytes >> 20}");
        return 0;
    }

    private static CacheStatistics Grow(int keys, byte[] value, Latencies latencies)
    {
        using var store = new CacheStore(new CacheOptions
        {
            MemoryLimitBytes = (long)keys * (value.Length + EntryBytes) + SlackBytes,
        });
        byte[] key = new byte[BenchKey.Length];
        for (int i = 0; i < keys; i++)
        {
            BenchKey.Write(i, key);
            BinaryPrimitives.WriteInt32LittleEndian(value, i);
            long start = Stopwatch.GetTimestamp();
            var status = store.Set(key, value);
            latencies.Add(start);
            if (status != WriteStatus.Done)
                throw new WrongAnswerException($"SET of key {i}: {status}.");
        }

        return store.GetStatistics();
    }
}
