using System.Buffers;
using System.Globalization;
using System.Text;
using Cache.Near;
using Microsoft.Extensions.Caching.Distributed;
using Microsoft.Extensions.DependencyInjection;

namespace NearRig;

/// <summary>What a hit costs beside a read of a plain store, and how long a change takes to arrive.</summary>
internal static class Measurements
{
    private const int Reads = 2_000_000;
    private const int Writes = 3000;
    private const int StormScripts = 40;

    public static async Task RunAsync(RigReport report)
    {
        await using var redis = await RedisProcess.StartAsync();
        await using var near = await NearCaches.StartAsync([redis.EndPoint]);
        await using var writer = await NearCaches.StartAsync([redis.EndPoint]);
        await NearCaches.UntilCoherentAsync(near);
        await writer.SetAsync("k:hit", new byte[100]);
        await near.GetAsync("k:hit");
        CompareHits(near, report);
        await MeasureStalenessAsync(near, writer, report);
        await MeasureStormAsync(near, redis, report);
    }

    private static void CompareHits(NearCache near, RigReport report)
    {
        var services = new ServiceCollection();
        services.AddCache(options => options.MemoryLimitBytes = 64 << 20);
        using var provider = services.BuildServiceProvider();
        var plain = (IBufferDistributedCache)provider.GetRequiredService<IDistributedCache>();
        plain.Set("k:hit", new byte[100], new DistributedCacheEntryOptions());
        var buffer = new ArrayBufferWriter<byte>(256);
        double best = double.MaxValue, bestPlain = double.MaxValue;
        long allocated = 0;
        for (int turn = 0; turn < 7; turn++)
        {
            bestPlain = Math.Min(bestPlain, Time(() => plain.TryGet("k:hit", buffer), buffer));
            long before = GC.GetAllocatedBytesForCurrentThread();
            best = Math.Min(best, Time(() => near.TryGetLocal("k:hit", buffer), buffer));
            allocated = GC.GetAllocatedBytesForCurrentThread() - before;
        }

        Console.WriteLine(string.Create(
            CultureInfo.InvariantCulture,
            $"hit {best:0.0} ns, plain store {bestPlain:0.0} ns, ratio {best / bestPlain:0.00}, "
            + $"{allocated / Reads} B"));
        report.Check("measure: a hit allocates nothing", allocated / Reads == 0);
    }

    private static double Time(Func<bool> read, ArrayBufferWriter<byte> buffer)
    {
        double began = Checker.NowMs;
        for (int i = 0; i < Reads; i++)
        {
            buffer.ResetWrittenCount();
            if (!read())
                i--;
        }

        return (Checker.NowMs - began) * 1e6 / Reads;
    }

    // From the acknowledgement of a write until the older value is not served here any more.
    private static async Task MeasureStalenessAsync(NearCache near, NearCache writer, RigReport report)
    {
        var ages = new List<double>();
        var buffer = new ArrayBufferWriter<byte>(256);
        for (int i = 0; i < Writes; i++)
        {
            await near.GetAsync("k:age");
            await writer.SetAsync("k:age", Encoding.ASCII.GetBytes(i.ToString(CultureInfo.InvariantCulture)));
            double acked = Checker.NowMs;
            double age = 0;
            buffer.ResetWrittenCount();
            while (near.TryGetLocal("k:age", buffer) && !IsNewest(buffer, i))
            {
                age = Checker.NowMs - acked;
                buffer.ResetWrittenCount();
                await Task.Yield();
            }

            ages.Add(age);
        }

        ages.Sort();
        Console.WriteLine(string.Create(
            CultureInfo.InvariantCulture,
            $"staleness after {Writes} writes: p50 {ages[Writes / 2]:0.00} ms, p99 {ages[Writes * 99 / 100]:0.00} ms, "
            + $"p99.9 {ages[Writes * 999 / 1000]:0.00} ms, at most {ages[^1]:0.00} ms"));
        report.Check("measure: no value is older than the bound", ages[^1] < NearCaches.BoundMs + NearCaches.SlackMs);
    }

    // A script of redis-server changes keys as fast as it can; none of them is kept here, but each is told of.
    private static async Task MeasureStormAsync(NearCache near, RedisProcess redis, RigReport report)
    {
        const string Script = "for i = 1, 50000 do redis.call('set', 'k:' .. i, '') end return 0";
        await redis.TryCallAsync("EVAL", Script, "0"); // The keys are there then.
        await near.GetAsync("k:hit");
        var (calm, _) = SampleHits(near, () => false);
        long before = near.Status.Pushes;
        double began = Checker.NowMs;
        var storm = Task.Run(async () =>
        {
            for (int i = 0; i < StormScripts; i++)
                await redis.TryCallAsync("EVAL", Script, "0");
        });
        var (stormy, bypasses) = SampleHits(near, () => !storm.IsCompleted);
        await storm;
        await RedisProcess.UntilAsync(
            () => Task.FromResult(near.Status.Pushes - before >= StormScripts * 50_000L), "all pushes");
        double seconds = (Checker.NowMs - began) / 1000;
        Console.WriteLine(string.Create(
            CultureInfo.InvariantCulture,
            $"storm: {(near.Status.Pushes - before) / seconds / 1e6:0.00} million pushes a second, as fast as the "
            + $"server is; p99 of a hit {stormy:0} ns beside it, {calm:0} ns before; "
            + $"{bypasses:P1} of the reads were no hits"));
        report.Check("measure: caching goes on behind a storm", near.Status.IsCoherent);
    }

    // The p99 of the means of a hundred reads, until it is over and for a second at least.
    private static (double P99, double Bypassed) SampleHits(NearCache near, Func<bool> goesOn)
    {
        const int Batch = 100;
        var buffer = new ArrayBufferWriter<byte>(256);
        var samples = new List<double>();
        long misses = 0;
        double began = Checker.NowMs;
        while (goesOn() || Checker.NowMs - began < 1000)
        {
            double start = Checker.NowMs;
            for (int i = 0; i < Batch; i++)
            {
                buffer.ResetWrittenCount();
                misses += near.TryGetLocal("k:hit", buffer) ? 0 : 1;
            }

            samples.Add((Checker.NowMs - start) * 1e6 / Batch);
        }

        samples.Sort();
        return (samples[samples.Count * 99 / 100], misses / ((double)samples.Count * Batch));
    }

    private static bool IsNewest(ArrayBufferWriter<byte> buffer, int version) =>
        int.Parse(buffer.WrittenSpan, CultureInfo.InvariantCulture) == version;
}
