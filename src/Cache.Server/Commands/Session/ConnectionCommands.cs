using Cache.Server.Clients;
using Cache.Server.Commands.Dispatch;
using Cache.Server.Commands.Replies;
using Cache.Server.Protocol;
using Cache.Server.PubSub;

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
        if (request.Count > 2)
            context.Reply.WrongArgumentCount("ping"u8);
        else if (context.Client.IsRestricted)
            PongAsMessage(request, context.Reply);
        else if (request.Count == 1)
            context.Reply.Literal("+PONG\r\n"u8);
        else
            context.Reply.Bulk(request[1]);
    }

    // In the form of a message, for clients that expect nothing else.
    private static void PongAsMessage(in RespRequest request, RespReplyWriter reply)
    {
        reply.ArrayHeader(2);
        reply.Bulk("pong"u8);
        reply.Bulk(request.Count == 2 ? request[1] : default);
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
        else if (index != 0 && context.Server.Cluster is not null)
        {
            context.Reply.Error("ERR SELECT is not allowed in cluster mode"u8);
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

    // What still waits comes before the reply, which is the last that the client gets without asking.
    private static void EndPushes(ClientSession client, CommandContext context)
    {
        context.Server.Monitors.Remove(client);
        if (client.Subscriptions is Subscriptions subscriptions)
            context.Server.Channels.Clear(subscriptions);
        context.WriteMessages();
    }

    // As if it had just connected, except for its number and its time.
    private static void Reset(in RespRequest request, CommandContext context)
    {
        var client = context.Client;
        (client.Transaction as Transaction)?.Reset();
        context.Server.Tracking.Disable(client);
        if (client.Outbox is not null)
            EndPushes(client, context);
        context.SelectDatabase(0);
        context.SetProtocolVersion(2);
        // After CLIENT REPLY SKIP, this is the command whose reply is skipped.
        if (context.ReplyMode == ReplyMode.Off)
            context.SetReplyMode(ReplyMode.Normal);
        client.Name = [];
        client.IsNoTouch = false;
        client.User = context.Server.Users.Default;
        client.IsAuthenticated = !context.Server.Users.IsPasswordRequired;
        client.UnauthenticatedSinceMs = context.Server.NowMs;
        context.Server.AdmitByCertificate(client);
        context.Reply.Literal("+RESET\r\n"u8);
    }
}
