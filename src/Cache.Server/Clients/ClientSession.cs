using System.Security.Cryptography.X509Certificates;
using Cache.Server.Commands.Table;
using Cache.Server.Security;

namespace Cache.Server.Clients;

/// <summary>The state of one client, without its socket.</summary>
/// <remarks>
/// Written by the thread of the client's connection; other threads (CLIENT LIST, INFO) read single fields, which may be
/// a moment old, and end the client with <see cref="Kill"/>. Created by the <see cref="ClientRegistry"/>.
/// </remarks>
internal sealed class ClientSession
{
    private readonly object _connection;
    private readonly Action<object> _abort;
    private volatile bool _shouldClose;
    private volatile bool _isKilled;
    private volatile bool _isHurried;
    private volatile bool _isServed;
    private volatile bool _isWaiting;
    private volatile AclUser _user;
    private Suspension? _suspension;
    private volatile Outbox? _outbox;
    private volatile ClientSubscriptions? _subscriptions;
    private volatile ClientTracking? _tracking;
    private readonly Action<object, Action<object>, object>? _post;
    private long _unsentBytes;
    private volatile bool _isUncounted;

    public ClientSession(
        long id,
        ClientEndPoints endPoints,
        AclUser user,
        long connectedAtMs,
        object connection,
        Action<object> abort,
        Action<object, Action<object>, object>? post = null)
    {
        _user = user;
        Id = id;
        EndPoints = endPoints;
        ConnectedAtMs = connectedAtMs;
        LastInteractionMs = connectedAtMs;
        UnauthenticatedSinceMs = connectedAtMs;
        _connection = connection;
        _abort = abort;
        _post = post;
    }

    /// <summary>The number of the connection, from 1, never reused.</summary>
    public long Id { get; }

    public ClientEndPoints EndPoints { get; }

    /// <summary>When it connected, in milliseconds of the store's clock.</summary>
    public long ConnectedAtMs { get; }

    /// <summary>
    /// When its last bytes arrived, in milliseconds of the store's clock; set by the connection on each receive.
    /// </summary>
    public long LastInteractionMs { get; set; }

    /// <summary>
    /// The trusted certificate that the client showed in its TLS handshake; null for none. Set by the connection before
    /// the first command.
    /// </summary>
    public X509Certificate2? ClientCertificate { get; set; }

    /// <summary>CLIENT SETNAME; empty: none.</summary>
    public byte[] Name { get; set; } = [];

    /// <summary>CLIENT SETINFO LIB-NAME.</summary>
    public byte[] LibraryName { get; set; } = [];

    /// <summary>CLIENT SETINFO LIB-VER.</summary>
    public byte[] LibraryVersion { get; set; } = [];

    /// <summary>The database that SELECT chose.</summary>
    public int Database { get; set; }

    /// <summary>The version of RESP that HELLO chose: 2 or 3.</summary>
    public int ProtocolVersion { get; set; } = 2;

    /// <summary>The mode that CLIENT REPLY chose.</summary>
    public ReplyMode ReplyMode { get; set; }

    /// <summary>The user whose rights it has: the default user, or its certificate's, until it authenticates.</summary>
    public AclUser User
    {
        get => _user;
        set => _user = value;
    }

    /// <summary>Parks the client; created when first used. Only for the client's connection.</summary>
    public Suspension Suspension => _suspension ?? MakeSuspension();

    /// <summary>Whether it is parked, or will be at the end of the present command. Any thread.</summary>
    public bool IsParked => _suspension is { Reason: not SuspensionReason.None };

    /// <summary>Whether one of its commands is blocked, as CLIENT LIST shows. Any thread.</summary>
    public bool IsBlocked => _suspension is { Reason: > SuspensionReason.Delay };

    /// <summary>Whether that ends by itself, at a moment. Any thread.</summary>
    public bool HasWaitEnd => _suspension is { Reason: > SuspensionReason.Pause, HasDeadline: true };

    /// <summary>Whether its replies are held back, so that it waits for the server. Any thread.</summary>
    public bool IsDelayed => _suspension is { Reason: SuspensionReason.Delay };

    /// <summary>The messages that others push to it; null: none do.</summary>
    public Outbox? Outbox => _outbox;

    /// <summary>Whether its connection waits, without writing. Written by the connection.</summary>
    public bool IsWaiting
    {
        get => _isWaiting;
        set => _isWaiting = value;
    }

    /// <summary>Its connection, where others may push to it; null: none.</summary>
    public IClientConnection? Owner { get; set; }

    /// <summary>The channels that it is subscribed to, or was; null: it never was.</summary>
    public ClientSubscriptions? Subscriptions => _subscriptions;

