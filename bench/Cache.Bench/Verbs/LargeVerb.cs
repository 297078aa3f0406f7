using System.CommandLine;
using System.Diagnostics;
using Cache.Bench.Subjects;
using Cache.Core;

namespace Cache.Bench.Verbs;

/// <summary>What large values of all sizes take of the process's memory, beside what the store counts.</summary>
internal static class LargeVerb
{
    private const int LengthMin = 16 << 10;
    private const int LengthMax = 4 << 20;
    private const int Keys = 4_096;

    private static readonly Option<int> _limit = new("--limit")
    {
        Description = "Megabytes that the store may hold.",
        DefaultValueFactory = static _ => 512,
    };

    private static readonly Option<int> _rounds = new("--rounds")
    {
        Description = "How often the limit is written in all.",
        DefaultValueFactory = static _ => 20,
    };

    public static Command Create()
    {
        var verb = new Command("large", "Writes large values at the limit; resident memory against the store's count.")
        {
            _limit, _rounds,
        };
        _limit.RequireAtLeast(64);
        _rounds.RequireAtLeast(1);
        verb.SetAction(Run);
        return verb;
    }

    private static int Run(ParseResult arguments)
    {
        long limit = (long)arguments.GetValue(_limit) << 20;
        byte[] value = new byte[LengthMax];
        byte[] key = new byte[BenchKey.Length];
        var random = new Random(1);
        random.NextBytes(value);
        long before = ResidentMemory.Read();
        using var store = new CacheStore(new CacheOptions { MemoryLimitBytes = limit });
        var table = new TextTable("written MB", "SET us", "MB/s", "counted MB", "resident MB", "resident / counted");
        for (int round = 0; round < arguments.GetValue(_rounds); round++)
        {
            long written = 0;
            int sets = 0;
            long start = Stopwatch.GetTimestamp();
            for (; written < limit; sets++)
            {
                // As many of each power of two.
                int length = (int)(LengthMin * Math.Pow((double)LengthMax / LengthMin, random.NextDouble()));
                BenchKey.Write(random.Next(Keys), key);
                if (store.Set(key, value.AsSpan(0, length)) is var status and not WriteStatus.Done)
                    throw new WrongAnswerException($"SET of {length} bytes: {status}.");
                written += length;
            }

            var elapsed = Stopwatch.GetElapsedTime(start);
            long counted = store.GetStatistics().MemoryBytes;
            double resident = ResidentMemory.Read() - before;
            table.Add(
                $"{written >> 20}", $"{elapsed.TotalMicroseconds / sets:F0}",
                $"{written / elapsed.TotalSeconds / (1 << 20):F0}", $"{counted >> 20}", $"{resident / (1 << 20):F0}",
                $"{resident / counted:F3}");
        }

        table.Print();
        return 0;
    }
}
