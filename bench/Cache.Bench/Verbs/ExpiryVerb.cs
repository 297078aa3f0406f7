using System.CommandLine;
using System.Diagnostics;
using Cache.Bench.Subjects;
using Cache.Core;

namespace Cache.Bench.Verbs;

/// <summary>When the memory of entries that are all due at once is back, and who waits for it.</summary>
internal static class ExpiryVerb
{
    private const int Lasting = 10_000;
    private const int LoadsPerMs = 200;
    private const int MarginMs = 1_000;
    private const int PatienceMs = 60_000;
    private const int PollEvery = 256;

    public static Command Create()
    {
        var verb = new Command("expiry", "Lets all entries expire at one moment, under load of reads and writes.")
        {
            SubjectOptions.Keys, SubjectOptions.Value,
        };
        verb.SetAction(Run);
        return verb;
    }

    private static int Run(ParseResult arguments)
    {
        int keys = arguments.GetValue(SubjectOptions.Keys);
        int valueLength = arguments.GetValue(SubjectOptions.Value);
        using var store = new CacheStore(new CacheOptions
        {
            MemoryLimitBytes = (64L << 20) + (long)keys * (valueLength + 128),
        });
        byte[] value = new byte[valueLength];
        byte[] key = new byte[BenchKey.Length];
        for (int i = 0; i < Lasting; i++)
            Set(store, key, keys + i, value, default);
        long empty = store.GetStatistics().MemoryBytes;
        long dueMs = store.NowMs + keys / LoadsPerMs + MarginMs;
        for (int i = 0; i < keys; i++)
            Set(store, key, i, value, new EntryOptions { ExpiresAtMs = dueMs });
        long full = store.GetStatistics().MemoryBytes;
        if (store.NowMs >= dueMs)
            throw new WrongAnswerException("Loading took too long: some were due before all were there.");

        Work(store, dueMs, valueLength, keys, () => store.NowMs < dueMs, new Latencies());
        var latencies = new Latencies();
        long backMs = 0;
        long start = Stopwatch.GetTimestamp();
        Work(store, dueMs, valueLength, keys, () =>
        {
            backMs = store.NowMs - dueMs;
            bool isBack = store.GetStatistics().MemoryBytes - empty < (full - empty) / 20 && store.ExpiringCount == 0;
            return !isBack && backMs < PatienceMs;
        }, latencies);
        var length = Stopwatch.GetElapsedTime(start);
        long left = store.GetStatistics().MemoryBytes;

        var table = Latencies.CreateTable("operation from the moment on");
        latencies.AddTo(table, "half GET, half SET");
        Latencies.OfNothing(length).AddTo(table, "nothing, as long");
        table.Print();
        Console.WriteLine($"{full >> 20} MB before, {left >> 20} MB after, {empty >> 20} MB without them; "
            + $"back after {backMs} ms");
        if (store.Count != Lasting)
            throw new WrongAnswerException($"{store.Count} entries are there; {Lasting} were to stay.");
        return 0;
    }

    private static void Work(
        CacheStore store, long dueMs, int valueLength, int keys, Func<bool> goesOn, Latencies latencies)
    {
        byte[] key = new byte[BenchKey.Length];
        byte[] value = new byte[valueLength];
        var random = new Random(1);
        while (goesOn())
        {
            for (int i = 0; i < PollEvery; i += 2)
            {
                // Any entry is read, due or not; only those that last are written.
                BenchKey.Write(random.Next(keys + Lasting), key);
                var sink = new SpanSink(value);
                long start = Stopwatch.GetTimestamp();
                bool found = store.TryGet(key, ref sink);
                latencies.Add(start);
                if (found && sink.Length != valueLength)
                    throw new WrongAnswerException("A value has another length than was written.");
                BenchKey.Write(keys + random.Next(Lasting), key);
                start = Stopwatch.GetTimestamp();
                var status = store.Set(key, value);
                latencies.Add(start);
                if (status != WriteStatus.Done)
                    throw new WrongAnswerException($"SET {store.NowMs - dueMs} ms after the moment: {status}.");
            }
        }
    }

    private static void Set(CacheStore store, byte[] key, int index, byte[] value, in EntryOptions options)
    {
        BenchKey.Write(index, key);
        if (store.Set(key, value, options) != WriteStatus.Done)
            throw new WrongAnswerException($"SET of key {index} was refused.");
    }
}
