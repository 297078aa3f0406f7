using System.Diagnostics;

namespace Cache.Core.Sharding;

/// <summary>What all threads hold that look for room, or wait for a key's claim: no entry points at it yet.</summary>
internal sealed class BytesInTransit
{
    // Its own lock, since three sums belong together.
    private readonly Lock _gate = new();
    private HeldBytes _held;
    private HeldBytes _forClaims; // Of these, by threads that wait for a key's claim.

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

    private void Change(in HeldBytes held, bool isMore, bool isForClaim)
    {
        if (held == default)
            return;
        lock (_gate)
        {
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
