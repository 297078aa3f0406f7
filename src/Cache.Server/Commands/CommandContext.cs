using System.Diagnostics;
using Cache.Core;
using Cache.Server.Protocol;

namespace Cache.Server.Commands;

/// <summary>
/// What a command may touch: its client, the keyspace that the client selected, the reply, the server. One per
/// connection.
/// </summary>
/// <remarks>Used by one thread at a time, that of the connection's read.</remarks>
internal sealed class CommandContext
{
    private readonly RespReplyWriter _output;
    private readonly bool _hasCommonNames;

    // Made when first needed: most connections never do, and it is to cost an idle one nothing.
    private ByteStringList? _list;

    public CommandContext(ServerState server, ClientSession client, RespReplyWriter reply)
    {
        Server = server;
        Client = client;
        Reply = _output = reply;
        Store = server.Store;
        _hasCommonNames = server.Commands.HasCommonNames;
    }

    public ServerState Server { get; }

    public ClientSession Client { get; }

    /// <summary>
    /// Takes the reply of the present command; another writer than the connection's after CLIENT REPLY OFF.
    /// </summary>
    public RespReplyWriter Reply { get; private set; }

    /// <summary>The keyspace that the client selected.</summary>
    public CacheStore Store { get; private set; }

    /// <summary>The argument of the present request that <see cref="RespRequest.IsElsewhere"/>; null: none.</summary>
    public LongArgument? LongArgument { get; set; }

    /// <summary>Whether the client may use commands: it has authenticated, or need not.</summary>
    public bool IsAuthenticated => Client.IsAuthenticated || !Server.Users.IsPasswordRequired;

    /// <summary>
    /// Whether requests may take the way of the common ones: nothing about this client is out of the ordinary.
    /// </summary>
    public bool IsOrdinary =>
        ReplyMode == ReplyMode.Normal && IsAuthenticated && Client.User.Rules.AllowsCommon
        && !Client.IsReserved && _hasCommonNames;

    /// <summary>What CLIENT REPLY chose; the dispatcher acts on it after each command.</summary>
    public ReplyMode ReplyMode { get; private set; }

    /// <summary>
    /// Whether the reply so far is over the limit already: what makes many parts of it is to stop, for the connection
    /// ends.
    /// </summary>
    public bool IsReplyOverLimit => Reply.Exceeds(Server.Settings.ClientOutputBufferLimit);

    /// <summary>The connection's list for replies that must be collected; empty. The command disposes it.</summary>
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
        list.BytesMax = Server.Settings.ClientOutputBufferLimit;
        return list;
    }

    /// <summary>Memory of the store for an argument; null if it has none for this length.</summary>
    public LongArgument? TryBeginLongArgument(int length) =>
        Store.TryCreateValue(length, out var value) ? new LongArgument(value, length) : null;

    /// <summary>SELECT: makes another database the client's.</summary>
    /// <param name="index">One that the store has.</param>
    public void SelectDatabase(int index)
    {
        Store = Server.Store.SelectKeyspace(index);
        Client.Database = index;
    }

    /// <summary>HELLO: replies in another version of RESP from now on.</summary>
    public void SetProtocolVersion(int version)
    {
        Client.ProtocolVersion = version;
        _output.ProtocolVersion = version;
        Reply.ProtocolVersion = version;
    }

    /// <summary>CLIENT REPLY: lets replies through or not.</summary>
    public void SetReplyMode(ReplyMode mode)
    {
        ReplyMode = mode;
        Reply = mode is ReplyMode.Normal or ReplyMode.SkipNext
            ? _output
            : new RespReplyWriter(new DiscardingPipeWriter()) { ProtocolVersion = Client.ProtocolVersion };
    }
}
