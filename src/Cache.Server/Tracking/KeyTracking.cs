using Cache.Core;
using Cache.Core.Changes;
using Cache.Server.Clients;
using Cache.Server.Settings;

namespace Cache.Server.Tracking;

/// <summary>Tells clients of the changes of keys that they have read, or whose prefixes they have named.</summary>
/// <remarks>
/// Algorithm: a client that reads is remembered with the key before it reads, so that a later change finds it. Its
/// connection has the turn to write until the reply is written: a message about the change comes behind the reply. A
/// change of any door is noted under the lock of its key, in a queue or in the prefixes' buffers, and sent without it:
/// about single keys by the end of the write, about prefixes once per round of a loop, and before a client with an
/// outbox executes what it has sent meanwhile. So once a write is acknowledged, no client gets a later reply before it
/// is told.
/// Bounds: the remembered keys, see <see cref="TrackedKeys"/>; buffers, see <see cref="ChangedKeys"/>; the outboxes.
/// While no client tracks, the store has no observer. Thread-safe.
/// </remarks>
internal sealed class KeyTracking
{
    // What a sweep forgets above a lower limit: less than a millisecond.
    private const int ForgottenPerSweepMax = 1000;

    [ThreadStatic]
    private static long _writer;

    // What is taken from on this thread, for one who waited for it.
    [ThreadStatic]
    private static byte[]? _servedKey;

    private readonly CacheStore _store;
    private readonly ServerSettings _settings;
    private readonly ClientRegistry _registry;
    private readonly InvalidationSender _sender;
    private readonly InvalidationQueue _queue = new();
    private readonly Observer _observer;
    private readonly Lock _gate = new();
    private readonly Action<Invalidation> _send;
    private readonly Action<TrackedPrefix, ChangedKeys> _sendChanged;

    // Of the last message about one key, for its next client. Under the lock of those who send.
    private byte[]? _lastKey;
    private InvalidationFrames? _lastFrames;

    // Replaced as a whole, under the gate.
    private volatile ClientSession[] _clients = [];
    private int _isScheduled;

    /// <param name="store">The store whose changes are told.</param>
    /// <param name="registry">The clients that are connected.</param>
    /// <param name="settings">The limit of remembered keys.</param>
    public KeyTracking(CacheStore store, ClientRegistry registry, ServerSettings settings)
    {
        _store = store;
        _settings = settings;
        _registry = registry;
        _sender = new InvalidationSender(registry);
        _observer = new Observer(this);
        _send = Send;
        _sendChanged = Send;
        Keys = new TrackedKeys(store, _queue);
    }

    /// <summary>
    /// The client whose command this thread executes, if it need not be told of its own changes; 0: none.
    /// </summary>
    public static long Writer
    {
        get => _writer;
        set => _writer = value;
    }

    /// <summary>
    /// Begins to take something from a key for a client that has waited for it: it need not be told of what else
    /// changes by that, if it wants so. Of the key it is, and so is who has pushed: both have changed it.
    /// </summary>
    public static void BeginServing(ClientSession client, byte[] key)
    {
        _writer = client.Tracking is { } tracking && tracking.Has(TrackingModes.NoLoop) ? client.Id : 0;
        _servedKey = key;
    }

    /// <summary>Ends what <see cref="BeginServing"/> began.</summary>
    public static void EndServing()
    {
        _writer = 0;
        _servedKey = null;
    }

    /// <summary>How many clients are told of changes.</summary>
    public int ClientCount => _clients.Length;

    /// <summary>What clients have read.</summary>
    public TrackedKeys Keys { get; }

    /// <summary>The prefixes of broadcasts.</summary>
    public PrefixTable Prefixes { get; } = new();

    /// <summary>Tells a client of changes from now on, or in another way. For the client's thread.</summary>
    public void Enable(ClientSession client, ClientTracking tracking)
    {
        lock (_gate)
        {
            if (_clients.Length == 0)
                _store.Attach(_observer);
            if (client.Tracking is null)
                _clients = [.. _clients, client];
            client.Tracking = tracking;
            foreach (byte[] prefix in tracking.Prefixes)
                Prefixes.Add(client, prefix);
        }
    }

