namespace Cache.Core;

/// <summary>Counts the writes that found no room; shared by all views of a store.</summary>
internal sealed class RefusedWrites
{
    // Written with interlocked operations by refused writers; read anywhere.
    private long _count;
    private long _lastMs;

    public long Count => Volatile.Read(ref _count);

    public long LastMs => Volatile.Read(ref _lastMs);

    public void Note(long nowMs)
    {
        Interlocked.Increment(ref _count);
        Volatile.Write(ref _lastMs, nowMs);
    }

    public void Reset() => Interlocked.Exchange(ref _count, 0);
}
