using System.Text;
using Cache.Server.Clients;
using Cache.Server.Commands.Arguments;
using Cache.Server.Commands.Dispatch;
using Cache.Server.Commands.Replies;
using Cache.Server.Protocol;

namespace Cache.Server.Commands.Session;

/// <summary>CLIENT LIST, CLIENT KILL and CLIENT UNBLOCK.</summary>
internal static class ClientListCommands
{
    public static IReadOnlyList<CommandBinding> Bindings { get; } =
    [
        new("client|list", List),
        new("client|kill", Kill),
        new("client|unblock", Unblock),
    ];

    // The time for a client's line, and for a look at it, in nanoseconds.
    private const long DescriptionWork = 2000;
    private const long MatchWork = 500;

    private static void List(in RespRequest request, CommandContext context)
    {
        bool isById = request.Count > 4 && request[2].Is("ID"u8);
        long lines = Math.Max(isById ? 0 : context.Server.Clients.Count, request.Count);
        if (context.TryGiveWay(lines * DescriptionWork))
            return;
        var text = new StringBuilder();
        bool isRead = true;
        if (request.Count == 4 && request[2].Is("TYPE"u8))
            isRead = TryAppendType(request[3], text, context);
        else if (request.Count > 3 && request[2].Is("ID"u8))
            isRead = TryAppendIds(request, text, context);
        else if (request.Count == 2)
            AppendAll(text, type: null, context);
        else
            isRead = TryAppendMatching(request, text, context);
        if (isRead)
            context.Reply.VerbatimText(Encoding.Latin1.GetBytes(text.ToString()));
    }

    // CLIENT UNBLOCK client-id [TIMEOUT | ERROR]
    private static void Unblock(in RespRequest request, CommandContext context)
    {
        bool isError = request.Count == 4 && request[3].Is("ERROR"u8);
        if (request.Count > 4)
            context.Reply.UnknownSubcommand(request[1], "CLIENT"u8);
        else if (request.Count == 4 && !isError && !request[3].Is("TIMEOUT"u8))
            context.Reply.Error("ERR CLIENT UNBLOCK reason should be TIMEOUT or ERROR"u8);
        else if (!RespInteger.TryParse(request[2], out long id))
            context.Reply.Error(ErrorTexts.NotAnInteger);
        else
        {
            var end = isError ? SuspensionEnd.UnblockedWithError : SuspensionEnd.Unblocked;
            context.Reply.ZeroOrOne(context.Server.Clients.Find(id)?.TryUnblock(end) == true);
        }
    }

    private static bool TryAppendType(ReadOnlySpan<byte> name, StringBuilder text, CommandContext context)
    {
        if (!ClientFilter.TryReadType(name, context.Reply, out var type))
            return false;
        AppendAll(text, type, context);
        return true;
    }

    // CLIENT LIST [IDLE seconds] [ADDR address] [LADDR address] [USER name] [TYPE type]: those that match all.
    private static bool TryAppendMatching(in RespRequest request, StringBuilder text, CommandContext context)
    {
        if (request.Count % 2 != 0)
        {
            context.Reply.Error(ErrorTexts.Syntax);
            return false;
        }

        if (!ClientFilter.TryReadForList(request, context, out var filter))
            return false;
        foreach (var client in context.Server.Clients.ToList())
        {
            if (filter.Matches(client, context.Client))
                ClientDescription.Append(text, client, context.Server.NowMs);
        }

        return true;
    }

    private static bool TryAppendIds(in RespRequest request, StringBuilder text, CommandContext context)
    {
        for (int i = 3; i < request.Count; i++)
        {
            if (!RespInteger.TryParse(request[i], out long id))
            {
                context.Reply.Error("ERR Invalid client ID"u8);
                return false;
            }

            if (context.Server.Clients.Find(id) is { IsKilled: false } client)
                ClientDescription.Append(text, client, context.Server.NowMs);

            // The same number may come again and again.
            if (context.Server.Settings.ClientOutputBufferLimit is > 0 and var limit && text.Length > limit)
            {
                context.Reply.Error(ErrorTexts.ReplyTooLong);
                return false;
            }
        }

        return true;
    }

    private static void AppendAll(StringBuilder text, ClientType? type, CommandContext context)
    {
        foreach (var client in context.Server.Clients.ToList())
        {
            if (!client.IsKilled && (type is null || type == client.Type))
                ClientDescription.Append(text, client, context.Server.NowMs);
        }
    }

    private static void Kill(in RespRequest request, CommandContext context)
    {
        ClientFilter filter;
        bool isOldForm = request.Count == 3;
        if (isOldForm)
            filter = ClientFilter.OfAddress(request[2]);
        else if (!ClientFilter.TryRead(request, 2, context, out filter))
            return;
        if (context.TryGiveWay(context.Server.Clients.Count * MatchWork))
            return;
        int killed = 0;
        foreach (var client in context.Server.Clients.ToList())
        {
            if (!filter.Matches(client, context.Client))
                continue;
            killed++;
            if (client == context.Client)
                client.CloseAfterReply();
            else
                client.Kill();
        }

        if (!isOldForm)
            context.Reply.Integer(killed);
        else if (killed == 0)
            context.Reply.Error("ERR No such client"u8);
        else
            context.Reply.Ok();
    }
}
