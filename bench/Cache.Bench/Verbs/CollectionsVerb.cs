using System.Buffers.Binary;
using System.CommandLine;
using System.Diagnostics;
using Cache.Bench.Subjects;
using Cache.Core;

namespace Cache.Bench.Verbs;

/// <summary>
/// Large collections in a store: their longest steps, what freeing one takes, collections of garbage, churn.
/// </summary>
internal static class CollectionsVerb
{
    private const int NameLength = 16;
    private const int Forced = 5;
    private const int Rounds = 3;
    private const int Stride = 618_033_989; // A prime: it comes by all numbers once, in no order.
    private const int WarmUps = 200;
    private const int Removals = 5;
    private const long CachedBytes = 1 << 20; // Pages that each processor keeps.
    private const int ChurnKeys = 200;
    private const int ChurnMembers = 1_000;
    private const int ChurnLengthMax = 400;
    private const int ChurnLengthStep = (ChurnLengthMax - NameLength) / 4;

    private static readonly TimeSpan _patience = TimeSpan.FromSeconds(30);
    private static readonly Option<int> _elements =
        Count("--elements", "Of the collections that are timed.", 1_000_000);

    private static readonly Option<int> _freed = Count("--freed", "Of the set that is removed.", 10_000_000);
    private static readonly Option<int> _kept = Count("--kept", "Of the set beside forced collections.", 50_000_000);

    public static Command Create()
    {
        var verb = new Command("collections", "The longest steps of large collections in a store, and what they leave.")
        {
            _elements, _freed, _kept,
        };
        foreach (var option in new[] { _elements, _freed, _kept })
            option.RequireAtLeast(10_000);
        verb.SetAction(Run);
        return verb;
    }

    private static Option<int> Count(string name, string description, int elements) => new(name)
    {
        Description = description,
        DefaultValueFactory = _ => elements,
    };

    private static int Run(ParseResult arguments)
    {
        PrintMeans(arguments.GetValue(_elements));
        PrintSteps(arguments.GetValue(_elements));
        PrintFreeing(arguments.GetValue(_freed));
        PrintChurn();
        PrintForced(arguments.GetValue(_kept));
        return 0;
    }

    // To compare with usec_per_call of Redis's INFO commandstats: without a server, and without a clock around each.
    private static void PrintMeans(int elements)
    {
        using var store = CreateStore(elements * 300L);
        byte[] value = new byte[20];
        byte[] read = new byte[value.Length];
        var table = new TextTable("a call, elements at random", "µs, mean");
        Mean(table, null, elements, name => store.Hash("hash"u8).Set(name, value) == WriteStatus.Done);
        Mean(table, null, elements, name => store.SetOf("set"u8).Add(name) == WriteStatus.Done);
        Mean(table, null, elements, name => store.SortedSet("zset"u8).Add(name, ScoreOf(name)) == WriteStatus.Done);
        for (int i = 0; i < Rounds; i++)
        {
            Mean(table, "HGET", elements, name =>
            {
                var sink = new SpanSink(read);
                return store.Hash("hash"u8).TryGet(name, ref sink);
            });
            Mean(table, "SISMEMBER", elements, name => store.SetOf("set"u8).Contains(name));
            Mean(table, "ZSCORE", elements, name =>
                store.SortedSet("zset"u8).GetScore(name, out _) == ReadStatus.Found);
            Mean(table, "ZRANK", elements, name =>
                store.SortedSet("zset"u8).GetRank(name, isReversed: false, out _) == ReadStatus.Found);
            double sign = i % 2 == 0 ? -1 : 1;
            Mean(table, "ZADD, another score", elements, name =>
                store.SortedSet("zset"u8).Add(name, sign * ScoreOf(name)) == WriteStatus.Done);
        }

        table.Print();
    }

