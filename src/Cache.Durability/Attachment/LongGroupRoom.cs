namespace Cache.Durability.Attachment;

/// <summary>The memory of groups that are too long for a chunk.</summary>
/// <remarks>
/// One group may take more than the bound: it is then the only one. Concurrency: any thread takes, under the locks of
/// keys and without waiting; a waiting thread has no lock; the thread that writes the journal gives back.
/// </remarks>
internal sealed class LongGroupRoom
{
    /// <summary>As much as the chunks: the lag of the disk at which writers wait.</summary>
    public const long BytesMax = 16 << 20;

    private readonly object _gate = new();
    private long _taken;

    /// <summary>Takes memory if there is room; never waits.</summary>
    public bool TryTake(int length, out byte[] bytes)
    {
        bytes = [];
        long taken = Volatile.Read(ref _taken);
        while (true)
        {
            if (taken != 0 && taken + length > BytesMax)
                return false;
            long seen = Interlocked.CompareExchange(ref _taken, taken + length, taken);
            if (seen == taken)
                break;
            taken = seen;
        }

        try
        {
            bytes = GC.AllocateUninitializedArray<byte>(length);
            return true;
        }
        catch (OutOfMemoryException)
        {
            Return(length); // The next wait throws.
            return false;
        }
    }

    /// <summary>Waits until there may be room.</summary>
    /// <exception cref="OutOfMemoryException">The system has no memory for it.</exception>
    public void Wait(int length)
    {
        lock (_gate)
        {
            while (Volatile.Read(ref _taken) is var taken && taken != 0 && taken + length > BytesMax)
                Monitor.Wait(_gate);
        }

        GC.KeepAlive(GC.AllocateUninitializedArray<byte>(length));
    }

    public void Return(int length)
    {
        lock (_gate)
        {
            Interlocked.Add(ref _taken, -length);
            Monitor.PulseAll(_gate);
        }
    }
}
