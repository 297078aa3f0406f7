using System.Diagnostics;
using System.Numerics;

namespace Cache.Core.Sharding;

/// <summary>Keys whose values are changed outside of all locks, and whose other writers wait meanwhile.</summary>
/// <remarks>
/// For changes that take longer than anyone may wait for a bucket: the copy of a value of many megabytes. A claim comes
/// before every lock of its key, and a writer that locks a key looks for a claim under the lock: either it sees the
/// claim, leaves and waits, or it was there first. Readers and the reclaimer do not look: what the claimer copied
/// counts only if it still is the entry's value afterwards. Writers of plain values that replace them where they lie do
/// not look either, unless one has an expiry: a claimed value has a block of its own. A key may be claimed again as
/// soon as a claim is over. Who has waited often enough closes the claims of its keys: it holds their gates, in order,
/// until it has locked the keys.
/// </remarks>
internal sealed class EntryClaims
{
    /// <summary>How many claims one lock waits for; then no new one of its keys is granted.</summary>
    /// <remarks>Each lasts as long as the copy of a long value. More than one is rare.</remarks>
    public const int WaitsMax = 4;

    // More than the values that are copied at the same moment. One bit for each says which are closed.
    private const int StripeCount = 64;

    private readonly Stripe[] _stripes = new Stripe[StripeCount];

    // Interlocked; read by every general write once it has locked its key.
    private int _count;

    public EntryClaims()
    {
        for (int i = 0; i < _stripes.Length; i++)
            _stripes[i] = new Stripe();
    }

    /// <summary>Claims a key; the thread holds no lock, and no other claim.</summary>
    public void Enter(ulong hash)
    {
        var stripe = StripeOf(hash);
        stripe.Enter();
        Debug.Assert(!stripe.IsClaimed, "A stripe has one claim at a time, and a thread one claim.");
        stripe.Hash = hash;
        stripe.IsClaimed = true;
        Interlocked.Increment(ref _count); // A fence: a thread that locks the key later sees the claim.
    }

    public void Exit(ulong hash)
    {
        var stripe = StripeOf(hash);
        Debug.Assert(stripe.Gate.IsHeldByCurrentThread);
        Debug.Assert(stripe.IsClaimed && stripe.Hash == hash, "Only what was claimed is left.");
        Interlocked.Decrement(ref _count);
        stripe.IsClaimed = false;
        stripe.Gate.Exit();
    }

    /// <summary>Waits for the claims of some keys, and lets no thread claim them; the thread holds no lock.</summary>
    /// <returns>What to open again.</returns>
    public ulong Close(ReadOnlySpan<ulong> hashes)
    {
        ulong stripes = 0;
        foreach (ulong hash in hashes)
            stripes |= 1UL << (int)(hash % StripeCount);
        for (ulong left = stripes; left != 0; left &= left - 1)
            _stripes[BitOperations.TrailingZeroCount(left)].Enter();
        return stripes;
    }

    public void Open(ulong stripes)
    {
        for (; stripes != 0; stripes &= stripes - 1)
            _stripes[BitOperations.TrailingZeroCount(stripes)].Gate.Exit();
    }

    /// <summary>Whether another thread has claimed one of some keys; the caller holds their homes.</summary>
    public bool IsAnyTaken(ReadOnlySpan<ulong> hashes)
    {
        if (Volatile.Read(ref _count) == 0)
            return false;
        foreach (ulong hash in hashes)
        {
            if (IsTakenSlow(hash))
                return true;
        }

        return false;
    }

    /// <summary>Whether another thread has claimed a key; the caller holds its home.</summary>
    public bool IsTaken(ulong hash) => Volatile.Read(ref _count) != 0 && IsTakenSlow(hash);

    /// <summary>Whether the calling thread has claimed a key.</summary>
    public bool IsOwn(ulong hash) => Volatile.Read(ref _count) != 0 && StripeOf(hash).Gate.IsHeldByCurrentThread;

    /// <summary>Waits until a claim of a key is over; the caller holds no lock.</summary>
    public void Wait(ulong hash)
    {
        while (RoomSteps.IsObserved && IsTaken(hash))
            RoomSteps.At(RoomStep.WaitsForClaim);
        if (IsTaken(hash))
            StripeOf(hash).WaitForIt();
    }

    private bool IsTakenSlow(ulong hash)
    {
        var stripe = StripeOf(hash);
        return stripe.IsClaimed && stripe.Hash == hash && !stripe.Gate.IsHeldByCurrentThread;
    }

    private Stripe StripeOf(ulong hash) => _stripes[hash % StripeCount];

    private sealed class Stripe
    {
        public readonly Lock Gate = new();
        private ulong _hash;
        private bool _isClaimed;

        public ulong Hash
        {
            get => Volatile.Read(ref _hash);
            set => Volatile.Write(ref _hash, value);
        }

        public bool IsClaimed
        {
            get => Volatile.Read(ref _isClaimed);
            set => Volatile.Write(ref _isClaimed, value);
        }

        public void Enter()
        {
            while (RoomSteps.IsObserved && !Gate.TryEnter())
                RoomSteps.At(RoomStep.WaitsForClaim);
            if (!RoomSteps.IsObserved)
                Gate.Enter();
        }

        public void WaitForIt()
        {
            lock (Gate)
            {
            }
        }
    }
}