    /// <summary>Whether it is subscribed to a channel or a pattern. Any thread.</summary>
    public bool IsSubscriber => _subscriptions is { IsEmpty: false };

    /// <summary>
    /// Whether it may ask for nothing for a long time and is not forgotten: it waits, or is told what happens.
    /// </summary>
    public bool IsAttentive => IsBlocked || IsSubscriber || _tracking is not null || IsMonitor;

    /// <summary>Its kind.</summary>
    public ClientType Type => IsSubscriber ? ClientType.PubSub : ClientType.Normal;

    /// <summary>Whether it may use the commands of subscribers only: it could not tell replies from messages.</summary>
    public bool IsRestricted => _subscriptions is { IsEmpty: false } && ProtocolVersion == 2;

    /// <summary>How it is told of changed keys; null: it is not. Set by the client's own commands.</summary>
    public ClientTracking? Tracking
    {
        get => _tracking;
        set
        {
            _tracking = value;
            HasTrackedCalls = value is not null && (!value.IsBroadcast || value.Has(TrackingModes.NoLoop));
        }
    }

    /// <summary>
    /// Whether each of its calls matters for that: what it reads is remembered, or what it writes is told to others
    /// only. For its connection's thread.
    /// </summary>
    public bool HasTrackedCalls { get; private set; }

    /// <summary>Whether it has authenticated by password or certificate, or needed neither when it connected.</summary>
    public bool IsAuthenticated { get; set; }

    /// <summary>Since when it must authenticate: since it connected, or since RESET.</summary>
    public long UnauthenticatedSinceMs { get; set; }

    /// <summary>
    /// Whether it was admitted above the limit, for an administrator: other commands are refused while the limit is
    /// reached.
    /// </summary>
    public bool IsReserved { get; set; }

    /// <summary>CLIENT NO-EVICT: never closed to save memory.</summary>
    public bool IsProtectedFromEviction { get; set; }

    /// <summary>Bytes of its requests until its last read; set by the connection.</summary>
    public long InputBytes { get; set; }

    /// <summary>Bytes of replies and messages until then.</summary>
    public long OutputBytes { get; set; }

    /// <summary>Commands that were called until then.</summary>
    public long Commands { get; set; }

    /// <summary>Whether it is shown the calls of others: MONITOR.</summary>
    public bool IsMonitor { get; set; }

    /// <summary>What it has queued, and watches; null before its first MULTI or WATCH.</summary>
    public ClientTransaction? Transaction { get; set; }

    /// <summary>Whether its commands are queued: after MULTI.</summary>
    public bool IsQueueing { get; set; }

    /// <summary>CLIENT NO-TOUCH: its reads do not count as uses of entries.</summary>
    public bool IsNoTouch { get; set; }

    /// <summary>Its turn on a thread that clients share.</summary>
#pragma warning disable CA1051 // A field, since a struct is changed in place.
    public Turn Turn;
#pragma warning restore CA1051

    /// <summary>The last known command; null before the first.</summary>
    public CommandDefinition? LastCommand { get; set; }

    /// <summary>
    /// Whether its request is being executed, or waits for a thread, so that the client waits for the server; set by
    /// the connection.
    /// </summary>
    public bool IsServed
    {
        get => _isServed;
        set => _isServed = value;
    }

    /// <summary>The descriptor of its socket; negative if there is none.</summary>
    public int Descriptor { get; init; } = -1;

    /// <summary>
    /// The bytes of an incomplete request, and of the present read while that is executed; set by the connection.
    /// </summary>
    public int PendingInputBytes { get; set; }

    /// <summary>Memory that is held for these bytes; set by the connection.</summary>
    public long InputMemoryBytes { get; set; }

    /// <summary>Bytes of replies that the peer has not taken yet; set by the connection.</summary>
    public long PendingOutputBytes { get; set; }

    /// <summary>The bytes of replies and messages that wait for its peer. Any thread.</summary>
    public long UnreadBytes => PendingOutputBytes + (_outbox?.Bytes ?? 0);

    /// <summary>The memory it holds beyond that of an idle client.</summary>
    public long HeldBytes =>
        InputMemoryBytes + PendingOutputBytes + Volatile.Read(ref _unsentBytes) + (_outbox?.Bytes ?? 0)
        + (_subscriptions?.Bytes ?? 0);

    /// <summary>Whether the connection closes once the replies so far are sent: after QUIT, or killed.</summary>
    public bool ShouldClose => _shouldClose;

    /// <summary>Whether another client ended it; its connection is about to close, and lists omit it.</summary>
    public bool IsKilled => _isKilled;

