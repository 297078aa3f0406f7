using Cache.Server.Clients;
using Cache.Server.Commands.Arguments;
using Cache.Server.Commands.Dispatch;
using Cache.Server.Commands.Replies;
using Cache.Server.Protocol;

namespace Cache.Server.Commands.Session;

/// <summary>AUTH and HELLO.</summary>
internal static class AuthenticationCommands
{
    public static IReadOnlyList<CommandBinding> Bindings { get; } =
    [
        new("auth", Auth),
        new("hello", Hello),
    ];

    private static void Auth(in RespRequest request, CommandContext context)
    {
        bool isNamed = request.Count == 3;
        if (request.Count > 3)
        {
            context.Reply.Error(ErrorTexts.Syntax);
        }
        else if (!isNamed && context.Server.Users.NeedsNoPassword && !context.IsAdministrator)
        {
            context.Reply.Error(
                "ERR AUTH <password> called without any password configured for the default user. "u8
                + "Are you sure your configuration is correct?"u8);
        }
        else
        {
            var name = isNamed ? request[1] : "default"u8;
            if (Authentication.TryAuthenticate(context, request[0], name, request[request.Count - 1]))
                context.Reply.Ok();
            else
                context.Reply.Error(Authentication.WrongPass);
        }
    }

    // As in Redis: each option takes effect at once, even if a later one is wrong; the version comes last.
    private static void Hello(in RespRequest request, CommandContext context)
    {
        int version = 0;
        if (request.Count > 1 && !TryReadVersion(request[1], context.Reply, out version))
            return;
        if (!TryTakeOptions(request, context))
            return;
        if (!context.IsAuthenticated)
        {
            context.Reply.Error(
                "NOAUTH HELLO must be called with the client already authenticated, "u8
                + "otherwise the HELLO AUTH <user> <pass> option can be used to authenticate the client "u8
                + "and select the RESP protocol version at the same time"u8);
            return;
        }

        if (version > 0)
            context.SetProtocolVersion(version);
        ReplyWithServer(context);
    }

    private static bool TryTakeOptions(in RespRequest request, CommandContext context)
    {
        for (int i = 2; i < request.Count; i++)
        {
            int following = request.Count - 1 - i;
            if (request[i].Is("AUTH"u8) && following >= 2)
            {
                if (!Authentication.TryAuthenticate(context, request[0], request[i + 1], request[i + 2]))
                    return Refuse(context, Authentication.WrongPass);
                i += 2;
            }
            else if (request[i].Is("SETNAME"u8) && following >= 1)
            {
                if (!ClientAttribute.IsValid(request[++i]))
                    return Refuse(context, ClientAttribute.InvalidName);
                context.Client.Name = request[i].ToArray();
            }
            else
            {
                return Refuse(
                    context, [.. "ERR Syntax error in HELLO option '"u8, .. request[i].UpToNul(), .. "'"u8]);
            }
        }

        return true;
    }

    private static bool Refuse(CommandContext context, ReadOnlySpan<byte> error)
    {
        context.Reply.Error(error);
        return false;
    }

    private static bool TryReadVersion(ReadOnlySpan<byte> text, RespReplyWriter reply, out int version)
    {
        bool isInteger = RespInteger.TryParse(text, out long number);
        version = number is 2 or 3 ? (int)number : 0;
        if (!isInteger)
            reply.Error("ERR Protocol version is not an integer or out of range"u8);
        else if (version == 0)
            reply.Error("NOPROTO unsupported protocol version"u8);
        return isInteger && version > 0;
    }

    private static void ReplyWithServer(CommandContext context)
    {
        var reply = context.Reply;
        reply.MapHeader(7);
        reply.Bulk("server"u8);
        reply.Bulk("cache"u8);
        reply.Bulk("version"u8);
        reply.Bulk(ServerState.RedisVersion);
        reply.Bulk("proto"u8);
        reply.Integer(context.Client.ProtocolVersion);
        reply.Bulk("id"u8);
        reply.Integer(context.Client.Id);
        reply.Bulk("mode"u8);
        reply.Bulk(context.Server.Cluster is null ? "standalone"u8 : "cluster"u8);
        reply.Bulk("role"u8);
        reply.Bulk("master"u8);
        reply.Bulk("modules"u8);
        reply.ArrayHeader(0);
    }
}
