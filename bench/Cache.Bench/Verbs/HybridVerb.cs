using System.CommandLine;
using System.Diagnostics;
using Cache.Bench.Subjects;
using Cache.Core;
using Cache.Core.Hybrid;

namespace Cache.Bench.Verbs;

/// <summary>Times hits of the hybrid cache beside the serializer alone, and counts a stampede's factories.</summary>
internal static class HybridVerb
{
    private const int Callers = 1_000;

    // Calls of a loop before its code is compiled for good, and the pauses in which the compiler comes to it.
    private const int WarmUpRounds = 16;
    private static readonly TimeSpan _warmUpPause = TimeSpan.FromMilliseconds(150);

    public static Command Create()
    {
        var verb = new Command("hybrid", "Times hits of the hybrid cache, and counts the factories of a stampede.")
        {
            TimingOptions.Rounds,
        };
        verb.SetAction(static arguments => RunAsync(arguments.GetValue(TimingOptions.Rounds)));
        return verb;
    }

    private static async Task<int> RunAsync(int rounds)
    {
        using var store = new CacheStore(new CacheOptions { MemoryLimitBytes = 256 << 20 });
        var operations = new HybridOperations(new StoreHybridCache(store, new HybridStoreOptions()));
        await operations.FillAsync();
        Console.WriteLine($"{HybridOperations.Keys} entries, keys of 16 characters, JSON of {operations.JsonLength}"
            + $" bytes, arrays of {HybridOperations.ArrayLength}; medians of {rounds} interleaved samples.");
        Print(Measure(operations.All, rounds));
        await RunStampedeAsync(store);
        return 0;
    }

    private static Dictionary<string, List<(double Ns, double Bytes)>> Measure(
        (string Name, Action Run)[] operations, int rounds)
    {
        var samples = operations.ToDictionary(static one => one.Name, static _ => new List<(double, double)>());
        for (int round = -WarmUpRounds; round < rounds; round++)
        {
            foreach (var (name, run) in operations)
            {
                var sample = Sample(run);
                if (round >= 0)
                    samples[name].Add(sample);
            }

            if (round < 0)
            {
                using var pause = new ManualResetEventSlim();
                pause.Wait(_warmUpPause);
            }
        }

        return samples;
    }

    private static (double Ns, double Bytes) Sample(Action run)
    {
        long bytes = GC.GetAllocatedBytesForCurrentThread();
        long start = Stopwatch.GetTimestamp();
        run();
        double ns = Stopwatch.GetElapsedTime(start).TotalNanoseconds;
        bytes = GC.GetAllocatedBytesForCurrentThread() - bytes;
        return (ns / HybridOperations.Calls, (double)bytes / HybridOperations.Calls);
    }

    private static void Print(Dictionary<string, List<(double Ns, double Bytes)>> samples)
    {
        var table = new TextTable("operation", "ns", "B/op");
        foreach (var (name, ofName) in samples)
        {
            double ns = Median(ofName.Select(static sample => sample.Ns));
            table.Add(name, $"{ns:F0}", $"{Median(ofName.Select(static sample => sample.Bytes)):F1}");
        }

        table.Print();
        double ratio = Median(samples[HybridOperations.JsonHit].Select(static s => s.Ns))
            / Median(samples[HybridOperations.JsonAlone].Select(static s => s.Ns));
        Console.WriteLine($"{HybridOperations.JsonHit} / {HybridOperations.JsonAlone}: {ratio:F2}");
    }

    private static double Median(IEnumerable<double> values)
    {
        double[] sorted = [.. values.Order()];
        return sorted[sorted.Length / 2];
    }

    private static async Task RunStampedeAsync(CacheStore store)
    {
        var cache = new StoreHybridCache(store, new HybridStoreOptions());
        var release = new TaskCompletionSource();
        int factories = 0;
        var callers = new Task<string>[Callers];
        for (int i = 0; i < Callers; i++)
        {
            callers[i] = Task.Run(() => cache.GetOrCreateAsync("stampede", async _ =>
            {
                Interlocked.Increment(ref factories);
                await release.Task;
                return "value";
            }).AsTask());
        }

        while (cache.GetStatistics().Misses < Callers)
            await Task.Yield();
        release.SetResult();
        await Task.WhenAll(callers);
        Console.WriteLine($"{Callers} concurrent misses of one key: {factories} factory calls");
        if (factories != 1)
            throw new WrongAnswerException($"{factories} factories ran for one key.");
    }
}