    private static void Mean(TextTable table, string? name, int elements, Func<byte[], bool> call)
    {
        byte[] element = new byte[NameLength];
        long start = Stopwatch.GetTimestamp();
        for (int i = 0; i < elements; i++)
        {
            Name((int)((long)i * Stride % elements), element);
            if (!call(element))
                throw new WrongAnswerException($"{name}: element {i}");
        }

        if (name is not null)
            table.Add(name, $"{Stopwatch.GetElapsedTime(start).TotalMicroseconds / elements:F3}");
    }

    private static void PrintSteps(int elements)
    {
        using var store = CreateStore(elements * 400L);
        var table = new TextTable("operation", "µs, median", "p99", "p99.99", "longest", "bytes allocated");
        byte[] value = new byte[20];
        Time(table, "HSET, new", elements, name => store.Hash("hash"u8).Set(name, value));
        Time(table, "SADD, new", elements, name => store.SetOf("set"u8).Add(name));
        Time(table, "ZADD, new", elements, name => store.SortedSet("zset"u8).Add(name, ScoreOf(name)));
        Time(table, "RPUSH", elements, name => store.List("list"u8).Push(ListEnd.Right, name));
        Time(table, "HSET, there", elements, name => store.Hash("hash"u8).Set(name, value));
        Time(table, "ZADD, another score", elements, name => store.SortedSet("zset"u8).Add(name, -ScoreOf(name)));
        Time(table, "SREM", elements, name => store.SetOf("set"u8).Remove(name));
        Time(table, "HDEL", elements, name => store.Hash("hash"u8).Remove(name));
        Time(table, "ZREM", elements, name => store.SortedSet("zset"u8).Remove(name));
        table.Print();
    }

    private static void Time(TextTable table, string name, int elements, Func<byte[], WriteStatus> write)
    {
        var latencies = new Latencies();
        byte[] element = new byte[NameLength];
        long allocated = GC.GetAllocatedBytesForCurrentThread();
        for (int i = 0; i < elements; i++)
        {
            Name(i, element);
            long start = Stopwatch.GetTimestamp();
            var status = write(element);
            latencies.Add(start);
            if (status != WriteStatus.Done)
                throw new WrongAnswerException($"{name}: {status}");
        }

        allocated = GC.GetAllocatedBytesForCurrentThread() - allocated;
        table.Add(
            name, Micros(latencies, 0.5), Micros(latencies, 0.99), Micros(latencies, 0.9999),
            $"{latencies.MaxMs * 1_000:F0}", $"{allocated}");
    }

    // The work of the sweep is what the process takes of the processor until the memory is back.
    private static void PrintFreeing(int elements)
    {
        using var store = CreateStore(elements * 100L);
        for (int i = 0; i < WarmUps; i++)
        {
            Fill(store, ChurnMembers);
            store.Remove("set"u8);
        }

        var table = new TextTable("a set of", "DEL, µs", "memory back after, ms", "work, ms");
        for (int i = 0; i < Removals; i++)
            Free(store, elements, table);
        table.Print();
    }

    private static void Free(CacheStore store, int elements, TextTable table)
    {
        long before = store.GetStatistics().MemoryBytes;
        Fill(store, elements);
        long left = before + (store.GetStatistics().MemoryBytes - before) / 100 + CachedBytes;
        var process = Process.GetCurrentProcess();
        var work = process.TotalProcessorTime;
        long start = Stopwatch.GetTimestamp();
        store.Remove("set"u8);
        double removedUs = Stopwatch.GetElapsedTime(start).TotalMicroseconds;
        while (store.GetStatistics().MemoryBytes > left)
        {
            if (Stopwatch.GetElapsedTime(start) > _patience)
                throw new WrongAnswerException("The memory does not come back.");
            Thread.Sleep(5);
        }

        double freedMs = Stopwatch.GetElapsedTime(start).TotalMilliseconds;
        process.Refresh(); // It remembers its times.
        work = process.TotalProcessorTime - work;
        table.Add($"{elements}", $"{removedUs:F1}", $"{freedMs:F0}", $"{work.TotalMilliseconds:F0}");
    }

