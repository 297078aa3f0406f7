using System.CommandLine;
using System.Diagnostics;
using Cache.Bench.Subjects;
using Cache.Core;

namespace Cache.Bench.Verbs;

/// <summary>Whether keys that collide under an unkeyed hash cost more than others.</summary>
internal static class FloodVerb
{
    private const int Rounds = 5;

    // More than the noise of a busy machine, far less than any collision would cost.
    private const double RatioMax = 1.5;

    public static Command Create()
    {
        var verb = new Command("flood", "Writes and reads keys that collide under an unkeyed hash, and random ones.")
        {
            SubjectOptions.Keys,
        };
        verb.SetAction(Run);
        return verb;
    }

    private static int Run(ParseResult arguments)
    {
        int keys = arguments.GetValue(SubjectOptions.Keys);
        byte[][] crafted = Craft(keys);
        byte[][] random = Draw(keys);
        foreach (byte[] key in crafted)
        {
            if (CollidingKeys.UnkeyedHashOf(key) != CollidingKeys.UnkeyedHashOf(crafted[0]))
                throw new WrongAnswerException("The crafted keys do not collide.");
        }

        var figures = new List<(double Set, double Get, long Bytes)>[] { [], [] };
        for (int round = 0; round < Rounds; round++)
        {
            figures[0].Add(Measure(crafted));
            figures[1].Add(Measure(random));
        }

        var table = new TextTable("keys", "SET ns", "GET ns", "bytes per entry");
        double[] sums = new double[2];
        for (int i = 0; i < figures.Length; i++)
        {
            double set = Median(figures[i].Select(static figure => figure.Set));
            double get = Median(figures[i].Select(static figure => figure.Get));
            sums[i] = set + get;
            table.Add(
                i == 0 ? "crafted" : "random", $"{set:F0}", $"{get:F0}", $"{(double)figures[i][0].Bytes / keys:F1}");
        }

        table.Print();
        Console.WriteLine($"crafted / random {sums[0] / sums[1]:F2}");
        return sums[0] / sums[1] <= RatioMax ? 0 : throw new WrongAnswerException("Crafted keys cost more.");
    }

    private static double Median(IEnumerable<double> values) => values.Order().ElementAt(Rounds / 2);

    private static byte[][] Craft(int keys)
    {
        int length = CollidingKeys.LengthFor(keys);
        return Make(keys, (index, key) => CollidingKeys.Write(index, length, key));
    }

    private static byte[][] Draw(int keys)
    {
        int length = CollidingKeys.LengthFor(keys);
        var random = new Random(1);
        return Make(keys, (index, key) =>
        {
            random.NextBytes(key);
            BitConverter.TryWriteBytes(key, index); // No two are the same.
            return length;
        });
    }

    private static byte[][] Make(int keys, Func<int, byte[], int> write)
    {
        byte[] key = new byte[CollidingKeys.LengthMax];
        var made = new byte[keys][];
        for (int i = 0; i < keys; i++)
            made[i] = key.AsSpan(0, write(i, key)).ToArray();
        return made;
    }

    private static (double Set, double Get, long Bytes) Measure(byte[][] keys)
    {
        using var store = new CacheStore(new CacheOptions { MemoryLimitBytes = (64L << 20) + keys.Length * 256L });
        byte[] value = new byte[64];
        long start = Stopwatch.GetTimestamp();
        foreach (byte[] key in keys)
        {
            if (store.Set(key, value) != WriteStatus.Done)
                throw new WrongAnswerException("A SET was refused.");
        }

        double set = Stopwatch.GetElapsedTime(start).TotalNanoseconds / keys.Length;
        start = Stopwatch.GetTimestamp();
        foreach (byte[] key in keys)
        {
            var sink = new SpanSink(value);
            if (!store.TryGet(key, ref sink))
                throw new WrongAnswerException("An entry is lost.");
        }

        double get = Stopwatch.GetElapsedTime(start).TotalNanoseconds / keys.Length;
        if (store.Count != keys.Length)
            throw new WrongAnswerException($"{store.Count} of {keys.Length} entries are there.");
        return (set, get, store.GetStatistics().MemoryBytes);
    }
}
