using System.Diagnostics;
using System.IO.Pipelines;
using Cache.Core;
using Cache.Server.Clients;
using Cache.Server.Commands.Replies;
using Cache.Server.Commands.Table;
using Cache.Server.Protocol;
using Cache.Server.PubSub;
using Cache.Server.Statistics;

namespace Cache.Server.Commands.Dispatch;

/// <summary>
/// The context of a command: its client, the keyspace that the client selected, the reply, the server.
/// </summary>
/// <remarks>
/// Used by one thread at a time, that of a connection's read, which borrows it from the
/// <see cref="CommandContextPool"/>. State that must outlive the read belongs to the <see cref="ClientSession"/>.
/// </remarks>
internal sealed class CommandContext : DatabaseVisit
{
    // The bytes of a reply besides the strings of a list: the headers of arrays, a cursor.
    private const int ReplyFrameBytesMax = 256;

    private readonly TimeProvider _clock;
    private readonly bool _hasCommonNames;
    private CallTimes _times;
    private ClientSession? _client;

    // What it had counted when the client got it.
    private long _commandsBefore;
    private long _inputBytesBefore;

    // The requests until the next sample.
    private int _untilSample = 1;

    // Created when first needed.
    private ByteStringList? _list;
    private DeclaredKeys? _keys;

    // With the locks of a section; null outside, and where nothing is locked.
    private CacheStore? _view;
    private RespReplyWriter? _discarded;
    private object? _scriptHost;

    public CommandContext(ServerState server)
    {
        Server = server;
        Store = server.Store;
        _clock = server.TimeProvider;
        Counters = new CommandCounters(server.Commands.All.Count, _clock.TimestampFrequency);
        Reply = Output;
        _hasCommonNames = server.Commands.HasCommonNames;
        server.Databases.Add(this);
    }

    public ServerState Server { get; }

    public ClientSession Client => _client ?? throw new InvalidOperationException("No client has the context.");

    /// <summary>The counters, shared by all clients that it serves.</summary>
    public CommandCounters Counters { get; }

    /// <summary>Which replies the client wants.</summary>
    public RespReplyWriter Output { get; } = new();

    /// <summary>Writes the reply of the present command; after CLIENT REPLY OFF, not the connection's writer.</summary>
    public RespReplyWriter Reply { get; private set; }

    /// <summary>The keyspace that the client selected.</summary>
    public CacheStore Store { get; private set; }

    /// <summary>The argument of the present request that <see cref="RespRequest.IsElsewhere"/>; null: none.</summary>
    public LongArgument? LongArgument { get; set; }

    /// <summary>Whether other clients wait for the thread, so that long work must be done elsewhere.</summary>
    public bool SharesThread { get; set; }

    /// <summary>Whether the present request gave way, and now runs on a thread where it may take long.</summary>
    public bool IsElsewhere { get; set; }

    /// <summary>Whether its thread is one for long commands, on which a script may begin at once.</summary>
    public bool IsAtWorker { get; set; }

    /// <summary>Whether this request must be executed elsewhere: it had no effect, and has no reply yet.</summary>
    public bool GaveWay { get; private set; }

    /// <summary>
    /// Whether it executes commands of an <see cref="AtomicSection"/>: these neither give way nor wait.
    /// </summary>
    public bool IsInSection { get; private set; }

    /// <summary>Whether its thread has locked keys of the store, so that nothing can be freed.</summary>
    public bool HoldsKeys => _view is not null;

    /// <summary>The keys of the next section.</summary>
    public DeclaredKeys Keys => _keys ??= new DeclaredKeys();

    /// <summary>The state of a command that is continued by another call; null: none.</summary>
    public CommandProgress? Progress { get; set; }

    /// <summary>
    /// Whether the present request was allowed before: what was taken for it, or written of it, must not be lost.
    /// </summary>
    public bool IsUnderWay => Progress is { WasAllowed: true };

    /// <summary>Whether the client may use commands: it has authenticated, or need not.</summary>
    public bool IsAuthenticated => Client.IsAuthenticated || !Server.Users.IsPasswordRequired;

