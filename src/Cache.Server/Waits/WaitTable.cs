using System.Diagnostics;
using Cache.Core;
using Cache.Core.Changes;
using Cache.Server.Clients;
using Cache.Server.Notifications;

namespace Cache.Server.Waits;

/// <summary>Who waits for which key, in the order of arrival. Thread-safe.</summary>
/// <remarks>
/// Algorithm: a change of a waited key makes the key ready; a thread that holds no lock then serves its waiters, first
/// come, first served. It claims a waiter's suspension, lets the waiter take what it waits for, keeps the reply, and
/// ends the suspension. While nobody waits, the table does not observe the store, and a command reads one field.
/// Who serves: the thread of the command that has made the change, when the command has ended, as Redis does; for
/// changes in process, a thread of the pool. One thread serves at a time, for all keys; another one does not wait for
/// it, since that one looks again when it has ended.
/// Why no wake-up is lost: a waiter first counts itself in the filter and stands in the queues of all its keys, then
/// makes each of them ready, so that they are looked at once more. A change that came before this look is found by it;
/// a later one finds the waiter. A waiter that was woken to make the attempt itself, and ends without it, makes its
/// keys ready again.
/// Locks: the gate may be taken under the lock of a bucket, and nothing is called under it. Serving is not a lock: it
/// is a number that is exchanged, and the store is called while it is 1.
/// </remarks>
internal sealed partial class WaitTable : ChangeObserver, IDisposable
{
    private readonly CacheStore _store;
    private readonly IWaitedDatabases _databases;
    private readonly KeyspaceNotifier _notifications;

    private readonly Lock _gate = new();
    private readonly Dictionary<byte[], WaitedKey>?[] _keys;
    private readonly Queue<WaitedKey> _ready = new();
    private readonly Lock _attaching = new();
    private WaitFilter? _filter; // Made when somebody waits for the first time, and kept.
    private long _arrivals;
    private int _adding;
    private int _removalHearers;
    private bool _isAttached;

    // Written under the gate, read by every command.
    private int _count;
    private int _readyCount;

    /// <param name="store">The store whose changes are waited for.</param>
    /// <param name="databases">The keyspaces that databases are.</param>
    /// <param name="notifications">Publishes what is taken for those who wait.</param>
    public WaitTable(CacheStore store, IWaitedDatabases databases, KeyspaceNotifier notifications)
    {
        _notifications = notifications;
        _store = store;
        _databases = databases;
        _keys = new Dictionary<byte[], WaitedKey>?[databases.Count];
    }

    /// <summary>The number of clients that wait.</summary>
    public int Count => Volatile.Read(ref _count);

    /// <summary>The number of keys that clients wait for.</summary>
    public int KeyCount
    {
        get
        {
            lock (_gate)
            {
                int count = 0;
                foreach (var keys in _keys)
                    count += keys?.Count ?? 0;
                return count;
            }
        }
    }

    /// <summary>Whether some client waits.</summary>
    public bool AreThere => Volatile.Read(ref _count) != 0;

    /// <summary>
    /// Whether the table observes the store, as it does while clients wait, and up to a second longer.
    /// </summary>
    public bool IsAttached => Volatile.Read(ref _isAttached);

    /// <summary>Whether a client that waits for a kind of key stands before a new one.</summary>
    public bool HasWaiters(int database, ReadOnlySpan<byte> key, EntryKind kind)
    {
        if (!AreThere || _filter?.MayHave(key) != true)
            return false;
        lock (_gate)
            return Find(database, key)?.Find(kind)?.First is not null;
    }

    /// <summary>Adds a waiter whose client is suspended, and makes its keys ready for a look.</summary>
    public void Add(Waiter waiter)
    {
        Debug.Assert(waiter.Keys.Length > 0 && waiter.HasLeft);
        waiter.NoteWaiting();
        Interlocked.Increment(ref _adding);
        if (!TryCount(waiter))
            Attach();
        AddPlaces(waiter);
        Interlocked.Decrement(ref _adding);
    }

    /// <summary>Removes a waiter that waits no more; idempotent.</summary>
    public void Remove(Waiter waiter)
    {
        lock (_gate)
        {
            if (waiter.HasLeft)
                return;
            waiter.HasLeft = true;
            _removalHearers -= waiter.HearsRemovals ? 1 : 0;
            Volatile.Write(ref _count, _count - 1);
        }

        for (int i = 0; i < waiter.Places.Length; i++)
        {
            WaitSteps.Pass();
            lock (_gate)
            {
                if (waiter.Places[i] is not { } place)
                    continue;
                waiter.Places[i] = null;
                Leave(place);
            }

            _filter!.Add(waiter.Keys[i], -1);
        }
    }

    /// <summary>Gives up a waiter that was woken, or waits, without having made the attempt.</summary>
    public void Abandon(Waiter waiter)
    {
        Remove(waiter);
        if (!waiter.IsWoken || waiter.Reply is not null)
            return;
        foreach (byte[] key in waiter.Keys)
            MakeReady(waiter.Database, key);
        Drain();
    }

    /// <summary>
    /// Lets those who wait for certain keys make their attempt again: their command may not be executed here any more.
    /// </summary>
    /// <param name="concerns">Whether a key is one of these. Called under the gate.</param>
    public void Wake(Func<byte[], bool> concerns)
    {
        if (!AreThere)
            return;
        List<Waiter> waiters = [];
        lock (_gate)
        {
            for (int database = 0; database < _keys.Length; database++)
            {
                foreach (var key in All(database))
                {
                    if (concerns(key.Bytes))
                        key.AddWaiters(waiters);
                }
            }
        }

        // Who is claimed just now is served, or its wait ends when the claim is given up.
        foreach (var waiter in waiters)
        {
            waiter.NoteWoken();
            waiter.Client.Suspension.TryEnd(waiter.Suspension, SuspensionEnd.Event);
        }
    }

