using System.Diagnostics;
using Cache.Core.Layout;

namespace Cache.Core.Sharding;

/// <summary>The buckets that an operation on several keys holds at once.</summary>
/// <remarks>
/// Home buckets are locked in the order of their addresses, as a split locks those of its page, so that no two
/// threads wait for each other. Buckets that entries spilled to are only tried; if one is held, everything is given
/// up and the operation begins anew. One per thread, kept for the next operation: at most one is in use at a time.
/// </remarks>
internal sealed class KeyLocks
{
    private const int InitialCapacity = 32;

    [ThreadStatic]
    private static KeyLocks? _cached;

    private HeldBucket[] _held = new HeldBucket[InitialCapacity];
    private int _count;

    // The first of these are homes, in ascending order.
    private int _homeCount;

    /// <summary>
    /// The generations of the keyspaces when all homes were locked: what all keys are found and written in.
    /// </summary>
    public ulong Generations { get; private set; }

    public static KeyLocks Rent()
    {
        var locks = _cached ?? new KeyLocks();
        _cached = null;
        Debug.Assert(locks._count == 0);
        return locks;
    }

    public static void Return(KeyLocks locks)
    {
        Debug.Assert(locks._count == 0, "Everything was released.");
        _cached = locks;
    }

    /// <summary>Locks the homes of some hashes.</summary>
    public void Enter(StoreState state, ReadOnlySpan<ulong> hashes)
    {
        try
        {
            while (!TryEnter(state, hashes))
                Exit();
            Generations = state.Generations.Word;
        }
        catch // The store was disposed: who waits must not keep others from it.
        {
            Exit();
            throw;
        }
    }

    /// <summary>Holds one more bucket if nobody else does.</summary>
    public bool TryHold(Bucket bucket, out uint version)
    {
        int index = IndexOf(bucket);
        if (index >= 0)
        {
            version = _held[index].Version;
            return true;
        }

        if (!bucket.TryLock(out version))
            return false;
        Add(new HeldBucket { Bucket = bucket, Version = version });
        return true;
    }

    public void MarkChanged(Bucket bucket)
    {
        int index = IndexOf(bucket);
        Debug.Assert(index >= 0);
        _held[index].IsChanged = true;
    }

    /// <summary>Unlocks everything.</summary>
    public void Exit()
    {
        for (int i = _count - 1; i >= 0; i--)
            _held[i].Bucket.Unlock(_held[i].Version, _held[i].IsChanged);
        _count = _homeCount = 0;
    }

    // A page may be split between the look at the directory and the lock; then the key has another home.
    private bool TryEnter(StoreState state, ReadOnlySpan<ulong> hashes)
    {
        foreach (ulong hash in hashes)
            Add(new HeldBucket { Bucket = state.ShardOf(hash).HomeOf(hash) });
        _held.AsSpan(0, _count).Sort(static (one, other) => one.Bucket.Order.CompareTo(other.Bucket.Order));
        int wanted = _count;
        _count = 0;
        for (int i = 0; i < wanted; i++)
        {
            var bucket = _held[i].Bucket;
            if (_count > 0 && _held[_count - 1].Bucket.Equals(bucket))
                continue;
            uint version = state.Lock(bucket);
            _held[_count++] = new HeldBucket { Bucket = bucket, Version = version };
        }

        _homeCount = _count;
        foreach (ulong hash in hashes)
        {
            if (IndexOf(state.ShardOf(hash).HomeOf(hash)) < 0)
                return false;
        }

        return true;
    }

    private int IndexOf(Bucket bucket)
    {
        int low = 0;
        int high = _homeCount - 1;
        while (low <= high)
        {
            int middle = (low + high) / 2;
            int order = _held[middle].Bucket.Order.CompareTo(bucket.Order);
            if (order == 0)
                return middle;
            if (order < 0)
                low = middle + 1;
            else
                high = middle - 1;
        }

        for (int i = _homeCount; i < _count; i++)
        {
            if (_held[i].Bucket.Equals(bucket))
                return i;
        }

        return -1;
    }

    private void Add(HeldBucket held)
    {
        if (_count == _held.Length)
            Array.Resize(ref _held, _count * 2);
        _held[_count++] = held;
    }

    private struct HeldBucket
    {
        public Bucket Bucket;
        public uint Version;
        public bool IsChanged;
    }
}
