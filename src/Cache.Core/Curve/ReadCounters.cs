using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;

namespace Cache.Core.Curve;

/// <summary>Counts hits and misses, each thread on cache lines that few others use; notes what is sampled.</summary>
/// <remarks>
/// Plain additions: an interlocked one would cost as much as half a read. Two threads of the same line may lose a
/// count to each other; one thread alone never does.
/// </remarks>
internal sealed class ReadCounters
{
    // More than the threads that read at the same moment on the machines of today.
    private const int StripeCount = 64;

    // The first one stays unused: its line has the array's length, which every operation reads.
    private readonly Stripe[] _stripes = new Stripe[1 + StripeCount];

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

    /// <summary>What was done with a part of the keys.</summary>
    public AccessSamples Samples { get; } = new();

    /// <summary>Counts a read that found a key's entry.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)] // An addition and a test in each read.
    public void Hit(ulong hash)
    {
        _stripes[1 + (Environment.CurrentManagedThreadId & (StripeCount - 1))].Hits++;
        Note(hash, AccessKind.Hit);
    }

    /// <summary>Counts a read that found none.</summary>
    public void Miss(ulong hash)
    {
        _stripes[1 + (Environment.CurrentManagedThreadId & (StripeCount - 1))].Misses++;
        Note(hash, AccessKind.Miss);
    }

    /// <summary>Notes what became of a key that is sampled.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)] // A test in each operation.
    public void Note(ulong hash, AccessKind kind)
    {
        if (Samples.IsSampled(hash))
            Samples.Note(hash, kind);
    }

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
