using System.Diagnostics;
using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;

namespace Cache.Core.Curve;

/// <summary>Notes what is done with a part of the keys, for a reader that looks ten times a second.</summary>
/// <remarks>
/// A key is noted always or never, by bits of its hash, as in SHARDS (Waldspurger et al., FAST'15).
/// Each note is one word in a ring, the hash with the kind in its lowest bits. Any thread notes; one at a time takes.
/// Where the ring is full, notes are dropped and counted: the sample is then too large, and its owner makes it smaller.
/// </remarks>
internal sealed class AccessSamples
{
    /// <summary>Notes until the next look: 40,000 a second, which bounds the work of the simulation.</summary>
    public const int Capacity = 4096;

    /// <summary>
    /// The lowest bits of a hash. The sample does not look at them; without them, the index looks for one key of a
    /// thousand in the bucket before its own, and does not find it.
    /// </summary>
    public const ulong KindMask = 3;

    /// <summary>One key of 2^30 is noted: fewer make no sense.</summary>
    public const int ShiftMax = 30;

    private const int KindBits = 2;

    private readonly ulong[] _slots = new ulong[Capacity];

    // The bits that must be set in the hash of a noted key; all: none is noted. Written by the owner, read by all.
    private ulong _mask = ulong.MaxValue;

    private Positions _positions;

    /// <summary>Notes one key of 2^shift from now on.</summary>
    public void Start(int shift)
    {
        Debug.Assert(shift is >= 0 and <= ShiftMax);
        Volatile.Write(ref _mask, MaskOf(shift));
    }

    /// <summary>Whether a hash is in the sample of one key of 2^shift.</summary>
    public static bool IsSampled(ulong hash, int shift) => (~hash & MaskOf(shift)) == 0;

    /// <summary>Whether a key is noted.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)] // A test in each operation.
    public bool IsSampled(ulong hash) => (~hash & Volatile.Read(ref _mask)) == 0;

    /// <summary>Notes what was done with a key.</summary>
    [MethodImpl(MethodImplOptions.NoInlining)] // Rare.
    public void Note(ulong hash, AccessKind kind)
    {
        long position = Interlocked.Increment(ref _positions.Tail) - 1;
        ref ulong slot = ref _slots[position & (Capacity - 1)];
        if (Volatile.Read(ref slot) == 0)
            Volatile.Write(ref slot, (hash & ~KindMask) | (ulong)kind);
        else
            Interlocked.Increment(ref _positions.Dropped);
    }

    /// <summary>Takes the notes in about the order in which they were made; one thread at a time.</summary>
    /// <param name="notes">As long as the capacity.</param>
    /// <param name="dropped">How many were lost since the last call.</param>
    /// <returns>How many there are.</returns>
    public int Take(Span<ulong> notes, out long dropped)
    {
        Debug.Assert(notes.Length >= Capacity);
        dropped = Interlocked.Exchange(ref _positions.Dropped, 0);
        long tail = Volatile.Read(ref _positions.Tail);
        long end = Math.Min(tail, _positions.Head + Capacity);
        int count = 0;
        for (long position = _positions.Head; position < end; position++)
        {
            // Empty: its thread has the position but has not written yet; the next lap takes it.
            if (Interlocked.Exchange(ref _slots[position & (Capacity - 1)], 0) is var note && note != 0)
                notes[count++] = note;
        }

        _positions.Head = tail;
        return count;
    }

    /// <summary>The hash of a note without its lowest bits, by which a key is known from here on.</summary>
    public static ulong HashOf(ulong note) => note & ~KindMask;

    public static AccessKind KindOf(ulong note) => (AccessKind)(note & KindMask);

    private static ulong MaskOf(int shift) => ((1UL << shift) - 1) << KindBits;

    // On lines of their own: of a small store each operation is noted, and all threads read the mask.
    [StructLayout(LayoutKind.Explicit, Size = 384)]
    private struct Positions
    {
        // Positions that were given out, and those that were taken; the latter of the one who takes.
        [FieldOffset(128)]
        public long Tail;

        [FieldOffset(136)]
        public long Head;

        [FieldOffset(144)]
        public long Dropped;
    }
}
