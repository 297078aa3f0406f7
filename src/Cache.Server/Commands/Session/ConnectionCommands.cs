using Cache.Server.Clients;
using Cache.Server.Commands.Dispatch;
using Cache.Server.Commands.Replies;
using Cache.Server.Protocol;

namespace Cache.Server.Commands.Session;

/// <summary>PING, ECHO, QUIT, SELECT, RESET.</summary>
internal static class ConnectionCommands
{
    public static IReadOnlyList<CommandBinding> Bindings { get; } =
    [
        new("ping", Ping),
        new("echo", Echo),
        new("quit", Quit),
        new("select", Select),
        new("reset", Reset),
    ];

    private static void Ping(in RespRequest request, CommandContext context)
    {
        if (request.Count == 1)
            context.Reply.Literal("+PONG\r\n"u8);
        else if (request.Count == 2)
            context.Reply.Bulk(request[1]);
        else
            context.Reply.Error("ERR wrong number of arguments for 'ping' command"u8);
    }

    private static void Echo(in RespRequest request, CommandContext context) => context.Reply.Bulk(request[1]);

    private static void Quit(in RespRequest request, CommandContext context)
    {
        context.Reply.Ok();
        context.Client.CloseAfterReply();
    }

    private static void Select(in RespRequest request, CommandContext context)
    {
        if (!RespInteger.TryParse(request[1], out long index))
        {
            context.Reply.Error(ErrorTexts.NotAnInteger);
        }
        else if ((int)index != index)
        {
            context.Reply.Error(ErrorTexts.NotAnInt32);
        }
        else if ((ulong)index >= (ulong)context.Server.Databases.Count)
        {
            context.Reply.Error(ErrorTexts.KeyspaceOutOfRange);
        }
        else
        {
            context.SelectDatabase((int)index);
            context.Reply.Ok();
        }
    }

    // Lines that still wait would come behind the reply; so would the last one of monitoring that has ended by itself.
    private static void EndMonitoring(ClientSession client, Outbox outbox, CommandContext context)
    {
        context.Server.Monitors.Remove(client);
        while (outbox.TryTake(out _))
        {
        }
    }

    // As if it had just connected, except for its number and its time.
    private static void Reset(in RespRequest request, CommandContext context)
    {
        var client = context.Client;
        context.SelectDatabase(0);
        context.SetProtocolVersion(2);
        // After CLIENT REPLY SKIP, this is the command whose reply is skipped.
        if (context.ReplyMode == ReplyMode.Off)
            context.SetReplyMode(ReplyMode.Normal);
        client.Name = [];
        client.IsNoTouch = false;
        if (client.Outbox is { } outbox)
            EndMonitoring(client, outbox, context);
        client.User = context.Server.Users.Default;
        client.IsAuthenticated = !context.Server.Users.IsPasswordRequired;
        client.UnauthenticatedSinceMs = context.Server.NowMs;
        context.Server.AdmitByCertificate(client);
        context.Reply.Literal("+RESET\r\n"u8);
    }
}