    // Sets of short members that become sets of longer ones: pages of other lengths are wanted.
    private static void PrintChurn()
    {
        using var store = CreateStore((long)ChurnKeys * ChurnMembers * ChurnLengthMax * 3);
        long before = store.GetStatistics().MemoryBytes;
        var table = new TextTable("churn, members of", "MB", "of whole slabs, %", "a second later, %");
        byte[] member = new byte[ChurnLengthMax];
        for (int length = NameLength; length <= ChurnLengthMax; length += ChurnLengthStep)
        {
            for (int i = 0; i < ChurnKeys * ChurnMembers; i++)
                Churn(store, i, member, length);
            double now = UsedPercent(store, before);
            Thread.Sleep(1_000);
            long bytes = store.GetStatistics().MemoryBytes;
            table.Add($"{length}", $"{bytes >> 20}", $"{now:F1}", $"{UsedPercent(store, before):F1}");
        }

        table.Print();
    }

    // Half of the members stay for the next length.
    private static void Churn(CacheStore store, int number, byte[] member, int length)
    {
        Span<byte> key = stackalloc byte[sizeof(int)];
        BinaryPrimitives.WriteInt32BigEndian(key, number % ChurnKeys);
        Name(number, member);
        var set = store.SetOf(key);
        for (int earlier = NameLength; earlier < length && number % 2 == 0; earlier += ChurnLengthStep)
            set.Remove(member.AsSpan(0, earlier));
        set.Add(member.AsSpan(0, length));
    }

    private static double UsedPercent(CacheStore store, long before)
    {
        long used = 0;
        Span<byte> key = stackalloc byte[sizeof(int)];
        for (int i = 0; i < ChurnKeys; i++)
        {
            BinaryPrimitives.WriteInt32BigEndian(key, i);
            if (store.TryPeekInfo(key, out var info))
                used += info.MemoryBytes;
        }

        return 100.0 * used / (store.GetStatistics().MemoryBytes - before);
    }

    private static void PrintForced(int elements)
    {
        double before = ForcedMs();
        using var store = CreateStore(elements * 100L);
        Fill(store, elements);
        var table = new TextTable("a set of", "forced gen2 without it, ms", "with it, ms");
        table.Add($"{elements}", $"{before:F2}", $"{ForcedMs():F2}");
        table.Print();
    }

    private static double ForcedMs()
    {
        var samples = new double[Forced];
        for (int i = 0; i < Forced; i++)
        {
            long start = Stopwatch.GetTimestamp();
            GC.Collect(GC.MaxGeneration, GCCollectionMode.Forced, blocking: true, compacting: false);
            samples[i] = Stopwatch.GetElapsedTime(start).TotalMilliseconds;
        }

        Array.Sort(samples);
        return samples[Forced / 2];
    }

    private static CacheStore CreateStore(long bytes) => new(new CacheOptions
    {
        MemoryLimitBytes = bytes + (64 << 20),
        Eviction = EvictionPolicy.None,
    });

    private static void Fill(CacheStore store, int elements)
    {
        Span<byte> name = stackalloc byte[NameLength];
        for (int i = 0; i < elements; i++)
        {
            Name(i, name);
            if (store.SetOf("set"u8).Add(name) != WriteStatus.Done)
                throw new WrongAnswerException($"The store refused element {i}.");
        }
    }

    // In no order: numbers times an odd one.
    private static void Name(int number, Span<byte> name)
    {
        BinaryPrimitives.WriteUInt64BigEndian(name, (ulong)number * 0x9E3779B97F4A7C15);
        BinaryPrimitives.WriteInt32BigEndian(name[8..], number);
        name[12..NameLength].Fill((byte)'m');
    }

    private static double ScoreOf(ReadOnlySpan<byte> name) => BinaryPrimitives.ReadUInt32BigEndian(name) + 1.0;

    private static string Micros(Latencies latencies, double part) => $"{latencies.QuantileUs(part):F1}";
}
