using System.Diagnostics;
using Cache.Core;
using Cache.Server.Clients;
using Cache.Server.Notifications;
using Cache.Server.Protocol;

namespace Cache.Server.Waits;

/// <summary>A command that waits for one of several keys: the seam for the families of blocking commands.</summary>
/// <remarks>
/// It stands in the queue of each of its keys, in the <see cref="WaitTable"/>, by the order of arrival. A thread that
/// has changed a key claims the first waiter and calls <see cref="TryServe"/>, one thread at a time; the connection
/// then finds the finished reply.
/// </remarks>
/// <param name="client">The client, which is parked.</param>
/// <param name="database">The number of its database.</param>
/// <param name="kind">The kind of keys that it waits for; other kinds leave it waiting.</param>
/// <param name="keys">The keys; the same one may come twice.</param>
internal abstract class Waiter(ClientSession client, int database, EntryKind kind, byte[][] keys)
{
    /// <summary>
    /// The largest collection of which a waiter takes on the thread of another: its reply is copied there, and so are
    /// the elements.
    /// </summary>
    protected const int LentBytesMax = 64 << 10;

    // The object and its places in queues, about.
    private const long ObjectBytes = 200;
    private const long PlaceBytes = 160;

    private readonly long _bytes = ObjectBytes + Array.ConvertAll(keys, static key => PlaceBytes + key.Length).Sum();
    private volatile bool _isWoken;

    public ClientSession Client => client;

    public int Database => database;

    public EntryKind Kind => kind;

    public byte[][] Keys => keys;

    /// <summary>The events of keys that it means, when it is served.</summary>
    public EventPlan Events { get; set; } = EventPlan.Nothing;

    /// <summary>The number of its suspension.</summary>
    public long Suspension { get; set; }

    /// <summary>When it waits no longer, as a timestamp of the server's clock; 0: never.</summary>
    public long EndsAt { get; set; }

    /// <summary>Whether it also hears that a key was removed, as a reader of a stream's group does.</summary>
    public virtual bool HearsRemovals => false;

    /// <summary>Its reply, if it was served; else null. Read when its suspension has ended.</summary>
    public byte[]? Reply { get; private set; }

    /// <summary>Whether a change has ended its wait without a reply: it makes the attempt itself.</summary>
    public bool IsWoken => _isWoken;

    /// <summary>The memory that it takes.</summary>
    public long MemoryBytes => _bytes + (Reply?.Length ?? 0);

    /// <summary>Its order of arrival; it keeps it where it must wait again. Written by the table.</summary>
    internal long Arrival { get; set; }

    /// <summary>Its places in the queues of its keys, in the same order. Under the table's gate.</summary>
    internal WaitPlace?[] Places { get; set; } = [];

    /// <summary>Whether it has left the table. Under the table's gate.</summary>
    internal bool HasLeft { get; set; } = true;

    /// <summary>Takes what it waits for from a key that has changed, and writes the reply, or does nothing.</summary>
    /// <remarks>
    /// On the thread that has changed the key, which holds no lock and serves nobody else meanwhile: long work is left
    /// to the waiter, by <see cref="WaitOutcome.Itself"/>.
    /// </remarks>
    /// <param name="store">The keyspace of its database.</param>
    /// <param name="key">One of its keys.</param>
    /// <param name="reply">Takes the reply.</param>
    protected internal abstract WaitOutcome TryServe(CacheStore store, byte[] key, RespReplyWriter reply);

    /// <summary>Whether it uses a key that a script holds.</summary>
    protected internal virtual bool Uses(HeldKeys held) => Array.Exists(keys, key => held.Has(key));

    /// <summary>Keeps the reply, before the suspension ends.</summary>
    internal void NoteServed(byte[] reply)
    {
        Debug.Assert(Reply is null);
        Reply = reply;
    }

    /// <summary>Lets it make the attempt itself.</summary>
    internal void NoteWoken() => _isWoken = true;

    /// <summary>It waits again.</summary>
    internal void NoteWaiting() => _isWoken = false;
}
