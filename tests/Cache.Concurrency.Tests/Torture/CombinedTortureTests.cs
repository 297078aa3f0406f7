using System.Diagnostics;
using System.Globalization;
using Cache.Core;
using Cache.Testing;

namespace Cache.Concurrency.Tests.Torture;

/// <summary>
/// Everything at once: hot neighbours of one bucket, values of 8 bytes to 2 MB, values lent while room is needed,
/// batches, expiry, limits that go up and down, clears, and at the end a disposal in the middle of it.
/// </summary>
/// <remarks>The environment variable CACHE_TORTURE_SECONDS makes it longer: more stores, one after the other.</remarks>
public sealed class CombinedTortureTests(ITestOutputHelper output)
{
    private const string SecondsVariable = "CACHE_TORTURE_SECONDS";
    private const int SecondsDefault = 10;
    private const int OperationsPerLook = 200;

    private static readonly TimeSpan _round = TimeSpan.FromSeconds(2);

    [Fact]
    public void AllOperations_UnderAllChanges_KeepTheStoreWhole() => RandomSeed.Run(this, seed =>
    {
        long start = Stopwatch.GetTimestamp();
        for (int round = 0; round == 0 || Stopwatch.GetElapsedTime(start) < Length; round++)
            RunOne(new Random(unchecked(seed + round * 7919)));
    });

    private static TimeSpan Length => TimeSpan.FromSeconds(
        double.TryParse(
            Environment.GetEnvironmentVariable(SecondsVariable), CultureInfo.InvariantCulture, out double seconds)
            ? seconds
            : SecondsDefault);

    private void RunOne(Random random)
    {
        int count = TestThreads.MoreThanCores;
        using var target = new CombinedStore();
        int seed = random.Next();
        CombinedThread[] threads = [.. Enumerable.Range(0, count).Select(
            i => new CombinedThread(target, i, count, new Random(seed + i)))];
        long most = 0;
        long start = Stopwatch.GetTimestamp();
        TestThreads.Run(count, _round, (thread, stop) =>
        {
            while (!stop.IsCancellationRequested && Stopwatch.GetElapsedTime(start) < _round)
            {
                RunSome(threads[thread]);
                if (thread == 0)
                    most = Math.Max(most, ChangeAndLook(target, random));
            }

            threads[thread].ReturnAll();
        });

        target.AssertWhole();
        DisposeUnderLoad(target, threads, random);
        output.WriteLine(
            $"{threads.Sum(static t => t.Operations)} operations, {threads.Sum(static t => t.Hits)} hits, "
            + $"{threads.Sum(static t => t.Writes)} writes, {threads.Sum(static t => t.Refusals)} of them refused; "
            + $"at most {most >> 20} MB resident.");
    }

    private static void RunSome(CombinedThread thread)
    {
        for (int i = 0; i < OperationsPerLook; i++)
            thread.RunOne();
    }

    private static long ChangeAndLook(CombinedStore target, Random random)
    {
        if (random.Next(4) == 0)
            target.ChangeLimit(random);
        if (random.Next(8) == 0)
            target.Clear(random);
        target.AssertLimit();
        return random.Next(8) == 0 ? target.AssertResident() : 0;
    }

    private static void DisposeUnderLoad(CombinedStore target, CombinedThread[] threads, Random random)
    {
        int lookAtEnd = random.Next(20);
        int seed = random.Next();
        TestThreads.Run(threads.Length, _round, (thread, stop) =>
        {
            var own = new Random(seed + thread);
            try
            {
                for (int look = 0; !stop.IsCancellationRequested; look++)
                {
                    if (thread == 0 && look == lookAtEnd)
                        target.Dispose();
                    for (int i = own.Next(OperationsPerLook); i >= 0; i--)
                        threads[thread].RunOne();
                }
            }
            catch (ObjectDisposedException) when (target.Store.IsDisposed)
            {
                // As it must end.
            }

            threads[thread].ReturnAll();
        });
        target.AssertGone();
    }
}
