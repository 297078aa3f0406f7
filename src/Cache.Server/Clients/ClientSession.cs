using System.Security.Cryptography.X509Certificates;
using Cache.Server.Commands.Table;
using Cache.Server.Security;

namespace Cache.Server.Clients;

/// <summary>What a server knows of one client beside its socket.</summary>
/// <remarks>
/// Written by the thread of the client's connection; other threads (CLIENT LIST, INFO) read single fields, which may
/// be a moment old, and end the client by <see cref="Kill"/>. Made by the <see cref="ClientRegistry"/>.
/// </remarks>
internal sealed class ClientSession
{
    private readonly object _connection;
    private readonly Action<object> _abort;
    private volatile bool _shouldClose;
    private volatile bool _isKilled;
    private volatile bool _isHurried;
    private volatile bool _isServed;
    private volatile AclUser _user;
    private Suspension? _suspension;
    private volatile Outbox? _outbox;
    private long _unsentBytes;
    private volatile bool _isUncounted;

    public ClientSession(
        long id,
        ClientEndPoints endPoints,
        AclUser user,
        long connectedAtMs,
        object connection,
        Action<object> abort)
    {
        _user = user;
        Id = id;
        EndPoints = endPoints;
        ConnectedAtMs = connectedAtMs;
        LastInteractionMs = connectedAtMs;
        UnauthenticatedSinceMs = connectedAtMs;
        _connection = connection;
        _abort = abort;
    }

    /// <summary>The number of the connection, from 1, never used twice.</summary>
    public long Id { get; }

    public ClientEndPoints EndPoints { get; }

    /// <summary>When it connected, in milliseconds of the store's clock.</summary>
    public long ConnectedAtMs { get; }

    /// <summary>
    /// When its last bytes came, in milliseconds of the store's clock; set by the connection, per receive.
    /// </summary>
    public long LastInteractionMs { get; set; }

    /// <summary>
    /// The certificate that the client showed in its TLS handshake and that is trusted; null for none. Set by the
    /// connection before the first command.
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

    /// <summary>What CLIENT REPLY chose.</summary>
    public ReplyMode ReplyMode { get; set; }

    /// <summary>Whose rights it has: the default user's, or its certificate's, until it authenticates.</summary>
    public AclUser User
    {
        get => _user;
        set => _user = value;
    }

    /// <summary>By what it is parked; made when it is for the first time. The client's connection.</summary>
    public Suspension Suspension => _suspension ?? MakeSuspension();

    /// <summary>Whether it is parked, or about to be once the present command is over. Any thread.</summary>
    public bool IsParked => _suspension is { Reason: not SuspensionReason.None };

    /// <summary>Whether a command of it waits for something, as lists of clients show. Any thread.</summary>
    public bool IsBlocked => _suspension is { Reason: > SuspensionReason.Delay };

    /// <summary>Whether its replies are held back: then it waits for the server. Any thread.</summary>
    public bool IsDelayed => _suspension is { Reason: SuspensionReason.Delay };

    /// <summary>What others push to it; null: they do not.</summary>
    public Outbox? Outbox => _outbox;

    /// <summary>Whether it gave a password or a certificate of a user, or none was asked when it connected.</summary>
    public bool IsAuthenticated { get; set; }

    /// <summary>Since when it has had to authenticate: since it connected, or since RESET.</summary>
    public long UnauthenticatedSinceMs { get; set; }

    /// <summary>
    /// Whether it was let in above the limit, for an administrator: what others need is refused to it.
    /// </summary>
    public bool IsReserved { get; set; }

    /// <summary>CLIENT NO-EVICT: never closed to save memory.</summary>
    public bool IsProtectedFromEviction { get; set; }

    /// <summary>CLIENT NO-TOUCH: its reads do not make entries look used.</summary>
    public bool IsNoTouch { get; set; }

    /// <summary>Its turn on the thread that it shares.</summary>
#pragma warning disable CA1051 // A field, since it is changed in place.
    public Turn Turn;
#pragma warning restore CA1051

