using System.Buffers.Binary;
using System.CommandLine;
using System.Diagnostics;
using Cache.Bench.Subjects;
using Cache.Core;

namespace Cache.Bench.Verbs;

/// <summary>What a write that evicts costs where a store has very many segments, as one of a terabyte has.</summary>
/// <remarks>
/// The size of segments follows the first limit: a store that begins with the least, and is given more, has as many of
/// 4 KB as one of 512 times its size has of 2 MB.
/// </remarks>
internal static class SegmentsVerb
{
    private const int FirstLimitBytes = 1 << 20;
    private const int SegmentBytes = 4 << 10;
    private const int Writes = 200_000;

    private static readonly Option<int[]> _limits = new("--limits")
    {
        Description = "Limits in megabytes; each has 256 segments a megabyte.",
        AllowMultipleArgumentsPerToken = true,
        DefaultValueFactory = static _ => [4, 64, 256, 1024],
    };

    public static Command Create()
    {
        var verb = new Command("segments", "Writes new keys at the limit, in stores of more and more segments.")
        {
            SubjectOptions.Value, _limits, TimingOptions.Rounds,
        };
        verb.SetAction(static arguments => Run(
            arguments.GetValue(SubjectOptions.Value), arguments.GetValue(_limits)!,
            arguments.GetValue(TimingOptions.Rounds)));
        return verb;
    }

    private static int Run(int valueLength, int[] limits, int rounds)
    {
        var stores = limits.Select(limit => Full(limit, valueLength)).ToArray();
        var samples = limits.Select(static _ => new List<double>()).ToArray();
        long next = 1L << 40;
        for (int round = 0; round < rounds; round++)
        {
            for (int i = 0; i < stores.Length; i++)
            {
                long start = Stopwatch.GetTimestamp();
                Write(stores[i], ref next, Writes, valueLength);
                samples[i].Add(Stopwatch.GetElapsedTime(start).TotalNanoseconds / Writes);
            }
        }

        var table = new TextTable("limit, MB", "segments", "SET of a new key, ns", "for each segment evicted, us");
        double recordsPerSegment = SegmentBytes / (double)RecordBytes(valueLength);
        for (int i = 0; i < limits.Length; i++)
        {
            double ns = samples[i].Order().ElementAt(rounds / 2);
            table.Add(
                $"{limits[i]}", $"{(long)limits[i] * (1 << 20) / SegmentBytes}", $"{ns:F0}",
                $"{ns * recordsPerSegment / 1_000:F1}");
            stores[i].Dispose();
        }

        table.Print();
        return 0;
    }

    private static CacheStore Full(int limitMegabytes, int valueLength)
    {
        var store = new CacheStore(new CacheOptions { MemoryLimitBytes = FirstLimitBytes });
        store.MemoryLimitBytes = (long)limitMegabytes << 20;
        long next = 0;
        while (store.GetStatistics().Evictions == 0)
            Write(store, ref next, 10_000, valueLength);
        return store;
    }

    private static void Write(CacheStore store, ref long next, int count, int valueLength)
    {
        Span<byte> key = stackalloc byte[sizeof(long)];
        byte[] value = new byte[valueLength];
        for (int i = 0; i < count; i++)
        {
            BinaryPrimitives.WriteInt64LittleEndian(key, next++);
            if (store.Set(key, value) != WriteStatus.Done)
                throw new WrongAnswerException("A SET was refused.");
        }
    }

    private static int RecordBytes(int valueLength) => (8 + sizeof(long) + valueLength + 7) & ~7;
}
