using System.Diagnostics;
using Cache.Core.Layout;

namespace Cache.Core.Sharding;

/// <summary>The end of a store, while calls may be under way.</summary>
/// <remarks>
/// Whoever waits for a bucket asks whether the store was disposed, and nobody else does: the common path of a read or
/// write knows nothing of it. Disposal sets the flag, holds all buckets, as a writer does, and never lets them go: then
/// no writer is inside, and nobody who reads can find what it read confirmed. After that the directories name a page
/// of held buckets alone, and the memory goes back. Who comes late with the address of a former page finds zeros there,
/// as in any page that was given back, looks at the directory again, waits for a held bucket, and throws. The addresses
/// are unmapped when the collector finds that nobody has this object any more.
/// </remarks>
internal sealed partial class StoreState : IThreadPoolWorkItem
{
    // Written once, before the first bucket is held; read by whoever waits.
    private volatile bool _isDisposed;

    private int _disposals;

    // Of the thread that disposes, then perhaps of one of the pool, which its queue orders.
    private readonly DisposalSteps _disposal = new();

    public bool IsDisposed => _isDisposed;

    /// <summary>Held while a sweep runs; a later one does nothing.</summary>
    public Lock SweepGate => _sweepGate;

    /// <summary>The page that all directories name after the disposal.</summary>
    public uint HeldPage { get; private set; }

    /// <summary>Whether values lie in blocks of their own, outside of the segments.</summary>
    public bool HasBlocks => BlockBytes != 0;

    /// <summary>Ends the store. What calls that are inside hold is waited for, or given back later.</summary>
    public void Dispose()
    {
        if (Interlocked.Exchange(ref _disposals, 1) != 0)
            return;
        _isDisposed = true;
        _sweepTimer.Dispose();
        Clock.Dispose();
        HeldPage = Index.CreateHeldPage();
        if (!TryClose())
            ThreadPool.UnsafeQueueUserWorkItem(this, preferLocal: false);
    }

    void IThreadPoolWorkItem.Execute()
    {
        _disposal.IsPatient = true;
        TryClose();
    }

    public void ThrowIfDisposed()
    {
        if (_isDisposed)
            ThrowDisposed();
    }

    /// <summary>Locks a bucket, however long another thread holds it, unless that is the disposal.</summary>
    public uint Lock(Bucket bucket)
    {
        uint version;
        var wait = default(SpinWait);
        while (!bucket.TryLock(out version))
            Wait(ref wait);
        return version;
    }

    /// <summary>The same, but lets others read in it.</summary>
    public uint LockReadable(Bucket bucket)
    {
        uint version;
        var wait = default(SpinWait);
        while (!bucket.TryLockReadable(out version))
            Wait(ref wait);
        return version;
    }

    /// <summary>Lets some time pass for a thread that holds a bucket, for a bounded step.</summary>
    /// <exception cref="ObjectDisposedException">The holder may be the disposal, which never lets go.</exception>
    public void Wait(ref SpinWait wait)
    {
        ThrowIfDisposed();
        RoomSteps.At(RoomStep.WaitsForBucket);
        wait.SpinOnce(sleep1Threshold: -1);
    }

    /// <summary>Holds all buckets, and gives the memory back.</summary>
    /// <returns>False if another thread held something for too long: to be called again.</returns>
    private bool TryClose()
    {
        Debug.Assert(_isDisposed);
        // Who is behind these gates at present may read segments; who comes later looks at the flag first.
        if (!_disposal.TryPass(_sweepGate) || !_disposal.TryPass(Reclaimer.Gate))
            return false;
        for (; _disposal.ShardIndex < Shards.Length; _disposal.ShardIndex++)
        {
            if (!Shards[_disposal.ShardIndex].TryClose(_disposal))
                return false;
            _disposal.Position = 0;
        }

        Free();
        return true;
    }

    // No call can use what is in it any more.
    private void Free()
    {
        Heap.Dispose();
        Index.Dispose(); // First: who has read a record looks here whether to believe it.
        Log.Dispose();
        Reclaimer.Ghosts.Dispose();
    }

    private static void ThrowDisposed() => throw new ObjectDisposedException("CacheStore");
}
