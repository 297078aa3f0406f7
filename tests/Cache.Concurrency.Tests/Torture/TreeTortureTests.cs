using System.Diagnostics;
using Cache.Core.Collections.Trees;
using Cache.Core.Layout;
using Cache.Testing;

namespace Cache.Concurrency.Tests.Torture;

/// <summary>
/// Trees of two orders in the same pages, a writer for each, and readers without locks: through splits, merges, moves,
/// rebuilds, snapshots and pages that have become another tree's.
/// </summary>
public sealed class TreeTortureTests(ITestOutputHelper output)
{
    private static readonly TimeSpan _length = TimeSpan.FromSeconds(4);

    // As long as it takes, on a machine where threads seldom run at the same time.
    private static readonly TimeSpan _patience = TimeSpan.FromSeconds(40);

    [Fact]
    public void Reads_BesideAWriter_AreNeverTorn() => RandomSeed.Run(this, seed =>
    {
        var (reads, wrong, first, moved) = Run(seed, validates: true, _length);

        output.WriteLine($"{reads} reads, {moved} pages moved");
        Assert.True(wrong == 0, $"{wrong} of {reads} reads went wrong, the first: {first}");
        Assert.True(reads > 0);
        Assert.True(moved > 0, "No page was moved.");
    });

    [Fact]
    public void Reads_WithoutTheVersionCheck_AreFoundOut() => RandomSeed.Run(this, seed =>
    {
        var (reads, wrong, first, _) = Run(seed, validates: false, _patience);

        output.WriteLine($"{wrong} of {reads} reads went wrong, the first: {first}");
        Assert.True(wrong > 0, "Without the version check, no read went wrong.");
    });

    private static (long Reads, long Wrong, string? First, long Moved) Run(int seed, bool validates, TimeSpan length)
    {
        using var pages = new TreePages(256 << 20, 256 << 20, SlabBudget.Unlimited, 4, hugePages: false);
        var graveyard = new TreeGraveyard(pages);
        var hashes = new TortureTree<ByHashWithValue>(pages, graveyard);
        var numbers = new TortureTree<ByNumber>(pages, graveyard);
        int threads = Math.Max(6, TestThreads.MoreThanCores);
        long reads = 0, wrong = 0;
        string? first = null;
        long start = Stopwatch.GetTimestamp();
        TestThreads.Run(threads, length, (thread, stop) =>
        {
            var random = new Random(seed + thread);
            Func<string?> act = thread switch
            {
                0 => () => Done(() => hashes.Change(random)),
                1 => () => Done(() => numbers.Change(random)),
                2 => () => Done(random.Next(2) == 0 ? hashes.ReadSnapshot : numbers.ReadSnapshot),
                _ when thread % 2 == 0 => new TreeReaderTorture<ByHashWithValue>(hashes, validates, random).Read,
                _ => new TreeReaderTorture<ByNumber>(numbers, validates, random).Read,
            };
            while (!stop.IsCancellationRequested && Stopwatch.GetElapsedTime(start) < length
                && (validates || Volatile.Read(ref wrong) == 0))
            {
                string? found = act();
                if (thread > 2)
                    Interlocked.Increment(ref reads);
                if (found is not null && Interlocked.Increment(ref wrong) == 1)
                    first = found;
            }
        });

        hashes.End();
        numbers.End();
        while (graveyard.Step())
        {
        }

        pages.FlushCaches();
        Assert.Equal(0, pages.Audit());
        return (reads, wrong, first, hashes.Moved + numbers.Moved);
    }

    private static string? Done(Action action)
    {
        action();
        return null;
    }
}
