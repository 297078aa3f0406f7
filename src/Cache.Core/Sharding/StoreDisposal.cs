using Cache.Core.Layout;

namespace Cache.Core.Sharding;

/// <summary>One disposal of a store: what there is to be waited for, and how far that is done.</summary>
/// <remarks>
/// Holders run bounded steps, of microseconds, so all is done when <see cref="Begin"/> returns. But one that calls its
/// caller's code under its locks (the body of LockedKeys, the entries of SetMany) may run longer, or be what disposes
/// the store: then the caller goes on after a while, and a thread of the pool waits for the rest. One thread at a time.
/// </remarks>
internal sealed class StoreDisposal(StoreState state) : IThreadPoolWorkItem
{
    // Of a millisecond each, after the first few.
    private const int PatientWaits = 100;

    private readonly StoreState _state = state;
    private int _waitsLeft = PatientWaits;
    private bool _isPatient;

    // All before is held.
    private int _shard;

    /// <summary>Of the present shard's directory and page, the next ones to be held.</summary>
    public int Position { get; set; }

    public int BucketIndex { get; set; }

    /// <summary>Ends the store, or lets the pool do it.</summary>
    public void Begin()
    {
        if (!TryRun())
            ThreadPool.UnsafeQueueUserWorkItem(this, preferLocal: false);
    }

    void IThreadPoolWorkItem.Execute()
    {
        _isPatient = true;
        TryRun();
    }

    /// <summary>Enters a gate, unless that takes too long.</summary>
    public bool TryEnter(Lock gate)
    {
        var wait = default(SpinWait);
        while (!gate.TryEnter())
        {
            if (!TryWait(ref wait))
                return false;
        }

        return true;
    }

    /// <summary>Locks a bucket, to hold it for ever, unless that takes too long.</summary>
    public bool TryHold(Bucket bucket)
    {
        var wait = default(SpinWait);
        while (!bucket.TryLock(out _))
        {
            if (!TryWait(ref wait))
                return false;
        }

        return true;
    }

    private bool TryRun()
    {
        // Who is behind these gates at present may read segments; who comes later looks at the flag first.
        if (!TryPass(_state.SweepGate) || !TryPass(_state.Reclaimer.Gate))
            return false;
        for (; _shard < _state.Shards.Length; _shard++)
        {
            if (!_state.Shards[_shard].TryClose(this))
                return false;
            Position = 0;
        }

        _state.Free();
        return true;
    }

    private bool TryPass(Lock gate)
    {
        if (!TryEnter(gate))
            return false;
        gate.Exit();
        return true;
    }

    private bool TryWait(ref SpinWait wait)
    {
        if (!_isPatient && _waitsLeft-- <= 0)
            return false;
        wait.SpinOnce();
        return true;
    }
}