    /// <summary>The last command that was known; null before the first.</summary>
    public CommandDefinition? LastCommand { get; set; }

    /// <summary>
    /// Whether what it sent is being executed, or waits for a thread: then it is the client who waits; set by the
    /// connection.
    /// </summary>
    public bool IsServed
    {
        get => _isServed;
        set => _isServed = value;
    }

    /// <summary>The descriptor of its socket; negative where there is none.</summary>
    public int Descriptor { get; init; } = -1;

    /// <summary>
    /// Bytes received that are not a whole request yet, and while it is served those of the read; set by the
    /// connection.
    /// </summary>
    public int PendingInputBytes { get; set; }

    /// <summary>Memory that is held for these bytes; set by the connection.</summary>
    public long InputMemoryBytes { get; set; }

    /// <summary>Bytes of replies that the peer has not taken yet; set by the connection.</summary>
    public long PendingOutputBytes { get; set; }

    /// <summary>What it holds beside what every client does.</summary>
    public long HeldBytes =>
        InputMemoryBytes + PendingOutputBytes + Volatile.Read(ref _unsentBytes) + (_outbox?.Bytes ?? 0);

    /// <summary>Whether the connection is to close once the replies so far are sent: after QUIT, or killed.</summary>
    public bool ShouldClose => _shouldClose;

    /// <summary>Whether another client ended it; its connection is about to close, and lists leave it out.</summary>
    public bool IsKilled => _isKilled;

    /// <summary>Counts replies that lie in the transport, beyond those that are pending. Called by the sweep.</summary>
    /// <param name="bytes">How many bytes they hold at present.</param>
    /// <param name="memory">Where they count.</param>
    public void CountUnsent(long bytes, ClientMemory memory)
    {
        long more = bytes - Volatile.Read(ref _unsentBytes);
        if (more == 0)
            return;
        // Counted before it can be seen: who removes the client would take back what nobody has given.
        memory.Count(Math.Max(more, 0));
        memory.Count(bytes - Interlocked.Exchange(ref _unsentBytes, bytes) - Math.Max(more, 0));

        // An exchange is a fence: either this sees that the client has gone, or who removes it sees the bytes.
        if (_isUncounted)
            memory.Count(-Interlocked.Exchange(ref _unsentBytes, 0));
        if (more > 0)
            memory.EvictWhileOverLimit();
    }

    /// <summary>Counts no replies in the transport from now on.</summary>
    public void EndCount(ClientMemory memory)
    {
        _isUncounted = true;
        memory.Add(-Interlocked.Exchange(ref _unsentBytes, 0));
    }

    /// <summary>Closes after the present reply; called by the client's own command.</summary>
    public void CloseAfterReply() => _shouldClose = true;

    /// <summary>Lets others push to it from now on; called by the client's own command.</summary>
    public Outbox OpenOutbox(ClientMemory memory, Action<ConnectionLimit, string, long> report) =>
        _outbox ??= new Outbox(this, memory, report);

    /// <summary>Holds its replies back from now on; called by the client's own command.</summary>
    public void Delay(TimeSpan time) => Suspension.Begin(SuspensionReason.Delay, time);

    /// <summary>CLIENT UNBLOCK, from any thread.</summary>
    /// <returns>Whether it waited for something.</returns>
    public bool TryUnblock(SuspensionEnd end) => Volatile.Read(ref _suspension)?.TryUnblock(end) == true;

    /// <summary>Lets the client be parked no more, from any thread: its connection is about to end.</summary>
    public void EndWait()
    {
        _isHurried = true;

        // A fence, as where it is made: either this sees the suspension, or who makes it sees that it is over.
        Interlocked.CompareExchange(ref _suspension, null, null)?.Close();
    }

    /// <summary>Ends the client from another client's command; what was not sent is lost.</summary>
    public void Kill()
    {
        _isKilled = true;
        _shouldClose = true;
        EndWait();
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
