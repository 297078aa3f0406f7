using Cache.Core;
using Cache.Server.Clients;
using Cache.Server.Commands.Table;
using Cache.Server.Watches;

namespace Cache.Server.Commands.Dispatch;

/// <summary>A client's transaction: what it watches, and what it has queued since MULTI.</summary>
/// <remarks>
/// <code>
///  idle ── MULTI ─▶ queueing ── an error ─▶ refused ── EXEC, DISCARD, RESET ─▶ idle
///                      └──────── EXEC, DISCARD, RESET ──────────────────────────▶ idle
/// </code>
/// Used by the thread of the client's connection; others read figures.
/// </remarks>
internal sealed class Transaction(ClientSession client, WatchTable table) : ClientTransaction
{
    // What a watch takes beside its key: its object, the array's header, its place in the list.
    private const int WatchBytes = 96;

    private const int ComparedMax = 64;

    private readonly List<WatchedName> _watches = [];
    private long _watchBytes;
    private int _watchedCount;

    /// <summary>The queue.</summary>
    public RequestQueue Queue { get; } = new();

    /// <summary>The watched keys.</summary>
    public IReadOnlyList<WatchedName> Watches => _watches;

    /// <summary>Whether a command was refused when it should have been queued: EXEC then executes nothing.</summary>
    public bool IsRefused { get; private set; }

    public override int QueuedCount => Queue.Count;

    public override long QueueBytes => Queue.MemoryBytes;

    public override int WatchedCount => Volatile.Read(ref _watchedCount);

    public override bool IsVoid => HasTouched();

    public override long MemoryBytes => Queue.MemoryBytes + _watchBytes;

    /// <summary>The transaction of a client; made at the first MULTI or WATCH.</summary>
    public static Transaction Of(CommandContext context)
    {
        var client = context.Client;
        if (client.Transaction is null)
            client.Transaction = new Transaction(client, context.Server.Watches);
        return (Transaction)client.Transaction;
    }

    /// <summary>MULTI: commands are queued from now on.</summary>
    public void Begin() => client.IsQueueing = true;

    /// <summary>A command was refused.</summary>
    public void Refuse() => IsRefused = true;

    /// <summary>WATCH.</summary>
    /// <param name="keyspace">A view of the client's keyspace.</param>
    /// <param name="key">The key.</param>
    public void Watch(CacheStore keyspace, ReadOnlySpan<byte> key)
    {
        if (key.Length > CacheStore.KeyLengthMax)
            return; // No store has it, ever.

        // Twice is as good as once: only the last ones are compared.
        for (int i = Math.Max(0, _watches.Count - ComparedMax); i < _watches.Count; i++)
        {
            var watch = _watches[i];
            if (watch.Keyspace == keyspace.Keyspace && key.SequenceEqual(watch.Key))
                return;
        }

        lock (_watches)
            _watches.Add(table.Watch(keyspace, key.ToArray()));
        Volatile.Write(ref _watchedCount, _watches.Count);
        _watchBytes += WatchBytes + key.Length;
    }

    /// <summary>UNWATCH.</summary>
    public void Unwatch()
    {
        if (_watches.Count == 0)
            return;
        table.Unwatch(_watches);
        lock (_watches)
            _watches.Clear();
        Volatile.Write(ref _watchedCount, 0);
        _watchBytes = 0;
    }

    /// <summary>The queue is executed or dropped, and nothing is watched any more.</summary>
    public void Reset()
    {
        client.IsQueueing = false;
        IsRefused = false;
        Queue.Clear();
        Unwatch();
    }

    public override void End() => Reset();

    // Another thread asks for CLIENT LIST.
    private bool HasTouched()
    {
        if (WatchedCount == 0)
            return false;
        lock (_watches)
            return _watches.Exists(static watch => watch.IsTouched);
    }
}
