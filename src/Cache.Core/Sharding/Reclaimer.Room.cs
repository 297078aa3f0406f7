using System.Diagnostics;

namespace Cache.Core.Sharding;

/// <summary>Room for writes: a thread keeps the room it makes, and no write is refused without a proof.</summary>
/// <remarks>
/// A thread that finds no room works under the gate with a claim on the budget: no other thread takes bytes until it
/// has taken its own or given up, so it loses nothing that it freed. If reclaiming as usual does not suffice it audits
/// the store (Reclaimer.Audit.cs), which ends in one of three ways: there is room after all; another thread holds bytes
/// that it is about to link or to free, so the caller gives way and comes again; or each byte in use has an owner that
/// nothing may evict, and the write is refused.
///
/// This ends. A thread that holds bytes without waiting for room either links or frees them, in a bounded number of
/// steps, or when the journal has room. A thread that waits for room while it holds bytes declares them. If only such
/// threads hold any, then a thread that needs only the segment for its last record may overdraw the limit by a little,
/// one at a time, and ends; another that holds bytes is refused, and gives them back; one that holds none waits for
/// these.
/// </remarks>
internal sealed partial class Reclaimer
{
    // A thread that holds bytes for this long is stopped by a debugger, or waits for a disk that hangs, or bytes were
    // lost: then a write is refused without a proof rather than never answered.
    private static readonly TimeSpan _stallMax = TimeSpan.FromSeconds(10);

    // Written interlocked; read by tests.
    private long _unprovenRefusals;

    // Ticks of the machine's clock. Written and taken by any thread; what ends while it is taken may be lost.
    private long _longestTaking;

    /// <summary>Writes that were refused because another thread made no progress for ten seconds.</summary>
    public long UnprovenRefusals => Volatile.Read(ref _unprovenRefusals);

    /// <summary>
    /// The bytes that no eviction can free: index, ghosts, bytes held outside, and lent ones.
    /// </summary>
    public long UnevictableBytes => FixedBytes + _budget.OutsideBytes + _state.Shares.LentBytes;

    /// <summary>Whether there is room for this many bytes now, or would be without any entry.</summary>
    public bool CanSuffice(long bytes) =>
        _budget.HasRoomFor(bytes) || bytes + UnevictableBytes <= _budget.LimitBytes;

    /// <summary>Reclaims until this many bytes are free, for a moment at least; waits for no other thread.</summary>
    /// <remarks>For what only helps, or takes its room later in parts.</remarks>
    public bool MakeRoom(long bytes, ulong keptHash, ulong otherKeptHash)
    {
        var request = new RoomRequest(bytes, _log.SpareBytes, keptHash, otherKeptHash, default, IsLast: false);
        if (!CanSuffice(request.EnoughBytes))
            return false;
        using (EnterGate())
        {
            _state.ThrowIfDisposed();
            BeginRequest(request);
            bool hasRoom = TryReclaim(request.EnoughBytes, shrinksIndex: false);
            EndRequest();
            return hasRoom;
        }
    }

    /// <summary>The longest that a thread has taken room since this was asked last, waiting included.</summary>
    public TimeSpan TakeLongestTaking() =>
        TimeProvider.System.GetElapsedTime(0, Interlocked.Exchange(ref _longestTaking, 0));

    /// <summary>Takes bytes for the caller, for which entries go if they must.</summary>
    /// <returns>False if nothing more may go, or, under no evicting policy, nothing can be compacted.</returns>
    public bool TryTakeRoom(in RoomRequest request)
    {
        long start = TimeProvider.System.GetTimestamp();
        bool isTaken = TryTakeUntimed(request);
        long ticks = TimeProvider.System.GetTimestamp() - start;
        if (ticks > Volatile.Read(ref _longestTaking))
            Volatile.Write(ref _longestTaking, ticks);
        return isTaken;
    }

    private bool TryTakeUntimed(in RoomRequest request)
    {
        _state.InTransit.Begin(request.Held);
        var wait = default(SpinWait);
        var stall = default(Stall);
        while (true)
        {
            RoomSteps.At(RoomStep.LooksForRoom);
            using (EnterGate())
            {
                _state.ThrowIfDisposed();
                var finding = TakeUnderGate(request, ref stall);
                bool isStalled = finding == RoomFinding.InTransit && stall.IsLongerThan(_stallMax);
                if (isStalled)
                    Interlocked.Increment(ref _unprovenRefusals);
                if (finding != RoomFinding.InTransit || isStalled)
                {
                    // Still under the gate: the next one must not count it among those that wait.
                    _state.InTransit.End(request.Held);
                    return finding == RoomFinding.Taken;
                }
            }

            RoomSteps.At(RoomStep.GivesWay);
            wait.SpinOnce(); // Sleeps after a while: the holder of the bytes may not be scheduled.
        }
    }

    private RoomFinding TakeUnderGate(in RoomRequest request, ref Stall stall)
    {
        Debug.Assert(_gate.IsHeldByCurrentThread);
        if (!CanSuffice(request.EnoughBytes) && !(TryShrinkIndex() && CanSuffice(request.EnoughBytes)))
            return RoomFinding.Refused;
        BeginRequest(request);
        _budget.BeginClaim();
        try
        {
            RoomSteps.At(RoomStep.Claimed);
            while (TryReclaim(request.EnoughBytes, shrinksIndex: false))
            {
                if (_budget.TryTake(request.Bytes, request.SpareBytes))
                    return RoomFinding.Taken;
            }

            return _budget.Eviction == EvictionPolicy.None ? RoomFinding.Refused : Audit(request, ref stall);
        }
        finally
        {
            _budget.EndClaim();
            EndRequest();
        }
    }

    private void BeginRequest(in RoomRequest request)
    {
        Debug.Assert(_gate.IsHeldByCurrentThread);
        (_keptHash, _otherKeptHash) = (request.KeptHash, request.OtherKeptHash);
        _enoughBytes = request.EnoughBytes;
    }

    private void EndRequest()
    {
        Debug.Assert(_gate.IsHeldByCurrentThread);
        _keptHash = _otherKeptHash = 0;
        _enoughBytes = NeverEnough;
    }

    // Tried repeatedly under a test that pauses threads, so that it always knows which can continue.
    private Lock.Scope EnterGate()
    {
        while (RoomSteps.IsObserved && !_gate.TryEnter())
            RoomSteps.At(RoomStep.WaitsForGate);
        var scope = _gate.EnterScope();
        if (RoomSteps.IsObserved)
            _gate.Exit(); // It was entered twice.
        return scope;
    }

    private enum RoomFinding
    {
        Taken,
        Refused,

        // Another thread holds bytes that it is about to link or to free.
        InTransit,
    }
}
