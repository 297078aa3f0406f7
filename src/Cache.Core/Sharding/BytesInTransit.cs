using System.Diagnostics;
using Cache.Core.Collections.Objects;

namespace Cache.Core.Sharding;

/// <summary>What all threads hold that look for room, or wait for a key's claim: no entry points at it yet.</summary>
internal sealed class BytesInTransit
{
    // Its own lock, since the sums belong together.
    private readonly Lock _gate = new();
    private HeldBytes _held;
    private HeldBytes _forClaims; // Of these, by threads that wait for a key's claim.

    // Objects that no key has yet, of the same threads.
    private int _objects;
    private int _objectsForClaims;

    /// <summary>Says what a thread holds while it looks for room.</summary>
    public void Begin(in HeldBytes held) => Change(held, isMore: true, isForClaim: false);

    public void End(in HeldBytes held) => Change(held, isMore: false, isForClaim: false);

    /// <summary>Says what a thread holds while it waits for another one's claim of a key.</summary>
    public void BeginWait(in HeldBytes held) => Change(held, isMore: true, isForClaim: true);

    public void EndWait(in HeldBytes held) => Change(held, isMore: false, isForClaim: true);

    /// <summary>What is held; of that, what belongs to threads that wait for a claim.</summary>
    public HeldBytes Read(out HeldBytes forClaims)
    {
        lock (_gate)
        {
            forClaims = _forClaims;
            return _held;
        }
    }

    /// <summary>The objects that no key has yet, of threads that look for room, and of those that wait for a
    /// claim.</summary>
    public (int ForRoom, int ForClaims) ReadObjects()
    {
        lock (_gate)
            return (_objects - _objectsForClaims, _objectsForClaims);
    }

    private void Change(in HeldBytes held, bool isMore, bool isForClaim)
    {
        int objects = ObjectHeap.MakingOfThread;
        if (held == default && objects == 0)
            return;
        lock (_gate)
        {
            _objects += isMore ? objects : -objects;
            if (isForClaim)
                _objectsForClaims += isMore ? objects : -objects;
            Debug.Assert(_objects >= _objectsForClaims && _objectsForClaims >= 0);
            _held = isMore ? _held + held : _held - held;
            if (isForClaim)
                _forClaims = isMore ? _forClaims + held : _forClaims - held;
            Debug.Assert(_forClaims is { RecordBytes: >= 0, BlockBytes: >= 0, PrepaidBytes: >= 0 });
            Debug.Assert(_held.RecordBytes >= _forClaims.RecordBytes, "What is held for a claim is a part of all.");
            Debug.Assert(_held.BlockBytes >= _forClaims.BlockBytes);
            Debug.Assert(_held.PrepaidBytes >= _forClaims.PrepaidBytes);
        }
    }
}
