using System.CommandLine;
using System.Diagnostics;
using Cache.Bench.Subjects;
using Cache.Core;
using Cache.Core.Hybrid;

namespace Cache.Bench.Verbs;

/// <summary>
/// Times hits of the hybrid cache beside others and the serializer alone, and counts a stampede's factories.
/// </summary>
internal static class HybridVerb
{
    private const int Callers = 1_000;

    // Calls of a loop before its code is compiled for good, and the pauses in which the compiler comes to it.
    private const int WarmUpRounds = 16;
    private static readonly TimeSpan _warmUpPause = TimeSpan.FromMilliseconds(150);

    private static readonly Option<string> _only = new("--only")
    {
        Description = "Times only what has this in its name, as \"JSON\" or \"JSON, ours\".",
        DefaultValueFactory = static _ => "",
    };

    public static Command Create()
    {
        var verb = new Command("hybrid", "Times hits of the hybrid cache, and counts the factories of a stampede.")
        {
            TimingOptions.Rounds, _only,
        };
        verb.SetAction(static arguments =>
            RunAsync(arguments.GetValue(TimingOptions.Rounds), arguments.GetValue(_only)!));
        return verb;
    }

    private static async Task<int> RunAsync(int rounds, string only)
    {
        using var store = new CacheStore(new CacheOptions { MemoryLimitBytes = 256 << 20 });
        IHybridSubject[] subjects = [HybridSubject.OfStore(store), HybridSubject.OfMicrosoft(),
            FusionSubject.Shared(), FusionSubject.Cloned()];
        var operations = new HybridOperations(subjects);
        await operations.FillAsync();
        foreach (var subject in subjects)
            Console.WriteLine($"{subject.Name}: {operations.Sharing(subject)}");
        Console.WriteLine($"{HybridOperations.Keys} entries, keys of 16 characters, JSON of {operations.JsonLength}"
            + $" bytes; medians of {rounds} interleaved samples.");
        Print(Measure([.. operations.All.Where(one => $"{one.Kind}, {one.From}".Contains(only))], rounds));
        await RunStampedeAsync(store);
        return 0;
    }

    private static Dictionary<(string Kind, string From), List<(double Ns, double Bytes)>> Measure(
        (string Kind, string From, Action Run)[] operations, int rounds)
    {
        var samples = operations.ToDictionary(
            static one => (one.Kind, one.From), static _ => new List<(double, double)>());
        for (int round = -WarmUpRounds; round < rounds; round++)
        {
            for (int i = 0; i < operations.Length; i++)
            {
                var (kind, from, run) = operations[(i + WarmUpRounds + round) % operations.Length];
                var sample = Sample(run);
                if (round >= 0)
                    samples[(kind, from)].Add(sample);
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

    private static void Print(Dictionary<(string Kind, string From), List<(double Ns, double Bytes)>> samples)
    {
        var table = new TextTable("value", "from", "ns", "B/op");
        foreach (var ((kind, from), ofBoth) in samples)
        {
            double ns = Median(ofBoth.Select(static sample => sample.Ns));
            table.Add(kind, from, $"{ns:F0}", $"{Median(ofBoth.Select(static sample => sample.Bytes)):F1}");
        }

        table.Print();
        if (!samples.TryGetValue((HybridOperations.Json, HybridOperations.Alone), out var alone))
            return;
        foreach (var ((kind, from), ofBoth) in samples)
        {
            if (kind != HybridOperations.Json || from == HybridOperations.Alone)
                continue;
            double ratio = Median(ofBoth.Zip(alone, static (one, other) => one.Ns / other.Ns));
            Console.WriteLine($"{kind}, {from} / {HybridOperations.Alone}: {ratio:F2}");
        }
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
