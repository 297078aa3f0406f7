namespace Cache.Concurrency.Tests;

/// <summary>Threads that start together and are watched: a failure in one, or a hang, fails the test.</summary>
internal static class TestThreads
{
    /// <summary>More threads than cores, so that a thread is also stopped in the middle of an operation.</summary>
    public static int MoreThanCores => Math.Max(4, Environment.ProcessorCount * 2);

    // What the slowest machine needs beyond the time that a test is to take.
    private static readonly TimeSpan _patience = TimeSpan.FromSeconds(60);

    /// <summary>Runs a body on each of several threads until all have ended.</summary>
    /// <exception cref="TimeoutException">Some did not end: they wait for each other.</exception>
    /// <exception cref="AggregateException">A body failed; the others are stopped by the token.</exception>
    public static void Run(int count, TimeSpan expected, Action<int, CancellationToken> body)
    {
        using var stop = new CancellationTokenSource();
        using var start = new Barrier(count);
        var failures = new List<Exception>();
        var threads = new Thread[count];
        for (int i = 0; i < count; i++)
        {
            int index = i;
            threads[i] = new Thread(() => RunOne(index)) { IsBackground = true, Name = $"test thread {i}" };
            threads[i].Start();
        }

        long deadline = Environment.TickCount64 + (long)(expected + _patience).TotalMilliseconds;
        foreach (var thread in threads)
            thread.Join((int)Math.Max(1, deadline - Environment.TickCount64));
        string hanging = string.Join(", ", threads.Where(static thread => thread.IsAlive).Select(static t => t.Name));
        if (hanging.Length > 0)
        {
            throw new TimeoutException(
                $"After {expected + _patience} these threads have not ended, perhaps in a deadlock: {hanging}.");
        }

        if (failures.Count > 0)
            throw new AggregateException(failures);

        void RunOne(int index)
        {
            start.SignalAndWait();
            try
            {
                body(index, stop.Token);
            }
            catch (Exception failure)
            {
                lock (failures)
                    failures.Add(failure);
                stop.Cancel();
            }
        }
    }
}