    /// <summary>
    /// Whether the client is one of the admin socket: nothing may wait for an entry, whose holder may hang.
    /// </summary>
    public bool IsAdministrator => Client.User == Server.Users.Administrator;

    /// <summary>
    /// Whether requests may take the fast path of common ones: nothing about this client is special, no client
    /// monitors, and no events of keys are published.
    /// </summary>
    public bool IsOrdinary =>
        ReplyMode == ReplyMode.Normal && IsAuthenticated && Client.User.Rules.AllowsCommon
        && !Client.IsReserved && !Client.IsRestricted && !Client.IsQueueing && !Client.HasTrackedCalls
        && _hasCommonNames && Server.IsUnhindered && !Server.Monitors.AreThere && !Server.Notifications.IsOn;

    /// <summary>The longest value that is copied on this thread.</summary>
    public int CopiedLengthMax => SharesThread ? (int)Turn.WorkMax : int.MaxValue - 1;

    /// <summary>What CLIENT REPLY chose; the dispatcher acts on it after each command.</summary>
    public ReplyMode ReplyMode => Client.ReplyMode;

    /// <summary>
    /// Whether the reply so far exceeds the limit: a command that writes many parts must stop, for the connection ends.
    /// </summary>
    public bool IsReplyOverLimit => Reply.Exceeds(Server.Settings.ClientOutputBufferLimit);

    /// <summary>Where the present part of a long reply ends, in unflushed bytes.</summary>
    public long ReplyPartEnd { get; set; } = long.MaxValue;

    /// <summary>Whether nothing more is to be written now: the part is full, or the limit passed.</summary>
    public bool IsReplyFull => Reply.UnflushedBytes >= ReplyPartEnd || IsReplyOverLimit;

    /// <summary>Serves a client from now on, with its own state.</summary>
    /// <param name="client">The client.</param>
    /// <param name="output">The pipe for its replies.</param>
    public void Begin(ClientSession client, PipeWriter output)
    {
        Debug.Assert(_client is null && LongArgument is null);
        _client = client;
        _commandsBefore = Counters.Traffic.Commands;
        _inputBytesBefore = Counters.Traffic.InputBytes;
        GaveWay = false;
        Store = Server.Databases[client.Database];
        Output.Begin(output, client.ProtocolVersion);
        Reply = ReplyOf(client.ReplyMode);
    }

    /// <summary>
    /// Begins to execute the client's requests; its keyspace does not change until <see cref="Leave"/>.
    /// </summary>
    /// <param name="hasBegun">Whether the first of them has begun before.</param>
    /// <returns>False while a script takes long, and such a request can be neither refused nor executed.</returns>
    public bool TryEnter(bool hasBegun = false)
    {
        _times.Reset();
        if (!Server.Databases.TryEnter(this, SharesThread ? DatabaseStay.Short : DatabaseStay.Long, hasBegun))
            return false;
        Store = Server.Databases[Client.Database];
        return true;
    }

    /// <summary>For a client whose requests use no keyspace: no swap is waited for, or waits for them.</summary>
    public void EnterWithoutDatabases() => _times.Reset();

    /// <summary>When the call of a command begins, in ticks; the end of the one before, in the same read.</summary>
    public long BeginCall() => _times.Begin(_clock);

    /// <summary>Ends the call of a command, or of a group of common requests.</summary>
    /// <param name="start">When it began.</param>
    /// <returns>Its duration in ticks.</returns>
    public long EndCall(long start)
    {
        long end = _times.EndCall(_clock);
        Counters.Maxima.Note(end, end - start);
        return end - start;
    }

    /// <summary>When calls begin and end; calls of a section may share their time.</summary>
    public ref CallTimes Times => ref _times;

    /// <summary>Whether durations count for percentiles.</summary>
    public bool TracksLatency => Server.Settings.TracksLatency;

