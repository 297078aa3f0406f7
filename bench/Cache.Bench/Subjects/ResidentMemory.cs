namespace Cache.Bench.Subjects;

/// <summary>The memory that this process occupies, after all garbage is given back.</summary>
internal static class ResidentMemory
{
    public static long Read()
    {
        for (int i = 0; i < 3; i++)
        {
            GC.Collect(GC.MaxGeneration, GCCollectionMode.Aggressive, blocking: true, compacting: true);
            GC.WaitForPendingFinalizers();
        }

        return Environment.WorkingSet;
    }
}
