namespace Cache.Near.Links;

/// <summary>What is counted besides the store's own figures; none of it on the way of a hit.</summary>
internal sealed class NearCounters
{
    private long _fills;
    private long _joins;
    private long _bypasses;
    private long _outside;
    private long _unreachable;
    private long _pushes;
    private long _usefulPushes;
    private long _clears;

    public long Fills => Volatile.Read(ref _fills);

    public long Joins => Volatile.Read(ref _joins);

    public long Bypasses => Volatile.Read(ref _bypasses);

    public long Outside => Volatile.Read(ref _outside);

    public long Unreachable => Volatile.Read(ref _unreachable);

    public long Pushes => Volatile.Read(ref _pushes);

    public long UsefulPushes => Volatile.Read(ref _usefulPushes);

    public long Clears => Volatile.Read(ref _clears);

    public void AddFill() => Interlocked.Increment(ref _fills);

    public void AddJoin() => Interlocked.Increment(ref _joins);

    public void AddBypass() => Interlocked.Increment(ref _bypasses);

    public void AddOutside() => Interlocked.Increment(ref _outside);

    public void AddUnreachable() => Interlocked.Increment(ref _unreachable);

    public void AddClear() => Interlocked.Increment(ref _clears);

    public void AddPush(bool isUseful)
    {
        Interlocked.Increment(ref _pushes);
        if (isUseful)
            Interlocked.Increment(ref _usefulPushes);
    }
}
