using System.Diagnostics;
using System.IO.Pipelines;
using Cache.Core;
using Cache.Server.Clients;
using Cache.Server.Commands.Replies;
using Cache.Server.Commands.Table;
using Cache.Server.Protocol;
using Cache.Server.Statistics;

namespace Cache.Server.Commands.Dispatch;

/// <summary>
/// What a command may touch: its client, the keyspace that the client selected, the reply, the server.
/// </summary>
/// <remarks>
/// Used by one thread at a time, that of a connection's read, which borrows it of the <see cref="CommandContextPool"/>.
/// What is to outlive the read belongs to the <see cref="ClientSession"/>.
/// </remarks>
internal sealed class CommandContext : DatabaseVisit
{
    // What a reply has beside the strings of a list: the headers of arrays, a cursor.
    private const int ReplyFrameBytesMax = 256;

    private readonly bool _hasCommonNames;
    private ClientSession? _client;

    // Made when first needed.
    private ByteStringList? _list;
    private RespReplyWriter? _discarded;

    public CommandContext(ServerState server)
    {
        Server = server;
        Store = server.Store;
        Counters = new CommandCounters(server.Commands.All.Count);
        Reply = Output;
        _hasCommonNames = server.Commands.HasCommonNames;
        server.Databases.Add(this);
    }

    public ServerState Server { get; }

    public ClientSession Client => _client ?? throw new InvalidOperationException("No client has the context.");

    /// <summary>What is counted with it, whoever the client is.</summary>
    public CommandCounters Counters { get; }

    /// <summary>The replies that the client wants.</summary>
    public RespReplyWriter Output { get; } = new();

    /// <summary>
    /// Takes the reply of the present command; another writer than the connection's after CLIENT REPLY OFF.
    /// </summary>
    public RespReplyWriter Reply { get; private set; }

    /// <summary>The keyspace that the client selected.</summary>
    public CacheStore Store { get; private set; }

    /// <summary>The argument of the present request that <see cref="RespRequest.IsElsewhere"/>; null: none.</summary>
    public LongArgument? LongArgument { get; set; }

    /// <summary>Whether other clients wait for the thread, so that long work must be done elsewhere.</summary>
    public bool SharesThread { get; set; }

    /// <summary>Whether the present request gave way, and is now where it can take its time.</summary>
    public bool IsElsewhere { get; set; }

    /// <summary>
    /// Whether this request must be executed elsewhere: nothing was done, and nothing was replied.
    /// </summary>
    public bool GaveWay { get; private set; }

    /// <summary>What a command has done so far that is continued by another call of it; null: nothing.</summary>
    public CommandProgress? Progress { get; set; }

    /// <summary>Whether the client may use commands: it has authenticated, or need not.</summary>
    public bool IsAuthenticated => Client.IsAuthenticated || !Server.Users.IsPasswordRequired;

    /// <summary>
    /// Whether requests may take the way of the common ones: nothing about this client is out of the ordinary.
    /// </summary>
    public bool IsOrdinary =>
        ReplyMode == ReplyMode.Normal && IsAuthenticated && Client.User.Rules.AllowsCommon
        && !Client.IsReserved && _hasCommonNames && Server.IsServing;

    /// <summary>The longest value that is copied on this thread.</summary>
    public int CopiedLengthMax => SharesThread ? (int)Turn.WorkMax : int.MaxValue - 1;

    /// <summary>What CLIENT REPLY chose; the dispatcher acts on it after each command.</summary>
    public ReplyMode ReplyMode => Client.ReplyMode;

    /// <summary>
    /// Whether the reply so far is over the limit already: what makes many parts of it is to stop, for the connection
    /// ends.
    /// </summary>
    public bool IsReplyOverLimit => Reply.Exceeds(Server.Settings.ClientOutputBufferLimit);

    /// <summary>Serves a client from now on, as it was served last.</summary>
    /// <param name="client">The client.</param>
    /// <param name="output">Where its replies go.</param>
    public void Begin(ClientSession client, PipeWriter output)
    {
        Debug.Assert(_client is null && LongArgument is null);
        _client = client;
        GaveWay = false;
        Store = Server.Databases[client.Database];
        Output.Begin(output, client.ProtocolVersion);
        Reply = ReplyOf(client.ReplyMode);
    }

    /// <summary>Begins to execute the client's requests; its keyspace is the same until <see cref="Leave"/>.</summary>
    public void Enter()
    {
        Server.Databases.Enter(this, SharesThread ? DatabaseStay.Short : DatabaseStay.Long);
        Store = Server.Databases[Client.Database];
    }

    /// <summary>Executes nothing for now: two databases may be swapped.</summary>
    public void Leave() => Databases.Leave(this);

    /// <summary>Serves it no more; what was written is the output's.</summary>
    public void End()
    {
        Leave();
        Output.End();
        LongArgument = null;
        EndProgress(); // Of a request that was denied when it was to go on, or that threw.
        SharesThread = IsElsewhere = false;
        SuspensionEnd = SuspensionEnd.None;
        _client = null;
    }