    /// <summary>Tells a client of no more changes. For the client's thread.</summary>
    public void Disable(ClientSession client)
    {
        if (client.Tracking is null)
            return;
        lock (_gate)
        {
            Prefixes.Remove(client, client.Tracking.Prefixes);
            client.Outbox?.Void(client.Tracking.Ticket);
            client.Tracking = null;
            _clients = Array.FindAll(_clients, one => one != client);
            if (_clients.Length > 0)
                return;
            _store.Detach(_observer);
            Keys.Clear();
        }
    }

    /// <summary>Remembers that a client is about to read a key.</summary>
    public void Remember(ClientSession client, ReadOnlySpan<byte> key)
    {
        Keys.Add(key, client.Id, _settings.TrackingTableKeysMax);
        if (_queue.HasAny)
            SendQueued();
    }

    /// <summary>Tells all clients that all keys have changed.</summary>
    public void NoteAll()
    {
        if (_clients.Length == 0)
            return;
        _queue.Add(default);
        SendQueued();
    }

    /// <summary>Sends what was noted so far; for a client that is about to get replies.</summary>
    public void SendNoted()
    {
        if (_queue.HasAny)
            SendQueued();
        if (Prefixes.HasAny)
            SendChanged();
    }

    /// <summary>Forgets keys if the limit was lowered. Called by the sweep.</summary>
    public void Sweep()
    {
        Keys.Limit(_settings.TrackingTableKeysMax, ForgottenPerSweepMax);
        SendNoted();
    }

    private void SendQueued() => _queue.Send(_send);

    private void Send(Invalidation invalidation)
    {
        if (invalidation.Key is not { } key)
        {
            // Before the clients are told: what one remembers from now on, it reads afterwards.
            Keys.Clear();
            foreach (var one in _clients)
            {
                if (one.Tracking is { } ofOne)
                    _sender.SendAll(one, ofOne);
            }
        }
        else if (_registry.Find(invalidation.Client) is { Tracking: { IsBroadcast: false } tracking } client
            && !(tracking.Has(TrackingModes.NoLoop) && invalidation.Writer == client.Id))
        {
            if (_lastKey != key)
                (_lastKey, _lastFrames) = (key, InvalidationFrames.Of(key));
            _sender.Send(client, tracking, _lastFrames!);
        }
    }

    private void Schedule()
    {
        if (Interlocked.Exchange(ref _isScheduled, 1) != 0)
            return;
        if (Prefixes.FindAnyClient() is { } client)
            client.Post(static self => ((KeyTracking)self).SendChanged(), this);
        else
            SendChanged();
    }

    private void SendChanged()
    {
        // Before it looks: what is noted later is scheduled again.
        Interlocked.Exchange(ref _isScheduled, 0);
        Prefixes.Send(_sendChanged);
    }

    private void Send(TrackedPrefix prefix, ChangedKeys keys)
    {
        if (keys.IsEmpty)
            return;
        InvalidationFrames? all = null;
        foreach (var client in prefix.Clients)
        {
            if (client.Tracking is not { } tracking)
                continue;
            if (keys.IsOverflown)
                _sender.SendAll(client, tracking);
            else if (!tracking.Has(TrackingModes.NoLoop))
                _sender.Send(client, tracking, all ??= InvalidationFrames.Of(keys, exceptOf: 0)!);
            else if (InvalidationFrames.Of(keys, exceptOf: client.Id) is { } some)
                _sender.Send(client, tracking, some);
        }
    }

    private sealed class Observer(KeyTracking tracking) : ChangeObserver
    {
        public override void Note(in ChangeNote note)
        {
            if (note.Kind == ChangeKind.Clear)
            {
                tracking._queue.Add(default);
                return;
            }

            // Not its own: a client that need not hear of its changes must hear of what it has pushed out.
            long writer = note.Cause is ChangeCause.Evicted or ChangeCause.Expired ? 0 : Writer;
            if (writer != 0 && _servedKey is { } served && note.Key.SequenceEqual(served))
                writer = 0;
            tracking.Prefixes.Note(note.Key, writer);
            tracking.Keys.Take(note.Key, writer);
        }

        public override void Drain()
        {
            if (tracking._queue.HasAny)
                tracking.SendQueued();
            if (tracking.Prefixes.HasAny)
                tracking.Schedule();
        }
    }
}
