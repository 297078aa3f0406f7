using Cache.Core;

namespace Cache.Server.Tracking;

/// <summary>The keys that clients have read, and who has; bounded. Thread-safe.</summary>
/// <remarks>
/// As in Redis a key is the same in all databases. Above the number of tracking-table-max-keys, or
/// <see cref="BytesMax"/>, any key is forgotten, and its clients are told that it has changed.
/// </remarks>
/// <param name="store">Counts the memory.</param>
/// <param name="queue">Gets what clients must be told.</param>
internal sealed class TrackedKeys(CacheStore store, InvalidationQueue queue)
{
    // Two threads seldom meet in one of these.
    private const int Stripes = 64;
    private const int StripeShift = 26;

    // The share of the store's memory that the keys may use at most.
    private const int MemoryShare = 8;
    private const long BytesMaxMin = 1 << 20;

    private readonly TrackedStripe[] _stripes = CreateStripes();
    private long _count;
    private long _items;
    private long _usedBytes;
    private long _heldBytes;

    /// <summary>The number of keys.</summary>
    public long Count => Interlocked.Read(ref _count);

    /// <summary>The number of pairs of a key and a client.</summary>
    public long Items => Interlocked.Read(ref _items);

    /// <summary>The bytes that keys and clients use; the memory is at most twice as much.</summary>
    public long UsedBytes => Interlocked.Read(ref _usedBytes);

    /// <summary>The memory, which counts as the store's.</summary>
    public long HeldBytes => Interlocked.Read(ref _heldBytes);

    /// <summary>The most bytes that keys and clients use.</summary>
    public long BytesMax => Math.Max(store.MemoryLimitBytes / MemoryShare, BytesMaxMin);

    /// <summary>Remembers that a client has read a key, or is about to.</summary>
    /// <param name="key">The key.</param>
    /// <param name="client">The number of the client.</param>
    /// <param name="countMax">The most keys; 0: unlimited.</param>
    public void Add(ReadOnlySpan<byte> key, long client, long countMax)
    {
        uint hash = HashOf(key);
        Note(_stripes[hash >> StripeShift].Add(key, hash, client));
        while ((countMax > 0 && Count > countMax) || UsedBytes > BytesMax)
        {
            if (!TryForgetAny())
                return; // Another thread has just removed them.
        }
    }

    /// <summary>Queues what the clients of a changed key must be told, and forgets them.</summary>
    public void Take(ReadOnlySpan<byte> key, long writer)
    {
        uint hash = HashOf(key);
        var stripe = _stripes[hash >> StripeShift];
        Note(stripe.Take(key, hash, writer, queue));
    }

    /// <summary>Forgets keys until there are no more than this.</summary>
    /// <param name="countMax">The most keys; 0: unlimited.</param>
    /// <param name="stepsMax">The most keys that are forgotten now.</param>
    public void Limit(long countMax, int stepsMax)
    {
        while (countMax > 0 && Count > countMax && stepsMax-- > 0 && TryForgetAny())
        {
        }
    }

    /// <summary>Forgets all keys; nobody is told.</summary>
    public void Clear()
    {
        foreach (var stripe in _stripes)
            Note(stripe.Clear());
    }

    private bool TryForgetAny()
    {
        int random = Random.Shared.Next();
        for (int i = 0; i < Stripes; i++)
        {
            var taken = _stripes[(random + i) % Stripes].TakeAny(random, queue);
            Note(taken);
            if (taken.Keys < 0)
                return true;
        }

        return false;
    }

    private void Note(TrackedSize growth)
    {
        if (growth == default)
            return;
        Interlocked.Add(ref _count, growth.Keys);
        Interlocked.Add(ref _items, growth.Items);
        Interlocked.Add(ref _usedBytes, growth.UsedBytes);
        if (growth.HeldBytes == 0)
            return;
        Interlocked.Add(ref _heldBytes, growth.HeldBytes);
        store.AddOutsideBytes(growth.HeldBytes);
    }

    private static uint HashOf(ReadOnlySpan<byte> key)
    {
        var hash = default(HashCode); // With a secret of the process.
        hash.AddBytes(key);
        return (uint)hash.ToHashCode();
    }

    private static TrackedStripe[] CreateStripes()
    {
        var stripes = new TrackedStripe[Stripes];
        for (int i = 0; i < Stripes; i++)
            stripes[i] = new TrackedStripe();
        return stripes;
    }
}
