using System.Buffers.Text;
using System.Diagnostics;
using Microsoft.Win32.SafeHandles;

namespace Cache.Core.Tests.Layout;

/// <summary>
/// What the process occupies more while threads write at the limit. Nothing else runs meanwhile: it would count too.
/// </summary>
[Collection(nameof(ProcessWideCollection))]
public sealed class ResidentMemoryTests
{
    private const long Limit = 64 << 20;
    private const double RatioMax = 1.15;

    // Of the process itself: stacks, code that is compiled meanwhile, the collector's tables, and what a debug build
    // keeps besides.
    private const long OwnBytes = 12 << 20;

    private const int Threads = 16;
    private const int LengthMax = 1 << 20;

    // Each size is written until the limit was written so often.
    private const int Rounds = 4;

    // Where other processes have the processors, the thread that gives freed pages back comes late for once; what stays
    // resident is so each time.
    private const int AttemptsMax = 3;

    // The method that a process runs which was started for it alone.
    private const string ChildVariable = "CACHE_RESIDENT_TEST";

    [Fact]
    public void Set_OfOneSize_HoldsTheLimitInResidentMemory() =>
        RunAlone(nameof(Set_OfOneSize_HoldsTheLimitInResidentMemory), static () =>
        {
            (int Min, int Max)[] sizes =
            [
                (64, 64), (4_096, 4_096), (40_000, 40_000), (100_000, 100_000), (33_000, 127_000),
                (LengthMax, LengthMax),
            ];
            foreach (var (min, max) in sizes)
                AssertHolds((random, _) => random.Next(min, max + 1));
        });

    [Fact]
    public void Set_OfDriftingSizes_HoldsTheLimitInResidentMemory() =>
        RunAlone(nameof(Set_OfDriftingSizes_HoldsTheLimitInResidentMemory), static () =>
        {
            AssertHolds(static (_, share) => 20_000 + (int)(share * 100_000));
            AssertHolds(static (_, share) => 120_000 - (int)(share * 110_000));
        });

    [Fact]
    public void Set_OfSizesInTurn_HoldsTheLimitInResidentMemory() =>
        RunAlone(nameof(Set_OfSizesInTurn_HoldsTheLimitInResidentMemory), static () =>
        {
            AssertHolds(static (random, _) => random.Next(4) switch
            {
                0 => 64,
                1 => 4_096,
                2 => 100_000,
                _ => LengthMax,
            });
            AssertHolds(static (_, share) => (int)(share * 4) % 2 == 0 ? 4_000 : 100_000);
            AssertHolds(static (_, share) => (int)(share * 4) % 2 == 0 ? 400_000 : 20_000);
        });

    // What other tests of a process leave behind is resident too.
    private static void RunAlone(string method, Action test)
    {
        if (Environment.GetEnvironmentVariable(ChildVariable) == method)
        {
            test();
            return;
        }

        var start = new ProcessStartInfo(Environment.ProcessPath!)
        {
            ArgumentList = { "-method", $"{typeof(ResidentMemoryTests).FullName}.{method}" },
            Environment = { [ChildVariable] = method },
            RedirectStandardOutput = true,
        };
        using var process = Process.Start(start)!;
        string output = process.StandardOutput.ReadToEnd();
        process.WaitForExit();
        Assert.True(process.ExitCode == 0 && output.Contains("Total: 1", StringComparison.Ordinal), output);
    }

    /// <param name="length">The length of a value, by what share of all was written.</param>
    private static void AssertHolds(Func<Random, double, int> length)
    {
        if (!OperatingSystem.IsLinux())
            return; // Nothing tells there what a process occupies.
        const long MostMax = (long)(RatioMax * Limit) + OwnBytes;
        byte[] value = new byte[LengthMax];
        new Random(1).NextBytes(value);
        long most = long.MaxValue;
        for (int attempts = 0; attempts < AttemptsMax && most > MostMax; attempts++)
            most = Math.Min(most, MostOf(value, length));
        Assert.InRange(most, Limit / 2, MostMax);
    }

    private static long MostOf(byte[] value, Func<Random, double, int> length)
    {
        using var resident = new ResidentBytes();
        using (var warm = new CacheStore(new CacheOptions { MemoryLimitBytes = 1 << 20 }))
            Write(warm, value, length, 8 << 20, () => resident.Read());
        GC.Collect(GC.MaxGeneration, GCCollectionMode.Aggressive, blocking: true, compacting: true);
        long own = resident.Read();
        long most = 0;
        using var store = new CacheStore(new CacheOptions { MemoryLimitBytes = Limit });
        Write(store, value, length, Rounds * Limit, () => most = Math.Max(most, resident.Read() - own));
        return most;
    }

    private static void Write(
        CacheStore store, byte[] value, Func<Random, double, int> length, long bytes, Action sample)
    {
        long written = 0;
        var threads = Enumerable.Range(0, Threads).Select(index => new Thread(() =>
        {
            var random = new Random(index);
            byte[] key = new byte[12];
            for (long i = 0; Volatile.Read(ref written) is var soFar && soFar < bytes; i++)
            {
                BitConverter.TryWriteBytes(key, i * Threads + index);
                int valueLength = length(random, (double)soFar / bytes);
                store.Set(key, value.AsSpan(0, valueLength));
                // An entry of a few bytes counts as a hundred: enough of them take long.
                Interlocked.Add(ref written, Math.Max(100, valueLength));
                if (random.Next(3) != 0)
                    continue;
                BitConverter.TryWriteBytes(key, random.NextInt64(i + 1) * Threads + index);
                store.Remove(key);
            }
        })).ToList();
        threads.ForEach(static thread => thread.Start());
        foreach (var thread in threads)
        {
            do
                sample();
            while (!thread.Join(TimeSpan.FromMilliseconds(2)));
        }
    }

    /// <summary>What the process occupies; asking allocates nothing, for garbage would be measured too.</summary>
    private sealed class ResidentBytes : IDisposable
    {
        private readonly SafeFileHandle _file = File.OpenHandle("/proc/self/statm");

        public long Read()
        {
            Span<byte> text = stackalloc byte[128];
            text = text[..RandomAccess.Read(_file, text, fileOffset: 0)];
            text = text[(text.IndexOf((byte)' ') + 1)..]; // Behind the size of all mappings.
            Utf8Parser.TryParse(text, out long pages, out _);
            return pages * Environment.SystemPageSize;
        }

        public void Dispose() => _file.Dispose();
    }
}
