namespace Cache.Core.Changes;

/// <summary>The keys whose removal somebody must hear of: those of which a factory makes a value at present.</summary>
/// <remarks>
/// A removal of a key that is absent changes nothing in the store, so a write that comes later could not tell. So who
/// is about to make a value says so before, and each removal marks it, under the lock of the key's home, whose version
/// then changes. Where nobody watches, a removal costs one load more. Its gate is taken under buckets, and nothing is
/// locked inside.
/// </remarks>
internal sealed class WatchedKeys
{
    private readonly Lock _gate = new();
    private readonly Dictionary<ulong, WatchedKey> _keys = [];

    // Written under the gate; read by each removal.
    private int _count;

    /// <summary>Whether nobody watches any key, as far as what the caller did before could concern him.</summary>
    public bool IsEmpty
    {
        get
        {
            Interlocked.MemoryBarrier(); // As a bucket's lock would be.
            return Volatile.Read(ref _count) == 0;
        }
    }

    /// <summary>Begins to watch a key, by its hash in its keyspace.</summary>
    public WatchedKey Watch(ulong hash, byte keyspace)
    {
        WatchedKey? key;
        lock (_gate)
        {
            if (!_keys.TryGetValue(hash, out key))
                _keys.Add(hash, key = new WatchedKey(hash, keyspace));
            key.Watchers++;
            Volatile.Write(ref _count, _keys.Count);
        }

        // What the watcher reads next is later than this: either it is new, or the removal behind it sees the watch.
        Interlocked.MemoryBarrier();
        return key;
    }

    public void Unwatch(WatchedKey key)
    {
        lock (_gate)
        {
            if (--key.Watchers == 0 && !key.IsRemoved)
                _keys.Remove(key.Hash);
            Volatile.Write(ref _count, _keys.Count);
        }
    }

    /// <summary>Tells those who watch a key that it is removed; the caller holds its home.</summary>
    /// <returns>Whether anybody does: then the home's version must change.</returns>
    public bool NoteRemoval(ulong hash)
    {
        if (Volatile.Read(ref _count) == 0)
            return false;
        lock (_gate)
        {
            if (!_keys.Remove(hash, out var key))
                return false;
            key.IsRemoved = true;
            Volatile.Write(ref _count, _keys.Count);
            return true;
        }
    }

    /// <summary>Tells those who watch any key of some keyspaces, one bit for each, that it is removed.</summary>
    public void NoteClear(uint keyspaces)
    {
        if (IsEmpty)
            return;
        lock (_gate)
        {
            foreach (var key in _keys.Values)
            {
                if ((keyspaces >> key.Keyspace & 1) == 0)
                    continue;
                key.IsRemoved = true;
                _keys.Remove(key.Hash); // Allowed: the enumeration goes on.
            }

            Volatile.Write(ref _count, _keys.Count);
        }
    }
}
