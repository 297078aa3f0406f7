using Cache.Core.Collections.Objects;
using Cache.Core.Layout;

namespace Cache.Core.Sharding;

/// <summary>The progress and the patience of a store's disposal. One thread at a time.</summary>
/// <remarks>
/// Holders of locks run bounded steps, of microseconds. But one that calls its caller's code under its locks (a
/// transaction, the entries of SetMany) may run longer, or may itself dispose of the store: then the disposing caller
/// returns after a while, and a thread of the pool waits for the rest.
/// </remarks>
internal sealed class DisposalSteps
{
    // Of a millisecond each, after the first few.
    private const int PatientWaits = 100;

    private int _waitsLeft = PatientWaits;
    private uint _objectNumber = 1;

    /// <summary>Whether it waits for as long as it takes.</summary>
    public bool IsPatient { get; set; }

    /// <summary>The present shard: all before are held.</summary>
    public int ShardIndex { get; set; }

    /// <summary>Of the present shard's directory and page, the next ones to be held.</summary>
    public int Position { get; set; }

    public int BucketIndex { get; set; }

    /// <summary>Waits until the thread behind a gate has left it, unless that takes too long.</summary>
    public bool TryPass(Lock gate)
    {
        if (!TryEnter(gate))
            return false;
        gate.Exit();
        return true;
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

    /// <summary>Holds all large collections for ever, unless that takes too long.</summary>
    public bool TryHoldObjects(ObjectHeap? objects)
    {
        var wait = default(SpinWait);
        while (objects is not null && !objects.TryClose(ref _objectNumber))
        {
            if (!TryWait(ref wait))
                return false;
        }

        return true;
    }

    private bool TryWait(ref SpinWait wait)
    {
        if (!IsPatient && _waitsLeft-- <= 0)
            return false;
        wait.SpinOnce();
        return true;
    }
}
