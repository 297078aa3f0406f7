namespace Cache.Core.Eviction;

/// <summary>Remembers, roughly, the keys that were evicted last, by 16 bits of their hash.</summary>
/// <remarks>
/// Each bucket is one word of four fingerprints, the latest in the lowest bits; a new one pushes the oldest out. Reads
/// and writes of a word are atomic but not exclusive: of two threads one may undo the other's change, which costs a
/// ghost, never an entry. Source: the ghost queue of S3-FIFO (Yang et al., SOSP'23).
/// </remarks>
internal sealed class GhostTable
{
    private const int GhostsPerBucket = 4;
    private const int FingerprintBits = 16;

    // Replaced as a whole by the reclaimer; read once by each operation.
    private ulong[] _buckets = [];

    /// <summary>The bytes that the table holds.</summary>
    public long SizeBytes => (long)Volatile.Read(ref _buckets).Length * sizeof(ulong);

    /// <summary>The bytes that so many ghosts take.</summary>
    public static long SizeOf(long ghosts) => (ghosts + GhostsPerBucket - 1) / GhostsPerBucket * sizeof(ulong);

    /// <summary>Takes so many bytes from now on, and forgets all.</summary>
    public void Resize(long bytes) => Volatile.Write(ref _buckets, new ulong[bytes / sizeof(ulong)]);

    public void Add(ulong hash)
    {
        ulong[] buckets = Volatile.Read(ref _buckets);
        if (buckets.Length == 0)
            return;
        ref ulong bucket = ref buckets[IndexOf(hash, buckets.Length)];
        Volatile.Write(ref bucket, (Volatile.Read(ref bucket) << FingerprintBits) | FingerprintOf(hash));
    }

    /// <summary>Whether a key was evicted lately; it is forgotten.</summary>
    public bool TryTake(ulong hash)
    {
        ulong[] buckets = Volatile.Read(ref _buckets);
        if (buckets.Length == 0)
            return false;
        ref ulong bucket = ref buckets[IndexOf(hash, buckets.Length)];
        ulong seen = Volatile.Read(ref bucket);
        for (int shift = 0; shift < 64; shift += FingerprintBits)
        {
            if ((ushort)(seen >> shift) != FingerprintOf(hash))
                continue;
            Volatile.Write(ref bucket, seen & ~((ulong)ushort.MaxValue << shift));
            return true;
        }

        return false;
    }

    private static ulong IndexOf(ulong hash, int length) => Math.BigMul(hash, (ulong)length, out _);

    // Not 0, which is an empty place. The bits are far from those that choose the bucket.
    private static ushort FingerprintOf(ulong hash) => (ushort)Math.Max(1, hash & ushort.MaxValue);
}