    /// <summary>Two numbers have got each other's keyspaces: their waiters look again.</summary>
    public void NoteSwap(int first, int second)
    {
        if (!AreThere)
            return;
        lock (_gate)
        {
            MakeAllReady(first);
            MakeAllReady(second);
        }
    }

    /// <summary>Ceases to observe the store if nobody waits. Called by the sweep.</summary>
    public void Sweep()
    {
        if (AreThere || !Volatile.Read(ref _isAttached))
            return;
        lock (_attaching)
        {
            lock (_gate)
            {
                if (_count != 0 || !_isAttached)
                    return;
                _isAttached = false; // Whoever comes now attaches it again, behind this.
            }

            _store.Detach(this);
        }
    }

    /// <inheritdoc/>
    public override void Note(in ChangeNote note)
    {
        if (note.Kind is ChangeKind.Clear)
        {
            NoteClear(note.Keyspace);
            return;
        }

        WaitSteps.Pass();
        if (!_filter!.MayHave(note.Key))
            return;
        bool isRemoval = note.Kind is ChangeKind.Remove or ChangeKind.Expire;
        if (isRemoval && Volatile.Read(ref _removalHearers) == 0)
            return;
        int database = _databases.FindDatabase(note.Keyspace);
        lock (_gate)
        {
            if (Find(database, note.Key) is { } key && (!isRemoval || key.RemovalHearers > 0))
                MakeReady(key);
        }
    }

    /// <inheritdoc/>
    public override void Drain()
    {
        if (HasReady && !_isHeld)
            ServeElsewhere();
    }

    public void Dispose() => _store.Detach(this);

    private void AddPlaces(Waiter waiter)
    {
        // One after the other, for there may be many, and writers must not wait for all.
        for (int i = 0; i < waiter.Keys.Length; i++)
        {
            WaitSteps.Pass();
            _filter!.Add(waiter.Keys[i], 1);
            WaitSteps.Pass();
            if (TryStand(waiter, i))
                continue;
            _filter.Add(waiter.Keys[i], -1); // Served by an earlier key.
            return;
        }

        foreach (byte[] key in waiter.Keys)
        {
            WaitSteps.Pass();
            MakeReady(waiter.Database, key);
        }
    }

    private void NoteClear(int keyspace)
    {
        if (Volatile.Read(ref _removalHearers) == 0)
            return;
        lock (_gate)
        {
            foreach (var key in All(_databases.FindDatabase(keyspace)))
            {
                if (key.RemovalHearers > 0)
                    MakeReady(key);
            }
        }
    }

    /// <returns>False if the store must be observed first.</returns>
    private bool TryCount(Waiter waiter)
    {
        lock (_gate)
        {
            _filter ??= new WaitFilter();
            if (waiter.Arrival == 0)
                waiter.Arrival = ++_arrivals;
            waiter.HasLeft = false;
            waiter.Places = new WaitPlace?[waiter.Keys.Length];
            _removalHearers += waiter.HearsRemovals ? 1 : 0;
            Volatile.Write(ref _count, _count + 1);
            return _isAttached;
        }
    }

    private void Attach()
    {
        lock (_attaching)
        {
            if (Volatile.Read(ref _isAttached))
                return;
            _store.Attach(this);
            Volatile.Write(ref _isAttached, true);
        }
    }

    private bool TryStand(Waiter waiter, int index)
    {
        lock (_gate)
        {
            if (!waiter.HasLeft)
                Stand(waiter, index);
            return !waiter.HasLeft;
        }
    }

    private WaitedKey? Find(int database, ReadOnlySpan<byte> key)
    {
        Debug.Assert(_gate.IsHeldByCurrentThread);
        return _keys[database] is { } keys
            && keys.GetAlternateLookup<ReadOnlySpan<byte>>().TryGetValue(key, out var found) ? found : null;
    }

    private void Stand(Waiter waiter, int index)
    {
        var keys = _keys[waiter.Database] ??= new Dictionary<byte[], WaitedKey>(new KeyBytesComparer());
        byte[] bytes = waiter.Keys[index];
        if (!keys.TryGetValue(bytes, out var key))
            keys.Add(bytes, key = new WaitedKey(waiter.Database, bytes));
        var place = new WaitPlace(waiter, key);
        waiter.Places[index] = place;
        key.Get(waiter.Kind).Add(place);
        key.Places++;
        key.RemovalHearers += waiter.HearsRemovals ? 1 : 0;
    }

    private void Leave(WaitPlace place)
    {
        var key = place.Key;
        key.Get(place.Waiter.Kind).Remove(place);
        key.RemovalHearers -= place.Waiter.HearsRemovals ? 1 : 0;
        if (--key.Places == 0)
            _keys[key.Database]!.Remove(key.Bytes); // If it is ready, nobody is found.
    }

    private void MakeReady(int database, byte[] bytes)
    {
        lock (_gate)
        {
            if (Find(database, bytes) is { } key)
                MakeReady(key);
        }
    }

    private void MakeAllReady(int database)
    {
        foreach (var key in All(database))
            MakeReady(key);
    }

    private IEnumerable<WaitedKey> All(int database) => _keys[database]?.Values ?? Enumerable.Empty<WaitedKey>();

    private void MakeReady(WaitedKey key)
    {
        Debug.Assert(_gate.IsHeldByCurrentThread);
        if (key.IsReady)
            return;
        key.IsReady = true;
        _ready.Enqueue(key);
        Volatile.Write(ref _readyCount, _ready.Count);
    }
}