    /// <summary>Whether a request or its reply has so many bytes that it is logged.</summary>
    /// <remarks>A limit of -1 is the greatest of numbers without a sign.</remarks>
    public bool IsLarge(long requestBytes, long replyBytes) =>
        (ulong)requestBytes >= (ulong)Server.Settings.LargeRequestBytes
        || (ulong)replyBytes >= (ulong)Server.Settings.LargeReplyBytes;

    /// <summary>Whether the last of some requests is one whose keys are sampled, or one before was.</summary>
    /// <param name="count">The requests since the last question.</param>
    public bool IsSampleDue(int count) => (_untilSample -= count) <= 0;

    /// <summary>The next request to be sampled, while a sample is due.</summary>
    /// <param name="count">The requests that the last question was about.</param>
    /// <returns>Its index among these; -1: none.</returns>
    public int TakeSample(int count)
    {
        if (_untilSample > 0)
            return -1;
        int index = count - 1 + _untilSample;
        _untilSample += Counters.Keys.NextGap();
        return index;
    }

    /// <summary>When the last call ended, in ticks.</summary>
    public long CallEnd => _times.End;

    /// <summary>Whether calls of less than a millisecond are logged, so that each needs a time of its own.</summary>
    public bool NoticesShortCalls => Server.Settings.NoticedMicroseconds < TimeSpan.MicrosecondsPerMillisecond;

    /// <summary>Whether a call took so long that it is logged.</summary>
    public bool IsSlow(long ticks) => ticks >= Server.Settings.NoticedMicroseconds * Server.TicksPerMicrosecond;

    /// <summary>Pauses execution: two databases may be swapped.</summary>
    public void Leave() => Databases.Leave(this);

    /// <summary>Ends serving the client; written bytes belong to the output.</summary>
    public void End()
    {
        Leave();
        Output.End();
        Client.Commands += Counters.Traffic.Commands - _commandsBefore;
        Client.InputBytes += Counters.Traffic.InputBytes - _inputBytesBefore;
        LongArgument = null;
        EndProgress(); // Of a request that was denied when it was to go on, or that threw.
        SharesThread = IsElsewhere = IsAtWorker = false;
        SuspensionEnd = SuspensionEnd.None;
        _client = null;
    }

    /// <summary>
    /// Whether this request must be executed elsewhere, since it is too much work for this thread. The handler
    /// then returns at once, without a reply and without an effect; it is called again there.
    /// </summary>
    /// <param name="work">Bytes that will be copied, or steps of about a nanosecond.</param>
    public bool TryGiveWay(long work) => SharesThread && work > Turn.WorkMax && GiveWay();

    /// <summary>As <see cref="TryGiveWay(long)"/>, for a command that processes the value of a key.</summary>
    public bool TryGiveWayFor(ReadOnlySpan<byte> key) =>
        SharesThread && Store.TryPeekInfo(key, out var info) && TryGiveWay(info.Length);

    /// <summary>
    /// Whether a request must be executed elsewhere, or later, because of its command, its arguments or the turn's
    /// time.
    /// </summary>
    public bool TryGiveWay(CommandDefinition command, int argumentCount)
    {
        if (!SharesThread || (command.Work == CommandWork.Short && argumentCount <= Turn.ArgumentsMax))
            return false;
        return (command.Work == CommandWork.Long || argumentCount > Turn.ArgumentsMax
            || Client.Turn.IsOver(Server.TimeProvider)) && GiveWay();
    }

    /// <summary>Executes here after all: the request that gave way had no effect yet.</summary>
    public void Stay() => GaveWay = false;

    /// <summary>
    /// Continues the present request by another call, after others that wait for this thread had a turn.
    /// </summary>
    /// <param name="progress">The state for the next call, in <see cref="Progress"/>.</param>
    public void GiveWayWith(CommandProgress progress)
    {
        Progress = progress;
        GaveWay = true;
    }

    /// <summary>Disposes of the present command's state: it has ended.</summary>
    public void EndProgress()
    {
        Progress?.Dispose();
        Progress = null;
    }

    /// <summary>How the present request's suspension ended; None: it was not parked.</summary>
    public SuspensionEnd SuspensionEnd { get; set; }