    /// <summary>
    /// Whether this request must be executed elsewhere, since it is too much work for this thread. The handler
    /// then returns at once, without a reply and without an effect; it is called again there.
    /// </summary>
    /// <param name="work">Bytes that will be copied, or steps of about a nanosecond.</param>
    public bool TryGiveWay(long work) => SharesThread && work > Turn.WorkMax && GiveWay();

    /// <summary>As <see cref="TryGiveWay(long)"/>, for a command that handles the value of a key.</summary>
    public bool TryGiveWayFor(ReadOnlySpan<byte> key) =>
        SharesThread && Store.TryPeekInfo(key, out var info) && TryGiveWay(info.Length);

    /// <summary>
    /// Whether a request must be executed elsewhere, or later, by its command, its arguments and the time of the turn.
    /// </summary>
    public bool TryGiveWay(CommandDefinition command, int argumentCount)
    {
        if (!SharesThread || (command.Work == CommandWork.Short && argumentCount <= Turn.ArgumentsMax))
            return false;
        return (command.Work == CommandWork.Long || argumentCount > Turn.ArgumentsMax
            || Client.Turn.IsOver(Server.TimeProvider)) && GiveWay();
    }

    /// <summary>Executes here after all: nothing was done about the request that gave way.</summary>
    public void Stay() => GaveWay = false;

    /// <summary>Continues the present request by another call, after others that wait for this thread.</summary>
    /// <param name="progress">What the next call finds in <see cref="Progress"/>.</param>
    public void GiveWayWith(CommandProgress progress)
    {
        Progress = progress;
        GaveWay = true;
    }

    /// <summary>Gives back what the present command has done so far: it has ended.</summary>
    public void EndProgress()
    {
        Progress?.Dispose();
        Progress = null;
    }

    /// <summary>How the suspension has ended in which the present request was parked; None: it was not.</summary>
    public SuspensionEnd SuspensionEnd { get; set; }

    /// <summary>
    /// Parks the client: the present request is executed again when the suspension has ended, and finds out how by
    /// <see cref="SuspensionEnd"/>. The handler then returns without a reply.
    /// </summary>
    /// <returns>The number by which <see cref="Suspension.TryEnd"/> ends it.</returns>
    public long Park(SuspensionReason reason, TimeSpan timeout)
    {
        GaveWay = true;
        return Client.Suspension.Begin(reason, timeout);
    }

    /// <summary>Lets others push to the client from now on.</summary>
    public Outbox OpenOutbox() => Client.OpenOutbox(Server.ClientMemory, Server.ReportLimit);

    /// <summary>The list for replies that must be collected; empty. The command disposes it.</summary>
    public ByteStringList BorrowList()
    {
        _list ??= new ByteStringList();
        _list.BytesMax = 0;
        Debug.Assert(_list.Count == 0);
        return _list;
    }

    /// <summary>As <see cref="BorrowList"/>, for a list that is the reply, hence bounded as replies are.</summary>
    public ByteStringList BorrowReplyList()
    {
        var list = BorrowList();
        list.BytesMax = FindReplyListBytesMax();
        return list;
    }

    /// <summary>How long a list may be that is the reply; 0: as long as it likes.</summary>
    public long FindReplyListBytesMax()
    {
        // Replies that wait to be flushed with it count too, and the connection that has more than the limit ends.
        long limit = Server.Settings.ClientOutputBufferLimit;
        return limit > 0 ? Math.Max(limit - Reply.UnflushedBytes - ReplyFrameBytesMax, 1) : 0;
    }

    /// <summary>Memory of the store for an argument; null if it has none for this length.</summary>
    public LongArgument? TryBeginLongArgument(int length) =>
        Store.TryCreateValue(length, out var value) ? new LongArgument(value, length) : null;

    /// <summary>
    /// The value of the long argument, for the store: it counts as the client's no more, or the store would have to
    /// hold it twice.
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

    /// <summary>SELECT: makes another database the client's.</summary>
    /// <param name="index">One that the store has.</param>
    public void SelectDatabase(int index)
    {
        Store = Server.Databases[index];
        Client.Database = index;
    }

    /// <summary>SWAPDB: exchanges two databases for all clients.</summary>
    /// <returns>False if others' commands took too long to wait for.</returns>
    public bool TrySwapDatabases(int first, int second)
    {
        bool isDone = Server.Databases.TrySwap(first, second, this);
        Store = Server.Databases[Client.Database];
        return isDone;
    }

    /// <summary>HELLO: replies in another version of RESP from now on.</summary>
    public void SetProtocolVersion(int version)
    {
        Client.ProtocolVersion = version;
        Output.ProtocolVersion = version;
        Reply.ProtocolVersion = version;
    }

    /// <summary>CLIENT REPLY: lets replies through or not.</summary>
    public void SetReplyMode(ReplyMode mode)
    {
        Client.ReplyMode = mode;
        Reply = ReplyOf(mode);
    }

    /// <summary>After a request, an empty one too: CLIENT REPLY SKIP holds for the next one only.</summary>
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
