namespace Cache.Testing;

/// <summary>What a piece of code allocates on this thread.</summary>
public static class AllocatedBytes
{
    private const int Rounds = 5;

    /// <summary>
    /// The least of several rounds: what the runtime does on this thread in between, such as tiering up or a
    /// collection, which counts what is left of the thread's own stretch of memory, is not what is measured.
    /// </summary>
    public static long LeastOf(Action action)
    {
        long least = long.MaxValue;
        for (int round = 0; round < Rounds; round++)
        {
            long before = GC.GetAllocatedBytesForCurrentThread();
            action();
            least = Math.Min(least, GC.GetAllocatedBytesForCurrentThread() - before);
        }

        return least;
    }
}