    /// <summary>
    /// Parks the client: the present request is executed again when the suspension has ended;
    /// <see cref="SuspensionEnd"/> then says how. The handler returns without a reply.
    /// </summary>
    /// <returns>The number with which <see cref="Suspension.TryEnd"/> ends it.</returns>
    public long Park(SuspensionReason reason, TimeSpan timeout)
    {
        Debug.Assert(!IsInSection, "Waits are over there.");
        GaveWay = true;
        return Client.Suspension.Begin(reason, timeout, Server.TimeProvider);
    }

    /// <summary>Lets others push messages to the client from now on.</summary>
    public Outbox OpenOutbox() => Client.OpenOutbox(Server.ClientMemory);

    /// <summary>Lets the client subscribe to channels.</summary>
    public Subscriptions OpenSubscriptions()
    {
        if (Client.Subscriptions is Subscriptions subscriptions)
            return subscriptions;
        subscriptions = new Subscriptions(Server.Channels, OpenOutbox());
        Client.OpenSubscriptions(subscriptions);
        return subscriptions;
    }

    /// <summary>
    /// Writes the messages that wait for the client, so that what follows comes behind them. Not within a command that
    /// may have read already: a message about what it has read must come behind its reply. Within a section it does
    /// nothing: they come behind the reply of the whole.
    /// </summary>
    public void WriteMessages()
    {
        if (!IsInSection && Client.Outbox is { } outbox)
            Publisher.WriteWaiting(outbox, Output);
    }

    /// <summary>Writes the messages about all that others were told has been done.</summary>
    public void WriteEarlierMessages()
    {
        Server.Tracking.SendNoted();
        WriteMessages();
    }

    /// <summary>An empty list for replies that must be collected. The command disposes it.</summary>
    public ByteStringList BorrowList()
    {
        _list ??= new ByteStringList();
        _list.BytesMax = 0;
        Debug.Assert(_list.Count == 0);
        return _list;
    }

    /// <summary>As <see cref="BorrowList"/>, for a list that is the reply, hence bounded like replies.</summary>
    public ByteStringList BorrowReplyList()
    {
        var list = BorrowList();
        list.BytesMax = FindReplyListBytesMax();
        return list;
    }

    /// <summary>The longest list that may be the reply; 0: unlimited.</summary>
    public long FindReplyListBytesMax()
    {
        // Replies that wait to be flushed with it count too: a connection with more than the limit ends.
        long limit = Server.Settings.ClientOutputBufferLimit;
        return limit > 0 ? Math.Max(limit - Reply.UnflushedBytes - ReplyFrameBytesMax, 1) : 0;
    }

    /// <summary>Memory of the store for an argument; null if it has none for this length.</summary>
    public LongArgument? TryBeginLongArgument(int length) =>
        Store.TryCreateValue(length, out var value) ? new LongArgument(value, length) : null;

    /// <summary>The long argument of a request that is kept: the request's reader no longer holds it.</summary>
    public LongArgument? MoveLongArgument()
    {
        if (LongArgument is not { } argument)
            return null;
        long more = argument.Length - argument.CountedBytes;
        Client.InputMemoryBytes += more;
        Server.ClientMemory.Add(more);
        return argument.Move();
    }

    /// <summary>
    /// The value of the long argument, for the store: it is no longer counted as the client's, or it would count twice.
    /// </summary>
    public LargeValue GiveUpLongArgument()
    {
        var argument = LongArgument ?? throw new InvalidOperationException("No argument lies elsewhere.");
        long bytes = argument.CountedBytes;
        argument.CountedBytes = 0;
        Client.InputMemoryBytes -= bytes;
        Server.ClientMemory.Add(-bytes);
        return argument.GiveUp();
    }

    /// <summary>The keyspace of a database; in a section by its view.</summary>
    /// <param name="database">A number that the store has.</param>
    public CacheStore KeyspaceOf(int database)
    {
        var keyspace = Server.Databases[database];
        return _view is null ? keyspace : _view.SelectKeyspace(keyspace.Keyspace);
    }

