using System.CommandLine;
using System.Diagnostics;
using Cache.Bench.Subjects;
using Cache.Core;

namespace Cache.Bench.Verbs;

/// <summary>Times GET and SET of entries that expire, and of many keys, beside those of plain ones.</summary>
/// <remarks>
/// One thread, plain loops over random byte keys, which were read just before; their entries were not. A sample of each
/// in turn, so whatever else runs on the machine disturbs all of them.
/// </remarks>
internal static class VariantsVerb
{
    // As in the other verbs: until the loops are compiled for good.
    private const int WarmUpRounds = 16;
    private static readonly TimeSpan _warmUpPause = TimeSpan.FromMilliseconds(150);

    private static readonly Option<string> _only = new("--only")
    {
        Description = "Times only what has this in its name, as \"TTL\", and what that is compared with.",
        DefaultValueFactory = static _ => "",
    };

    public static Command Create()
    {
        var verb = new Command("variants", "Times entries with expiries, and batches, beside plain GET and SET.")
        {
            SubjectOptions.Keys, SubjectOptions.Value, TimingOptions.Rounds, _only,
        };
        verb.SetAction(static arguments => Run(
            arguments.GetValue(SubjectOptions.Keys), arguments.GetValue(SubjectOptions.Value),
            arguments.GetValue(TimingOptions.Rounds), arguments.GetValue(_only)!));
        return verb;
    }

    private static int Run(int keys, int valueLength, int rounds, string only)
    {
        Variant[] all = [.. VariantLoops.All(keys, valueLength)];
        string[] baselines = [.. all.Where(one => one.Name.Contains(only)).Select(static one => one.Beside)];
        Variant[] variants =
            [.. all.Where(one => one.Name.Contains(only) || baselines.Contains(one.Name))];
        var samples = variants.ToDictionary(static one => one, static _ => new List<double>());
        var random = new Random(1);
        for (int round = -WarmUpRounds; round < rounds; round++)
        {
            for (int i = 0; i < variants.Length; i++)
            {
                var variant = variants[(i + WarmUpRounds + round) % variants.Length];
                VariantKeys[] blocks = [.. Enumerable.Range(0, VariantKeys.PerSample)
                    .Select(_ => new VariantKeys(random, keys, valueLength))];
                double ns = Sample(variant, blocks);
                if (round >= 0)
                    samples[variant].Add(ns);
            }

            if (round >= 0)
                continue;
            using var pause = new ManualResetEventSlim();
            pause.Wait(_warmUpPause);
        }

        Print(variants, samples, keys, valueLength, rounds);
        foreach (var store in all.Select(static one => one.Store).Distinct())
            store.Dispose();
        return 0;
    }

    private static double Sample(in Variant variant, VariantKeys[] blocks)
    {
        long ticks = 0;
        int wrong = 0;
        // What ran before was perhaps another store's, and has taken the caches of addresses and of branches.
        foreach (var block in blocks.AsSpan(0, VariantKeys.Untimed))
            wrong += variant.Run(block);
        foreach (var block in blocks.AsSpan(VariantKeys.Untimed))
        {
            block.Warm();
            long start = Stopwatch.GetTimestamp();
            wrong += variant.Run(block);
            ticks += Stopwatch.GetTimestamp() - start;
        }

        if (wrong != 0)
            throw new WrongAnswerException($"{wrong} wrong answers to {variant.Name}.");
        int operations = (blocks.Length - VariantKeys.Untimed) * VariantKeys.Count;
        return Stopwatch.GetElapsedTime(0, ticks).TotalNanoseconds / operations;
    }

    private static void Print(
        Variant[] variants, Dictionary<Variant, List<double>> samples, int keys, int valueLength, int rounds)
    {
        Console.WriteLine($"{keys} entries, keys of {BenchKey.Length} bytes, values of {valueLength}; one thread; "
            + $"medians of {rounds} interleaved samples.");
        var table = new TextTable("operation", "ns", "beside", "ratio, median of the rounds");
        foreach (var variant in variants)
        {
            var own = samples[variant];
            var baseline = variants.First(other => other.Name == variant.Beside);
            table.Add(
                variant.Name, $"{Median(own):F0}", variant.Beside,
                $"{Median(own.Zip(samples[baseline], static (ns, other) => ns / other)):F2}");
        }

        table.Print();
    }

    private static double Median(IEnumerable<double> samples)
    {
        double[] sorted = [.. samples.Order()];
        return sorted[sorted.Length / 2];
    }
}
