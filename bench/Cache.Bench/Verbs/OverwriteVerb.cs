using System.Buffers.Binary;
using System.CommandLine;
using System.Diagnostics;
using Cache.Bench.Subjects;
using Cache.Core;

namespace Cache.Bench.Verbs;

/// <summary>What overwriting with other sizes costs in a store that is as full as its slack allows.</summary>
internal static class OverwriteVerb
{
    // The store is written so often as a whole before anything is measured.
    private const int WarmRounds = 2;

    private static readonly Option<int> _slack = new("--slack")
    {
        Description = "By how many percent the limit is above what the entries take.",
        DefaultValueFactory = static _ => 25,
    };

    public static Command Create()
    {
        var verb = new Command("overwrite", "Overwrites random keys with values of other sizes, at the limit.")
        {
            SubjectOptions.Keys, SubjectOptions.Value, _slack,
        };
        _slack.RequireBetween(5, 400);
        verb.SetAction(Run);
        return verb;
    }

    private static int Run(ParseResult arguments)
    {
        int keys = arguments.GetValue(SubjectOptions.Keys);
        int valueLength = arguments.GetValue(SubjectOptions.Value);
        long bytes = BytesOf(keys, valueLength);
        using var store = new CacheStore(new CacheOptions
        {
            MemoryLimitBytes = bytes + bytes * arguments.GetValue(_slack) / 100,
            Eviction = EvictionPolicy.None,
        });
        var random = new Random(1);
        for (int i = 0; i < keys; i++)
            Set(store, i, LengthOf(random, valueLength));
        for (int i = 0; i < WarmRounds; i++)
            Overwrite(store, random, keys, valueLength);
        long copied = store.CopiedBytes;
        long start = Stopwatch.GetTimestamp();
        long written = Overwrite(store, random, keys, valueLength);
        var length = Stopwatch.GetElapsedTime(start);
        copied = store.CopiedBytes - copied;
        var statistics = store.GetStatistics();
        if (statistics.Count != keys || statistics.Evictions != 0)
            throw new WrongAnswerException($"{statistics.Count} of {keys} entries are there.");

        var table = new TextTable("overwrites", "ns each", "bytes written", "bytes copied", "copied per written");
        table.Add(
            $"{keys}", $"{length.TotalNanoseconds / keys:F0}", $"{written}", $"{copied}",
            $"{(double)copied / written:F2}");
        table.Print();
        Console.WriteLine($"{bytes >> 20} MB of entries, {statistics.MemoryBytes >> 20} MB used of "
            + $"{statistics.MemoryLimitBytes >> 20}; values of {valueLength / 2} to {valueLength * 3 / 2} bytes");
        return 0;
    }

    // What the entries take by themselves, index and all.
    private static long BytesOf(int keys, int valueLength)
    {
        using var store = new CacheStore(new CacheOptions
        {
            MemoryLimitBytes = (64L << 20) + (long)keys * (2 * valueLength + 128),
            Eviction = EvictionPolicy.None,
        });
        var random = new Random(1);
        for (int i = 0; i < keys; i++)
            Set(store, i, LengthOf(random, valueLength));
        return store.GetStatistics().MemoryBytes;
    }

    private static long Overwrite(CacheStore store, Random random, int keys, int valueLength)
    {
        long written = 0;
        for (int i = 0; i < keys; i++)
            written += Set(store, random.Next(keys), LengthOf(random, valueLength));
        return written;
    }

    private static int LengthOf(Random random, int valueLength) =>
        random.Next(valueLength / 2, valueLength * 3 / 2 + 1);

    private static int Set(CacheStore store, int index, int length)
    {
        Span<byte> key = stackalloc byte[BenchKey.Length];
        BenchKey.Write(index, key);
        Span<byte> value = stackalloc byte[length];
        BinaryPrimitives.WriteInt32LittleEndian(value, index);
        if (store.Set(key, value) is var status and not WriteStatus.Done)
            throw new WrongAnswerException($"SET of key {index}: {status}.");
        return BenchKey.Length + length;
    }
}
