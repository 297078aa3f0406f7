using Cache.Core;
using Cache.Core.Changes;
using Cache.Server.Statistics;

namespace Cache.Server.Watches;

/// <summary>The keys that clients watch. Thread-safe.</summary>
/// <remarks>
/// Algorithm: an observer of the store, attached while any key is watched, so that writes pay nothing else. It marks
/// the watches of a written key under the lock of that key; a key that is not watched costs a hash and a look at an
/// empty chain. EXEC looks at the marks while it holds the locks of the watched keys: no write can come between.
/// Only writes are marked. What removes a key (expiry, eviction, a clear, DEL) is found by its absence: a key that was
/// there must be there still, and one that came back was written. As in Redis, a stream is not touched by what becomes
/// of its groups and of what is pending in them.
/// Concurrency: chains are changed and walked under the gate, which may be taken under the lock of a bucket or an
/// object; nothing is waited for under it.
/// </remarks>
internal sealed class WatchTable(CacheStore store) : ChangeObserver
{
    // Chains: 64 KB while anything is watched; a thousand clients that watch ten keys each share chains by two.
    private const int ChainCount = 1 << 13;

    // Taken around attaching and detaching, never with a lock of the store.
    private readonly Lock _attaching = new();
    private readonly Lock _gate = new();

    // Under the gate; the heads are also read without it.
    private WatchedName?[] _chains = [];
    private int _count;

    /// <summary>The keys that are watched, once for each client.</summary>
    public int Count => Volatile.Read(ref _count);

    /// <summary>Begins to watch a key.</summary>
    /// <param name="keyspace">A view of its keyspace.</param>
    /// <param name="key">The key; it is kept.</param>
    public WatchedName Watch(CacheStore keyspace, byte[] key)
    {
        var watch = new WatchedName(key, keyspace.Keyspace, wasThere: false);
        lock (_attaching)
        {
            bool isFirst = _count == 0;
            lock (_gate)
            {
                if (_chains.Length == 0)
                    _chains = new WatchedName?[ChainCount];
                Link(watch);
                Volatile.Write(ref _count, _count + 1);
            }

            if (isFirst)
                store.Attach(this);
        }

        // Before the look at the key: either that waits for a writer, or the writer sees the watch.
        Interlocked.MemoryBarrier();
        watch.WasThere = keyspace.TryPeekInfo(key, out _);
        return watch;
    }

    /// <summary>Ends some watches.</summary>
    public void Unwatch(List<WatchedName> watches)
    {
        lock (_attaching)
        {
            lock (_gate)
            {
                foreach (var watch in watches)
                    Unlink(watch);
                Volatile.Write(ref _count, _count - watches.Count);
                if (_count == 0)
                    _chains = [];
            }

            if (_count == 0)
                store.Detach(this);
        }
    }

    /// <summary>Two keyspaces change places for all clients; as in Redis, keys that exist are touched.</summary>
    /// <remarks>No client executes a command meanwhile.</remarks>
    public void Swap(CacheStore one, CacheStore other)
    {
        if (Count == 0)
            return;
        List<WatchedName> watches = [];
        lock (_gate)
        {
            foreach (var chain in _chains)
            {
                for (var watch = chain; watch is not null; watch = watch.Next)
                {
                    if (watch.Keyspace == one.Keyspace || watch.Keyspace == other.Keyspace)
                        watches.Add(watch);
                }
            }
        }

        foreach (var watch in watches) // Without the gate: the store is asked.
        {
            if (one.TryPeekInfo(watch.Key, out _) || other.TryPeekInfo(watch.Key, out _))
                watch.Touch();
        }

        lock (_gate)
        {
            foreach (var watch in watches)
            {
                Unlink(watch);
                watch.Keyspace = watch.Keyspace == one.Keyspace ? other.Keyspace : one.Keyspace;
                Link(watch);
            }
        }
    }

    /// <summary>Marks the watches of a written key.</summary>
    public override void Note(in ChangeNote note)
    {
        if (note.Kind == ChangeKind.Clear || note.Cause is ChangeCause.Expired or ChangeCause.Evicted
            || note.KeepsEntries)
        {
            return;
        }

        var chains = Volatile.Read(ref _chains);
        if (chains.Length == 0 || Volatile.Read(ref chains[IndexOf(note.Key, note.Keyspace)]) is null)
            return;
        lock (_gate)
        {
            if (_chains.Length == 0)
                return;
            for (var watch = _chains[IndexOf(note.Key, note.Keyspace)]; watch is not null; watch = watch.Next)
            {
                if (watch.Keyspace == note.Keyspace && note.Key.SequenceEqual(watch.Key))
                    watch.Touch();
            }
        }
    }

    public override void Drain()
    {
    }

    private void Link(WatchedName watch)
    {
        ref var head = ref _chains[IndexOf(watch.Key, watch.Keyspace)];
        watch.Next = head;
        Volatile.Write(ref head, watch);
    }

    private void Unlink(WatchedName watch)
    {
        ref var head = ref _chains[IndexOf(watch.Key, watch.Keyspace)];
        if (head == watch)
        {
            Volatile.Write(ref head, watch.Next);
            return;
        }

        var before = head;
        while (before!.Next != watch)
            before = before.Next;
        before.Next = watch.Next;
    }

    private static int IndexOf(ReadOnlySpan<byte> key, int keyspace) =>
        (int)(SampleHash.Of(key, keyspace) & (ChainCount - 1));
}
