using System.Text;
using Cache.Server.Clients;
using Cache.Server.Commands.Arguments;
using Cache.Server.Commands.Dispatch;
using Cache.Server.Commands.Replies;
using Cache.Server.Protocol;
using Cache.Server.Security;

namespace Cache.Server.Commands.Session;

/// <summary>The clients that CLIENT KILL ends: those that match all given options.</summary>
internal struct ClientFilter
{
    // Longer than any address and any path of a Unix socket that a client can have.
    private const int AddressBytesMax = 512;

    private const long MsPerSecond = 1000;
    private const long IdleSecondsMax = int.MaxValue;

    private long _id;
    private ClientType? _type;
    private string? _remote;
    private string? _local;
    private AclUser? _user;
    private long _idleMs;
    private long _nowMs;

    /// <summary>Whether the caller is spared.</summary>
    public bool SkipsCaller { get; private set; }

    /// <summary>The old form: the client with an address, perhaps the caller.</summary>
    public static ClientFilter OfAddress(ReadOnlySpan<byte> address) =>
        new() { _remote = ReadAddress(address) };

    /// <summary>As <see cref="TryRead"/>, for a list, which has the caller too unless an option says no.</summary>
    public static bool TryReadForList(in RespRequest request, CommandContext context, out ClientFilter filter) =>
        TryReadCore(request, 2, skipsCaller: false, context, out filter);

    /// <summary>Reads options and their values, starting at an argument.</summary>
    /// <returns>False if an error was replied.</returns>
    public static bool TryRead(
        in RespRequest request, int first, CommandContext context, out ClientFilter filter) =>
        TryReadCore(request, first, skipsCaller: true, context, out filter);

    private static bool TryReadCore(
        in RespRequest request, int first, bool skipsCaller, CommandContext context, out ClientFilter filter)
    {
        var reply = context.Reply;
        filter = new ClientFilter { SkipsCaller = skipsCaller };
        for (int i = first; i < request.Count; i += 2)
        {
            if (i + 1 == request.Count)
            {
                reply.Error(ErrorTexts.Syntax);
                return false;
            }

            if (!filter.TryReadOption(request[i], request[i + 1], context))
                return false;
        }

        return true;
    }

    /// <summary>The type of that name.</summary>
    /// <returns>False if an error was replied.</returns>
    public static bool TryReadType(ReadOnlySpan<byte> name, RespReplyWriter reply, out ClientType type)
    {
        type = ClientType.Normal;
        if (name.Is("NORMAL"u8))
            return true;
        if (name.Is("REPLICA"u8) || name.Is("SLAVE"u8))
            type = ClientType.Replica;
        else if (name.Is("PUBSUB"u8))
            type = ClientType.PubSub;
        else if (name.Is("MASTER"u8))
            type = ClientType.Master;
        else
            return Refuse(reply, [.. "ERR Unknown client type '"u8, .. name.UpToNul(), .. "'"u8]);
        return true;
    }

    public readonly bool Matches(ClientSession client, ClientSession caller) =>
        !client.IsKilled
        && (_remote is null || client.EndPoints.Remote == _remote)
        && (_local is null || client.EndPoints.Local == _local)
        && (_type is null || _type == client.Type)
        && (_user is null || client.User == _user)
        && (_id == 0 || client.Id == _id)
        && (_idleMs == 0 || _nowMs - client.LastInteractionMs >= _idleMs)
        && !(SkipsCaller && client == caller);

    private bool TryReadOption(ReadOnlySpan<byte> option, ReadOnlySpan<byte> value, CommandContext context)
    {
        var reply = context.Reply;
        if (option.Is("ID"u8))
        {
            return (RespInteger.TryParse(value, out _id) && _id > 0)
                || Refuse(reply, "ERR client-id should be greater than 0"u8);
        }

        if (option.Is("IDLE"u8))
        {
            bool isSeconds = RespInteger.TryParse(value, out long seconds) && seconds is > 0 and <= IdleSecondsMax;
            (_idleMs, _nowMs) = (seconds * MsPerSecond, context.Server.NowMs);
            return isSeconds || Refuse(reply, "ERR IDLE must be a number of seconds greater than 0"u8);
        }

        if (option.Is("TYPE"u8))
        {
            bool isKnown = TryReadType(value, reply, out var type);
            _type = type;
            return isKnown;
        }

        if (option.Is("ADDR"u8))
            _remote = ReadAddress(value);
        else if (option.Is("LADDR"u8))
            _local = ReadAddress(value);
        else if (option.Is("USER"u8))
        {
            _user = context.Server.Users.Find(value);
            return _user is not null
                || Refuse(reply, [.. "ERR No such user '"u8, .. value.UpToNul(), .. "'"u8]);
        }
        else if (option.Is("SKIPME"u8) && (value.Is("YES"u8) || value.Is("NO"u8)))
            SkipsCaller = value.Is("YES"u8);
        else
            return Refuse(reply, ErrorTexts.Syntax);
        return true;
    }

    // No client has an empty address.
    private static string ReadAddress(ReadOnlySpan<byte> bytes) =>
        bytes.Length > AddressBytesMax ? "" : Encoding.UTF8.GetString(bytes);

    private static bool Refuse(RespReplyWriter reply, ReadOnlySpan<byte> error)
    {
        reply.Error(error);
        return false;
    }
}
