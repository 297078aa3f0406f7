namespace Cache.Bench.Subjects;

/// <summary>Threads that start together; a failure in one is a failure of the caller.</summary>
internal static class BenchThreads
{
    public static void Run(int count, Action<int> body)
    {
        Exception? failure = null;
        using var start = new Barrier(count);
        var threads = new Thread[count];
        for (int i = 0; i < count; i++)
        {
            int index = i;
            threads[i] = new Thread(() =>
            {
                start.SignalAndWait();
                try
                {
                    body(index);
                }
                catch (Exception thrown)
                {
                    Interlocked.CompareExchange(ref failure, thrown, null);
                }
            });
            threads[i].Start();
        }

        foreach (var thread in threads)
            thread.Join();
        if (failure is WrongAnswerException wrong)
            throw wrong;
        if (failure is not null)
            throw new InvalidOperationException("A thread failed.", failure);
    }
}
