namespace Cache.Core.Changes;

/// <summary>The keys whose removal voids a value in the making: a factory is running for each.</summary>
/// <remarks>
/// The removal of an absent key changes nothing in the store, so a later write of the factory's value could not notice
/// it. Therefore a caller watches the key before it makes the value, and each removal marks a watched key, under the
/// lock of the key's home, whose version then changes. Without watchers, a removal costs one more load. The gate may be
/// taken under the lock of a bucket; no lock is taken under the gate.
/// </remarks>
internal sealed class WatchedKeys
{
    private readonly Lock _gate = new();
    private readonly Dictionary<ulong, WatchedKey> _keys = [];

    // Written under the gate; read by each removal.
    private int _count;

    /// <summary>Whether no key is watched; a watch that begins later sees what the caller did before.</summary>
    public bool IsEmpty
    {
        get
        {
            Interlocked.MemoryBarrier(); // A full fence, as locking a bucket would be.
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

        // Before the watcher's next read: either it reads the state after a removal, or that removal sees the watch.
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

    /// <summary>Tells the watchers of a key that it is removed; the caller holds the lock of its home.</summary>
    /// <returns>Whether the key was watched: then the home's version must change.</returns>
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

    /// <summary>Tells the watchers of all keys of some keyspaces, one bit for each, that they are removed.</summary>
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
                _keys.Remove(key.Hash); // Removing during an enumeration is allowed.
            }

            Volatile.Write(ref _count, _keys.Count);
        }
    }
}
