using Cache.Server.Commands.Dispatch;
using Cache.Server.Protocol;
using Cache.Server.PubSub;

namespace Cache.Server.Commands.PubSub;

/// <summary>SUBSCRIBE, PSUBSCRIBE, SSUBSCRIBE, and what ends them.</summary>
/// <remarks>
/// The confirmations are pushes, like messages: CLIENT REPLY OFF does not hold them back. They come behind the messages
/// that came before, and the first message of a subscription behind its confirmation.
/// </remarks>
internal static class SubscribeCommands
{
    public static IReadOnlyList<CommandBinding> Bindings { get; } =
    [
        new("subscribe", static (in request, context) =>
            Subscribe(request, ChannelKind.Channel, "subscribe"u8, context)),
        new("psubscribe", static (in request, context) =>
            Subscribe(request, ChannelKind.Pattern, "psubscribe"u8, context)),
        new("ssubscribe", static (in request, context) =>
            Subscribe(request, ChannelKind.Shard, "ssubscribe"u8, context)),
        new("unsubscribe", static (in request, context) =>
            Unsubscribe(request, ChannelKind.Channel, "unsubscribe"u8, context)),
        new("punsubscribe", static (in request, context) =>
            Unsubscribe(request, ChannelKind.Pattern, "punsubscribe"u8, context)),
        new("sunsubscribe", static (in request, context) =>
            Unsubscribe(request, ChannelKind.Shard, "sunsubscribe"u8, context)),
    ];

    private static void Subscribe(
        in RespRequest request, ChannelKind kind, ReadOnlySpan<byte> word, CommandContext context)
    {
        if (kind == ChannelKind.Shard && context.IsInSection)
        {
            // Redis: of this kind alone.
            context.Reply.Error("ERR SSUBSCRIBE isn't allowed for a DENY BLOCKING client"u8);
            return;
        }

        var table = context.Server.Channels;
        var client = context.OpenSubscriptions();
        for (int i = 1; i < request.Count && !context.IsReplyOverLimit; i++)
        {
            context.WriteMessages();
            table.Subscribe(client, kind, request[i]); // What comes by it from now on belongs behind its confirmation.
            Confirm(context, client, kind, word, request[i]);
        }

        // Who takes rights looks at the subscriptions afterwards: either it sees these, or this sees what was taken.
        Interlocked.MemoryBarrier();
        var rules = context.Client.User.Rules;
        for (int i = 1; i < request.Count; i++)
        {
            if (!rules.AllowsChannel(request[i], kind == ChannelKind.Pattern))
                context.Client.CloseAfterReply();
        }
    }

    private static void Unsubscribe(
        in RespRequest request, ChannelKind kind, ReadOnlySpan<byte> word, CommandContext context)
    {
        var table = context.Server.Channels;
        var client = context.Client.Subscriptions as Subscriptions;
        if (request.Count == 1)
        {
            UnsubscribeAll(client, kind, word, context);
            return;
        }

        for (int i = 1; i < request.Count && !context.IsReplyOverLimit; i++)
        {
            if (client is not null)
                table.Unsubscribe(client, kind, request[i]);
            context.WriteMessages();
            Confirm(context, client, kind, word, request[i]);
        }
    }

    private static void UnsubscribeAll(
        Subscriptions? client, ChannelKind kind, ReadOnlySpan<byte> word, CommandContext context)
    {
        var table = context.Server.Channels;
        const int StepsOfName = 500;
        if (client is not null && context.TryGiveWay(client.Count * (long)StepsOfName))
            return;
        bool hadAny = false;
        while (client is not null && !context.IsReplyOverLimit && table.FindSome(client, kind) is { Count: > 0 } names)
        {
            hadAny = true;
            foreach (byte[] name in names)
            {
                table.Unsubscribe(client, kind, name);
                context.WriteMessages();
                Confirm(context, client, kind, word, name);
            }
        }

        if (hadAny)
            return;
        context.WriteMessages();
        var output = context.Output;
        output.PushHeader(3);
        output.Bulk(word);
        output.Null();
        output.Integer(client?.CountFor(kind) ?? 0);
    }

    private static void Confirm(
        CommandContext context, Subscriptions? client, ChannelKind kind, ReadOnlySpan<byte> word,
        ReadOnlySpan<byte> name)
    {
        var output = context.Output;
        output.PushHeader(3);
        output.Bulk(word);
        output.Bulk(name);
        output.Integer(client?.CountFor(kind) ?? 0);
    }
}
