using Cache.Core;
using Cache.Core.Changes;
using Cache.Server.Commands.Table;
using Cache.Server.Protocol;
using Cache.Server.PubSub;
using Cache.Server.Settings;

namespace Cache.Server.Notifications;

/// <summary>Publishes what becomes of keys: notify-keyspace-events. Thread-safe.</summary>
/// <remarks>
/// While it is on it observes the store. Each change is noted under the lock of its key, with the name that the plan of
/// the command on this thread gives it, so that the events of a key come in the order of its changes, whatever threads
/// make them; a change without a command is one in process, an expiry or an eviction. The notes are published without
/// any lock of the store: at the end of the command, or by a thread of the pool. One thread publishes at a time. While
/// it is off, a call looks at one flag; while nobody is subscribed, nothing is noted.
/// </remarks>
/// <param name="store">The store, whose keyspaces are all observed.</param>
/// <param name="channels">Where the events are published.</param>
/// <param name="databaseOf">Gives the number of the database that is a keyspace now.</param>
internal sealed class KeyspaceNotifier(CacheStore store, ChannelTable channels, Func<int, int> databaseOf)
    : ChangeObserver
{
    /// <summary>The most events that wait to be published; further ones are dropped, and counted.</summary>
    public const int WaitingMax = 1 << 16;

    /// <summary>The most bytes of their keys.</summary>
    public const int WaitingBytesMax = 16 << 20;

    // The call of a command on this thread, with those around it.
    [ThreadStatic]
    private static NotifiedCall? _call;

    private readonly Lock _changing = new();
    private readonly Lock _gate = new();
    private readonly Queue<Waiting> _waiting = new();
    private long _waitingBytes;
    private long _noted; // All events that have waited.
    private long _published; // Those that are published.
    private long _dropped;
    private int _isPublishing;
    private int _isScheduled;
    private volatile bool _isOn;
    private volatile EventClasses _classes;

    /// <summary>Whether any event is published.</summary>
    public bool IsOn => _isOn;

    /// <summary>How many events were dropped, since too many waited.</summary>
    public long DroppedCount => Interlocked.Read(ref _dropped);

    /// <summary>Publishes these classes of events from now on.</summary>
    public void Set(EventClasses classes)
    {
        lock (_changing)
        {
            bool isOn = (classes & EventClasses.Channels) != 0 && (classes & ~EventClasses.Channels) != 0;
            _classes = classes;
            if (isOn && !_isOn)
                store.Attach(this);
            else if (!isOn && _isOn)
                store.Detach(this);
            _isOn = isOn;
        }
    }

    /// <summary>Begins the call of a command on this thread; <see cref="End"/> ends it.</summary>
    public void Begin(CommandDefinition command, in RespRequest request, CacheStore keyspace)
    {
        var plan = EventPlans.Of(command, request, keyspace);
        _call = new NotifiedCall(this, plan, plan.NeedsFirst ? request[1].ToArray() : null, keyspace, _call);
        if ((_classes & EventClasses.KeyMiss) != 0)
            NoteMisses(command, request, keyspace);
    }

    /// <summary>As <see cref="Begin(CommandDefinition, in RespRequest, CacheStore)"/>, for one who has waited for a
    /// key, and gets what it has waited for.</summary>
    public void Begin(EventPlan plan, byte[] key, CacheStore keyspace) =>
        _call = new NotifiedCall(this, plan, key, keyspace, _call);

    /// <summary>Ends it, and publishes its events, unless another call is around it.</summary>
    public void End()
    {
        var call = _call!;
        call.TellRest();
        _call = call.Outer;
        if (_call is null)
            Publish();
    }

    /// <summary>
    /// Publishes all that was noted so far, for PUBLISH: as in Redis, its message comes behind the events of what its
    /// client, EXEC or a script has done before.
    /// </summary>
    /// <remarks>The calls around it, if any, have not ended. Another thread that publishes at the time waits for
    /// nobody.</remarks>
    public void PublishNoted()
    {
        long noted;
        lock (_gate)
            noted = _noted;
        var wait = default(SpinWait);
        while (Volatile.Read(ref _published) < noted)
        {
            Publish();
            if (Volatile.Read(ref _published) < noted)
                wait.SpinOnce();
        }
    }

    /// <inheritdoc/>
    public override void Note(in ChangeNote note)
    {
        if (channels.IsEmpty)
            return;
        if (note.Cause == ChangeCause.Evicted)
            Add(note.Keyspace, KeyEvent.Evicted, note.Key);
        else if (note.Cause == ChangeCause.Expired)
            Add(note.Keyspace, note.Kind == ChangeKind.Remove ? KeyEvent.Expired : KeyEvent.FieldsExpired, note.Key);
        else if (note.Kind == ChangeKind.Clear)
            return; // As in Redis.
        else if (_call is { } call && call.Owner == this)
            call.Note(note);
        else
            NotedInProcess(note);
    }

    /// <inheritdoc/>
    public override void Drain()
    {
        // A command publishes at its end. Another thread may be the store's timer, or have the store's claims.
        if (_call is not null || Volatile.Read(ref _waitingBytes) == 0
            || Interlocked.Exchange(ref _isScheduled, 1) != 0)
        {
            return;
        }

        ThreadPool.UnsafeQueueUserWorkItem(
            static self =>
            {
                Interlocked.Exchange(ref self._isScheduled, 0); // First: what comes later is scheduled again.
                self.Publish();
            },
            this, preferLocal: false);
    }

    /// <summary>Notes an event of a command that does not follow from what became of its keys.</summary>
    public void Tell(int keyspace, KeyEvent one, ReadOnlySpan<byte> key)
    {
        if (_isOn && !channels.IsEmpty)
            Add(keyspace, one, key);
    }

    /// <summary>Notes an event, if its class is published.</summary>
    public void Add(int keyspace, KeyEvent? one, ReadOnlySpan<byte> key)
    {
        if (one is null || (one.Class & _classes) == 0)
            return;
        byte[] bytes = key.ToArray();
        lock (_gate)
        {
            if (_waiting.Count >= WaitingMax || _waitingBytes + bytes.Length > WaitingBytesMax)
            {
                Interlocked.Increment(ref _dropped);
                return;
            }

            _waiting.Enqueue(new Waiting(keyspace, one, bytes));
            _noted++;
            Volatile.Write(ref _waitingBytes, _waitingBytes + bytes.Length + 1);
        }
    }

    // A read that finds no key is told before it is made, key by key, as Redis looks them up.
    private void NoteMisses(CommandDefinition command, in RespRequest request, CacheStore keyspace)
    {
        if (channels.IsEmpty)
            return;
        var keys = new KeyEnumerator(command, request, start: 0);
        while (keys.MoveNext())
        {
            if (EventPlans.TellsMiss(command, keys.Access) && !keyspace.TryPeekInfo(request[keys.Index], out _))
                Add(keyspace.Keyspace, KeyEvent.Miss, request[keys.Index]);
        }
    }

    // The store does not say which method of a collection was called.
    private void NotedInProcess(in ChangeNote note)
    {
        if (note.Kind == ChangeKind.Remove)
        {
            Add(note.Keyspace, KeyEvent.Deleted, note.Key);
            return;
        }

        if (note.Kind == ChangeKind.Expire)
        {
            Add(note.Keyspace, KeyEvent.Expire, note.Key);
            return;
        }

        if (!note.IsReplaced)
            Add(note.Keyspace, KeyEvent.New, note.Key);
        Add(note.Keyspace, EventPlans.WrittenInProcess(note.EntryKind), note.Key);
    }

    // Whoever adds while another publishes leaves it to that thread, which looks again when it has ended.
    private void Publish()
    {
        while (Volatile.Read(ref _waitingBytes) != 0 && Interlocked.Exchange(ref _isPublishing, 1) == 0)
        {
            while (TryTake(out var one))
            {
                Publish(one);
                Volatile.Write(ref _published, _published + 1); // By one thread at a time.
            }

            Interlocked.Exchange(ref _isPublishing, 0);
        }
    }

    private bool TryTake(out Waiting one)
    {
        lock (_gate)
        {
            if (!_waiting.TryDequeue(out one))
                return false;
            Volatile.Write(ref _waitingBytes, _waitingBytes - one.Key.Length - 1);
            return true;
        }
    }

    private void Publish(in Waiting one)
    {
        int database = databaseOf(one.Keyspace);
        if ((_classes & EventClasses.KeyChannels) != 0)
            channels.Publish(EventChannel.Of("keyspace"u8, database, one.Key), one.Event.Name, default);
        if ((_classes & EventClasses.EventChannels) != 0)
            channels.Publish(EventChannel.Of("keyevent"u8, database, one.Event.Name), one.Key, default);
    }

    private readonly record struct Waiting(int Keyspace, KeyEvent Event, byte[] Key);
}
