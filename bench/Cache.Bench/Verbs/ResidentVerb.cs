using System.CommandLine;
using System.Diagnostics;
using System.Globalization;
using Cache.Bench.Subjects;
using Cache.Core;

namespace Cache.Bench.Verbs;

/// <summary>The process's memory above its own while many threads write at the limit.</summary>
internal static class ResidentVerb
{
    // A limit holds in resident memory if this is not passed.
    private const double RatioMax = 1.15;

    private static readonly Option<string> _limits = new("--limits")
    {
        Description = "Limits in megabytes, each at least 8.",
        DefaultValueFactory = static _ => "64,256,2048",
    };

    private static readonly Option<int> _threads = new("--threads")
    {
        Description = "Threads that write.",
        DefaultValueFactory = static _ => 16,
    };

    private static readonly Option<int> _seconds = new("--seconds")
    {
        Description = "How long to write once the limit was written.",
        DefaultValueFactory = static _ => 3,
    };

    private static readonly Option<string> _only = new("--only")
    {
        Description = "Measures only patterns whose name contains this.",
        DefaultValueFactory = static _ => "",
    };

    public static Command Create()
    {
        var verb = new Command("resident", "Resident memory above the process's own at the limit, by sizes of values.")
        {
            _limits, _threads, _seconds, _only, ChildProcess.Subject,
        };
        _threads.RequireAtLeast(1);
        _seconds.RequireAtLeast(1);
        verb.SetAction(Run);
        return verb;
    }

    private static int Run(ParseResult arguments)
    {
        int threads = arguments.GetValue(_threads);
        int seconds = arguments.GetValue(_seconds);
        if (arguments.GetValue(ChildProcess.Subject) is { } subject)
        {
            string[] parts = subject.Split('/', 2);
            long limit = long.Parse(parts[0], CultureInfo.InvariantCulture) << 20;
            Measure(limit, ValueSizes.Named(parts[1]), threads, TimeSpan.FromSeconds(seconds));
            return 0;
        }

        var table = new TextTable(
            "limit MB", "sizes", "MB/s", "refused", "counted MB", "resident MB", "most resident / limit",
            "at the end", "");
        string[] child = ["resident", "--threads", $"{threads}", "--seconds", $"{seconds}"];
        foreach (string limit in SubjectOptions.Split(arguments.GetValue(_limits)))
        {
            foreach (var sizes in ValueSizes.All.Where(sizes => sizes.Name.Contains(arguments.GetValue(_only)!)))
            {
                double[] figures = ChildProcess.Run(child, $"{limit}/{sizes.Name}");
                table.Add(
                    limit, sizes.Name, $"{figures[0]:F0}", $"{figures[1]}", $"{figures[2]:F1}", $"{figures[3]:F1}",
                    $"{figures[4]:F3}", $"{figures[5]:F3}", figures[4] <= RatioMax ? "" : "beyond");
            }
        }

        Console.WriteLine(
            $"{threads} threads, {seconds} s each in a process of its own; a third of the keys is removed again.");
        table.Print();
        return 0;
    }

    private static void Measure(long limit, ValueSizes sizes, int threads, TimeSpan length)
    {
        byte[] value = new byte[ValueSizes.LengthMax];
        new Random(1).NextBytes(value);
        using (var warm = new CacheStore(new CacheOptions { MemoryLimitBytes = 8 << 20 }))
        {
            BenchThreads.Run(threads, index =>
                Write(warm, value, sizes, index, threads, 1 << 20, TimeSpan.FromMilliseconds(500), out _));
        }

        long own = ResidentMemory.Read();
        using var store = new CacheStore(new CacheOptions { MemoryLimitBytes = limit });
        long written = 0;
        long refused = 0;
        long start = Stopwatch.GetTimestamp();
        var (worst, held, counted) = (0.0, 0.0, 0.0);
        using var done = new CancellationTokenSource();
        var sampler = new Thread(() =>
        {
            using var resident = new ResidentPages();
            while (!done.IsCancellationRequested)
            {
                double now = resident.ReadBytes() - own;
                if (now / limit > worst)
                    (worst, held, counted) = (now / limit, now, store.GetStatistics().MemoryBytes);
                Thread.Sleep(2);
            }
        });
        sampler.Start();
        BenchThreads.Run(threads, index =>
        {
            long bytes = Write(store, value, sizes, index, threads, limit / threads * 2, length, out long no);
            Interlocked.Add(ref written, bytes);
            Interlocked.Add(ref refused, no);
        });
        var elapsed = Stopwatch.GetElapsedTime(start);
        done.Cancel();
        sampler.Join();
        double atEnd = (double)(ResidentMemory.Read() - own) / limit;
        ChildProcess.Report(
            written / elapsed.TotalSeconds / (1 << 20), refused, counted / (1 << 20), held / (1 << 20), worst, atEnd);
    }

    /// <summary>Writes at least so many bytes, and at least so long.</summary>
    private static long Write(
        CacheStore store, byte[] value, ValueSizes sizes, int index, int threads, long bytesMin, TimeSpan length,
        out long refused)
    {
        var random = new Random(index + 1);
        Span<byte> key = stackalloc byte[BenchKey.Length];
        long start = Stopwatch.GetTimestamp();
        long bytes = 0;
        refused = 0;
        for (int i = 0; bytes < bytesMin || Stopwatch.GetElapsedTime(start) < length; i++)
        {
            int valueLength = sizes.Next(random, i, Stopwatch.GetElapsedTime(start));
            BenchKey.Write(i * threads + index, key);
            var status = store.Set(key, value.AsSpan(0, valueLength));
            if (status is not (WriteStatus.Done or WriteStatus.OutOfMemory))
                throw new WrongAnswerException($"SET of {valueLength} bytes: {status}.");
            bytes += valueLength;
            refused += status == WriteStatus.Done ? 0 : 1;
            if (random.Next(3) != 0)
                continue;
            BenchKey.Write(random.Next(i + 1) * threads + index, key);
            store.Remove(key);
        }

        return bytes;
    }
}