    /// <summary>Counts replies that are in the transport, beyond the pending ones. Called by the sweep.</summary>
    /// <param name="bytes">The bytes that they hold now.</param>
    /// <param name="memory">Counts them.</param>
    public void CountUnsent(long bytes, ClientMemory memory)
    {
        long more = bytes - Volatile.Read(ref _unsentBytes);
        if (more == 0)
            return;
        // Counted before it becomes visible: else the thread that removes the client could subtract bytes not yet
        // added.
        memory.Count(Math.Max(more, 0));
        memory.Count(bytes - Interlocked.Exchange(ref _unsentBytes, bytes) - Math.Max(more, 0));

        // An exchange is a fence: either this sees that the client was removed, or the removal sees the bytes.
        if (_isUncounted)
            memory.Count(-Interlocked.Exchange(ref _unsentBytes, 0));
        if (more > 0)
            memory.EvictWhileOverLimit();
    }

    /// <summary>Stops counting replies in the transport.</summary>
    public void EndCount(ClientMemory memory)
    {
        _isUncounted = true;
        memory.Add(-Interlocked.Exchange(ref _unsentBytes, 0));
    }

    /// <summary>Closes after the present reply; called by the client's own command.</summary>
    public void CloseAfterReply()
    {
        _shouldClose = true;
        _subscriptions?.End(); // No message comes behind the reply.
    }

    /// <summary>
    /// Lets others push messages to it from now on. For the client's own command.
    /// </summary>
    public Outbox OpenOutbox(ClientMemory memory)
    {
        if (_outbox is null)
        {
            var made = new Outbox(this, memory);
#pragma warning disable CS0420 // The exchange is a fence itself.
            Interlocked.CompareExchange(ref _outbox, made, null);
#pragma warning restore CS0420
        }

        return _outbox;
    }

    /// <summary>Lets others push messages to it from now on. For the command of another client.</summary>
    /// <remarks>
    /// The connection may wait for bytes, and not know of the outbox. The barrier stands for one on its thread: either
    /// it had not begun to wait, and sees the outbox when it begins, or it is seen to wait here, and sees the outbox
    /// when the wait has ended.
    /// </remarks>
    public void OpenOutboxFromOutside(ClientMemory memory)
    {
        if (_outbox is not null)
            return;
        var made = new Outbox(this, memory, isStrange: true);
#pragma warning disable CS0420 // As above.
        if (Interlocked.CompareExchange(ref _outbox, made, null) is not null)
            return;
#pragma warning restore CS0420
        Interlocked.MemoryBarrierProcessWide();
        if (IsWaiting && Owner is { } owner)
            made.Lend(owner);
    }

    /// <summary>Gives it a list of channels; called by the client's own command.</summary>
    public void OpenSubscriptions(ClientSubscriptions subscriptions)
    {
        // A fence: either a thread that ends the client sees the list, or this sees that the client ends.
        Interlocked.Exchange(ref _subscriptions, subscriptions);
        if (_isKilled)
            subscriptions.End();
    }

    /// <summary>Executes short work soon, on the thread of its connection's transport. Any thread.</summary>
    public void Post(Action<object> work, object state)
    {
        if (_post is null)
            work(state);
        else
            _post(_connection, work, state);
    }

    /// <summary>Holds its replies back from now on; called by the client's own command.</summary>
    public void Delay(TimeSpan time) => Suspension.Begin(SuspensionReason.Delay, time);

    /// <summary>CLIENT UNBLOCK, from any thread.</summary>
    /// <returns>Whether it was blocked.</returns>
    public bool TryUnblock(SuspensionEnd end) => Volatile.Read(ref _suspension)?.TryUnblock(end) == true;

    /// <summary>CLIENT UNPAUSE, from any thread.</summary>
    public void EndPause() => Volatile.Read(ref _suspension)?.End(SuspensionReason.Pause, SuspensionEnd.Event);

    /// <summary>
    /// Ends the client's suspension, and prevents later ones, from any thread: its connection is about to end.
    /// </summary>
    public void EndWait()
    {
        _isHurried = true;

        // A fence, as in its creation: either this sees the suspension, or its creator sees that waits have ended.
        Interlocked.CompareExchange(ref _suspension, null, null)?.Close();
    }

    /// <summary>Ends the client from another client's command; unsent replies are lost.</summary>
    public void Kill()
    {
        _isKilled = true;
        _shouldClose = true;
        EndWait();
        _subscriptions?.End(); // No message counts it from now on.
        _abort(_connection);
    }

    private Suspension MakeSuspension()
    {
        var made = new Suspension();
        Interlocked.Exchange(ref _suspension, made);
        if (_isHurried)
            made.Close();
        return made;
    }
}
