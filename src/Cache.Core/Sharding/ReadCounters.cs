using System.Runtime.InteropServices;

namespace Cache.Core.Sharding;

/// <summary>Counts hits and misses, each thread on cache lines that few others use.</summary>
/// <remarks>
/// Plain additions: an interlocked one would cost as much as half a read. Two threads of the same line may lose a
/// count to each other; one thread alone never does.
/// </remarks>
internal sealed class ReadCounters
{
    // More than the threads that read at the same moment on the machines of today.
    private const int StripeCount = 64;

    private readonly Stripe[] _stripes = new Stripe[StripeCount];

    public long Hits
    {
        get
        {
            long sum = 0;
            foreach (ref readonly var stripe in _stripes.AsSpan())
                sum += Volatile.Read(in stripe.Hits);
            return sum;
        }
    }

    public long Misses
    {
        get
        {
            long sum = 0;
            foreach (ref readonly var stripe in _stripes.AsSpan())
                sum += Volatile.Read(in stripe.Misses);
            return sum;
        }
    }

    public void Hit() => _stripes[Environment.CurrentManagedThreadId & (StripeCount - 1)].Hits++;

    public void Miss() => _stripes[Environment.CurrentManagedThreadId & (StripeCount - 1)].Misses++;

    public void Reset()
    {
        foreach (ref var stripe in _stripes.AsSpan())
        {
            Volatile.Write(ref stripe.Hits, 0);
            Volatile.Write(ref stripe.Misses, 0);
        }
    }

    // Two lines: a core fetches them in pairs, and the array does not begin at the start of one.
    [StructLayout(LayoutKind.Explicit, Size = 128)]
    private struct Stripe
    {
        [FieldOffset(0)]
        public long Hits;

        [FieldOffset(8)]
        public long Misses;
    }
}
