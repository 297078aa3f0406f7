using Cache.Core.Layout;

namespace Cache.Core.Eviction;

/// <summary>
/// Remembers, approximately, the keys that were evicted last, by 15 bits of their hash and the list they were in.
/// </summary>
/// <remarks>
/// Each bucket is one word of four fingerprints, the latest in the lowest bits; a new one pushes the oldest out. Reads
/// and writes of a word are atomic but not exclusive: one thread may undo another's change, which costs a ghost, never
/// an entry. Source: the ghost queue of S3-FIFO (Yang et al., SOSP'23).
/// </remarks>
internal sealed class GhostTable : IDisposable
{
    private const int GhostsPerBucket = 4;
    private const int FingerprintBits = 16;

    // The lowest bit of a fingerprint; the hash has the others.
    private const uint MainBit = 1;

    // An entry takes 32 bytes or more (a slot, a header, a key), its ghost two. Where entries are shorter still, not
    // all have one.
    private const int LimitDivisor = 16;

    // Resized by the reclaimer; its number of words is read once by each operation.
    private readonly GhostMemory _buckets;

    /// <param name="limitBytes">The limit of the store whose entries they are.</param>
    /// <param name="limitBytesMax">The highest later limit, if the system has addresses for it.</param>
    public GhostTable(long limitBytes, long limitBytesMax) =>
        _buckets = new GhostMemory(limitBytes / LimitDivisor, limitBytesMax / LimitDivisor);

    /// <summary>The bytes that the table holds.</summary>
    public long SizeBytes => _buckets.Count * sizeof(ulong);

    /// <summary>The bytes of this many ghosts, or of the most that there is room for.</summary>
    public long SizeOf(long ghosts) =>
        Math.Min(_buckets.CountMax, (ghosts + GhostsPerBucket - 1) / GhostsPerBucket) * sizeof(ulong);

    /// <summary>Takes this many bytes from now on, and forgets all.</summary>
    public void Resize(long bytes) => _buckets.Resize(bytes / sizeof(ulong));

    /// <summary>Remembers a key.</summary>
    /// <param name="hash">The key's.</param>
    /// <param name="wasInMain">Whether it was in the main list.</param>
    public void Add(ulong hash, bool wasInMain)
    {
        long count = _buckets.Count;
        if (count == 0)
            return;
        ref ulong bucket = ref _buckets[IndexOf(hash, count)];
        uint ghost = FingerprintOf(hash) | (wasInMain ? MainBit : 0);
        Volatile.Write(ref bucket, (Volatile.Read(ref bucket) << FingerprintBits) | ghost);
    }

    /// <summary>Whether a key was evicted lately; it is forgotten.</summary>
    /// <param name="hash">The key's.</param>
    /// <param name="wasInMain">Whether it was in the main list.</param>
    public bool TryTake(ulong hash, out bool wasInMain)
    {
        wasInMain = false;
        long count = _buckets.Count;
        if (count == 0)
            return false;
        ref ulong bucket = ref _buckets[IndexOf(hash, count)];
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

    public void Dispose() => _buckets.Dispose();

    private static long IndexOf(ulong hash, long count) => (long)Math.BigMul(hash, (ulong)count, out _);

    // Not 0, which is an empty place, nor the main list's bit alone. Bits are far from those that choose the bucket.
    private static uint FingerprintOf(ulong hash) => Math.Max(2, (uint)hash & ushort.MaxValue & ~MainBit);
}