    /// <summary>Begins a section: see <see cref="AtomicSection"/>.</summary>
    /// <param name="view">The view with its locks; null: nothing is locked.</param>
    /// <returns>What was set before, for <see cref="EndSection"/>.</returns>
    public SectionOutside BeginSection(CacheStore? view)
    {
        Debug.Assert(!IsInSection && !GaveWay && Progress is null);
        var outside = new SectionOutside(SharesThread, IsElsewhere, SuspensionEnd);
        _view = view;
        IsInSection = true;
        SharesThread = IsElsewhere = false;
        SuspensionEnd = SuspensionEnd.Deadline; // As if each wait were over.
        Store = KeyspaceOf(Client.Database);
        return outside;
    }

    /// <summary>Ends a section.</summary>
    public void EndSection(SectionOutside outside)
    {
        Debug.Assert(IsInSection && !GaveWay);
        _times.Share(false);
        _view = null;
        IsInSection = false;
        (SharesThread, IsElsewhere, SuspensionEnd) = outside;
        Store = Server.Databases[Client.Database];
    }

    /// <summary>Replies are written elsewhere from now on: those of the commands of a script.</summary>
    /// <returns>What they were written into before.</returns>
    public RespReplyWriter ExchangeReply(RespReplyWriter reply)
    {
        var before = Reply;
        Reply = reply;
        return before;
    }

    /// <summary>What executes the commands of scripts; made by the first script.</summary>
    public THost BorrowScriptHost<THost>(Func<CommandContext, THost> create)
        where THost : class
    {
        Debug.Assert(_scriptHost is null or THost);
        return (THost)(_scriptHost ??= create(this));
    }

    /// <summary>Drops further replies of a client whose connection is about to end.</summary>
    public void DropReplies() => Reply = Discarding();

    /// <summary>SELECT: gives the client another database.</summary>
    /// <param name="index">A number that the store has.</param>
    public void SelectDatabase(int index)
    {
        Store = KeyspaceOf(index);
        Client.Database = index;
    }

    /// <summary>SWAPDB: exchanges two databases for all clients.</summary>
    /// <returns>False if other clients' commands took too long, or for a script that has let others in.</returns>
    public bool TrySwapDatabases(int first, int second, out bool isHeld)
    {
        bool isDone = Server.Databases.TrySwap(first, second, this, out isHeld);
        Store = KeyspaceOf(Client.Database);
        if (isDone)
            Server.Waits.NoteSwap(first, second);
        return isDone;
    }

    /// <summary>HELLO: replies in another version of RESP from now on.</summary>
    public void SetProtocolVersion(int version)
    {
        if (Client.Outbox is { } outbox)
        {
            while (!outbox.TrySetProtocolVersion(version, isForced: IsInSection))
                WriteMessages();
        }

        Client.ProtocolVersion = version;
        Output.ProtocolVersion = version;
        Reply.ProtocolVersion = version;
    }

    /// <summary>CLIENT REPLY: turns replies on or off.</summary>
    public void SetReplyMode(ReplyMode mode)
    {
        Client.ReplyMode = mode;
        Reply = ReplyOf(mode);
    }

    /// <summary>Called after each request, even an empty one: CLIENT REPLY SKIP applies only to the next one.</summary>
    public void EndSkipping()
    {
        if (ReplyMode == ReplyMode.SkipNext)
            SetReplyMode(ReplyMode.Skip);
        else if (ReplyMode == ReplyMode.Skip)
            SetReplyMode(ReplyMode.Normal);
    }

    private bool GiveWay() => GaveWay = true;

    private RespReplyWriter ReplyOf(ReplyMode mode) =>
        mode is ReplyMode.Normal or ReplyMode.SkipNext ? Output : Discarding();

    private RespReplyWriter Discarding()
    {
        _discarded ??= new RespReplyWriter(new DiscardingPipeWriter());
        _discarded.BeginFlush();
        _discarded.ProtocolVersion = Client.ProtocolVersion;
        return _discarded;
    }
}
