namespace Cache.Core.Eviction;

/// <summary>
/// Remembers, roughly, the keys that were evicted last, by 15 bits of their hash and the list they were in.
/// </summary>
/// <remarks>
/// Each bucket is one word of four fingerprints, the latest in the lowest bits; a new one pushes the oldest out. Reads
/// and writes of a word are atomic but not exclusive: of two threads one may undo the other's change, which costs a
/// ghost, never an entry. Source: the ghost queue of S3-FIFO (Yang et al., SOSP'23).
/// </remarks>
internal sealed class GhostTable
{
    private const int GhostsPerBucket = 4;
    private const int FingerprintBits = 16;

    // The lowest bit of a fingerprint, which takes the hash's place there.
    private const uint MainBit = 1;

    // Replaced as a whole by the reclaimer; read once by each operation.
    private ulong[] _buckets = [];

    /// <summary>The bytes that the table holds.</summary>
    public long SizeBytes => (long)Volatile.Read(ref _buckets).Length * sizeof(ulong);

    /// <summary>The bytes that so many ghosts take.</summary>
    public static long SizeOf(long ghosts) => (ghosts + GhostsPerBucket - 1) / GhostsPerBucket * sizeof(ulong);

    /// <summary>Takes so many bytes from now on, and forgets all.</summary>
    public void Resize(long bytes) => Volatile.Write(ref _buckets, new ulong[bytes / sizeof(ulong)]);

    /// <summary>Remembers a key.</summary>
    /// <param name="hash">The key's.</param>
    /// <param name="wasInMain">Whether it was in the main list.</param>
    public void Add(ulong hash, bool wasInMain)
    {
        ulong[] buckets = Volatile.Read(ref _buckets);
        if (buckets.Length == 0)
            return;
        ref ulong bucket = ref buckets[IndexOf(hash, buckets.Length)];
        uint ghost = FingerprintOf(hash) | (wasInMain ? MainBit : 0);
        Volatile.Write(ref bucket, (Volatile.Read(ref bucket) << FingerprintBits) | ghost);
    }

    /// <summary>Whether a key was evicted lately; it is forgotten.</summary>
    /// <param name="hash">The key's.</param>
    /// <param name="wasInMain">Whether it was in the main list.</param>
    public bool TryTake(ulong hash, out bool wasInMain)
    {
        wasInMain = false;
        ulong[] buckets = Volatile.Read(ref _buckets);
        if (buckets.Length == 0)
            return false;
        ref ulong bucket = ref buckets[IndexOf(hash, buckets.Length)];
        ulong seen = Volatile.Read(ref bucket);
        for (int shift = 0; shift < 64; shift += FingerprintBits)
        {
            uint ghost = (ushort)(seen >> shift);
            if ((ghost & ~MainBit) != FingerprintOf(hash))
                continue;
            wasInMain = (ghost & MainBit) != 0;
            Volatile.Write(ref bucket, seen & ~((ulong)ushort.MaxValue << shift));
            return true;
        }

        return false;
    }

    private static ulong IndexOf(ulong hash, int length) => Math.BigMul(hash, (ulong)length, out _);

    // Not 0, which is an empty place, nor the main list's bit alone. Bits are far from those that choose the bucket.
    private static uint FingerprintOf(ulong hash) => Math.Max(2, (uint)hash & ushort.MaxValue & ~MainBit);
}
