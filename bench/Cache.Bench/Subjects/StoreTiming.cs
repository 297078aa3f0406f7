using System.Diagnostics;
using Cache.Bench.Verbs;

namespace Cache.Bench.Subjects;

/// <summary>Runs the operations on every subject in turn, round by round.</summary>
internal sealed class StoreTiming(Operation[] operations, Subject[] subjects, int keys, int valueLength) : IDisposable
{
    private const int HotKeys = 16;

    // Blocks that a thread works through in one sample: so many that what a new thread finds cold does not count.
    private const int BlocksPerSample = 16;

    // Calls of a loop before its code is compiled for good, and the pauses in which the compiler comes to it.
    private const int WarmUpRounds = 16;
    private static readonly TimeSpan _warmUpPause = TimeSpan.FromMilliseconds(150);

    private readonly Random _random = new(1);
    private readonly TimingSamples _samples = new();
    private int _warmth;

    public TimingSamples Measure(int[] threads, int rounds)
    {
        for (int round = 0; round < WarmUpRounds; round++)
        {
            MeasureRound(threads, round);
            using var pause = new ManualResetEventSlim();
            pause.Wait(_warmUpPause);
        }

        _samples.Clear();
        for (int round = 0; round < rounds; round++)
            MeasureRound(threads, round);
        return _samples;
    }

    public void Dispose()
    {
        foreach (var subject in subjects)
            subject.Dispose();
    }

    private void MeasureRound(int[] threads, int round)
    {
        foreach (var operation in operations)
        {
            foreach (int count in threads)
            {
                var blocks = CreateBlocks(operation, count, round);
                for (int i = 0; i < subjects.Length; i++)
                    MeasureSample(operation, subjects[(i + round) % subjects.Length], blocks);
            }
        }
    }

    private KeyBlock[][] CreateBlocks(Operation operation, int threads, int round)
    {
        int keyCount = operation == Operation.GetTextHot ? HotKeys : keys;
        int length = operation.IsSetOfOtherSize() && round % 2 == 0 ? 2 * valueLength : valueLength;
        var blocks = new KeyBlock[threads][];
        for (int i = 0; i < threads; i++)
        {
            blocks[i] = new KeyBlock[BlocksPerSample];
            for (int j = 0; j < BlocksPerSample; j++)
            {
                blocks[i][j] = new KeyBlock(_random, keyCount, length, 2 * valueLength);
                if (operation == Operation.SetArray)
                    blocks[i][j].CreateArrays();
            }
        }

        return blocks;
    }

    private void MeasureSample(Operation operation, Subject subject, KeyBlock[][] blocks)
    {
        int threads = blocks.Length;
        long[] ticks = new long[threads];
        long allocated = 0;
        int wrong = 0;
        using var ready = new Barrier(threads);
        BenchThreads.Run(threads, thread =>
        {
            int warmth = 0;
            int answers = 0;
            ready.SignalAndWait();
            long bytes = GC.GetAllocatedBytesForCurrentThread();
            foreach (var block in blocks[thread])
            {
                warmth += block.Warm(); // Not timed: the keys are near, as those of a request that has just come.
                long start = Stopwatch.GetTimestamp();
                answers += subject.Run(operation, block);
                ticks[thread] += Stopwatch.GetTimestamp() - start;
            }

            Interlocked.Add(ref allocated, GC.GetAllocatedBytesForCurrentThread() - bytes);
            Interlocked.Add(ref _warmth, warmth);
            Interlocked.Add(ref wrong, answers);
        });
        if (wrong < 0)
            return;
        if (wrong > 0)
            throw new WrongAnswerException($"{subject.Name}: {wrong} wrong answers to {operation.ToText()}.");
        double operations = (double)threads * BlocksPerSample * KeyBlock.Count;
        double ns = Stopwatch.GetElapsedTime(0, ticks.Max()).TotalNanoseconds;
        _samples.Add(operation, threads, subject, ns / operations, allocated / operations);
    }
}
