namespace Cache.Core.Sharding;

/// <summary>Keys whose values are changed outside of all locks, and whose other writers wait meanwhile.</summary>
/// <remarks>
/// For changes that take longer than anyone may wait for a bucket: the copy of a value of many megabytes. A claim comes
/// before every lock of its key, and whoever locks a key looks for a claim under the lock: either it sees the claim,
/// leaves and waits, or it was there first. Readers and the reclaimer do not look: what the claimer copied counts only
/// if it still is the entry's value afterwards. Writers of plain values that replace them where they lie do not look
/// either: a claimed value has a block of its own.
/// </remarks>
internal sealed class EntryClaims
{
    // More than the values that are copied at the same moment.
    private const int StripeCount = 64;

    private readonly Stripe[] _stripes = new Stripe[StripeCount];

    // Interlocked; read by whoever locks a key for a general write.
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
        while (RoomSteps.IsObserved && !stripe.Gate.TryEnter())
            RoomSteps.At(RoomStep.WaitsForClaim);
        if (!stripe.Gate.IsHeldByCurrentThread)
            stripe.Gate.Enter();
        stripe.Hash = hash;
        stripe.IsClaimed = true;
        Interlocked.Increment(ref _count); // A fence: whoever locks the key after this thread has, sees the claim.
    }

    public void Exit(ulong hash)
    {
        var stripe = StripeOf(hash);
        Interlocked.Decrement(ref _count);
        stripe.IsClaimed = false;
        stripe.Gate.Exit();
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

        public void WaitForIt()
        {
            lock (Gate)
            {
            }
        }
    }
}
