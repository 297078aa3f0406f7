using Cache.Server.Commands.Arguments;
using Cache.Server.Commands.Dispatch;
using Cache.Server.Commands.Replies;
using Cache.Server.Protocol;
using Cache.Server.PubSub;

namespace Cache.Server.Commands.PubSub;

/// <summary>PUBLISH, SPUBLISH, PUBSUB.</summary>
internal static class PublishCommands
{
    private static readonly string[] _help =
    [
        "PUBSUB <subcommand> [<arg> [value] [opt] ...]. Subcommands are:",
        "CHANNELS [<pattern>]",
        "    Return the currently active channels matching a <pattern> (default: '*').",
        "NUMPAT",
        "    Return number of subscriptions to patterns.",
        "NUMSUB [<channel> ...]",
        "    Return the number of subscribers for the specified channels, excluding",
        "    pattern subscriptions(default: no channels).",
        "SHARDCHANNELS [<pattern>]",
        "    Return the currently active shard level channels matching a <pattern> (default: '*').",
        "SHARDNUMSUB [<shardchannel> ...]",
        "    Return the number of subscribers for the specified shard level channel(s)",
        "HELP",
        "    Prints this help.",
    ];

    public static IReadOnlyList<CommandBinding> Bindings { get; } =
    [
        new("publish", Publish),
        new("spublish", PublishToShard),
        new("pubsub|channels", static (in request, context) => Names(request, ChannelKind.Channel, context)),
        new("pubsub|numsub", static (in request, context) => Counts(request, ChannelKind.Channel, context)),
        new("pubsub|numpat", CountPatterns),
        new("pubsub|shardchannels", static (in request, context) => Names(request, ChannelKind.Shard, context)),
        new("pubsub|shardnumsub", static (in request, context) => Counts(request, ChannelKind.Shard, context)),
        new("pubsub|help", static (in request, context) => context.Reply.Help(_help)),
    ];

    // PUBLISH channel message
    private static void Publish(in RespRequest request, CommandContext context)
    {
        var channels = context.Server.Channels;
        if (context.TryGiveWay(channels.WorkOf(ChannelKind.Channel, request[1])))
            return;
        context.Reply.Integer(
            channels.Publish(request[1], request[2], PublisherOf(context)));
    }

    // SPUBLISH shardchannel message
    private static void PublishToShard(in RespRequest request, CommandContext context)
    {
        var channels = context.Server.Channels;
        if (context.TryGiveWay(channels.WorkOf(ChannelKind.Shard, request[1])))
            return;
        context.Reply.Integer(
            channels.PublishToShard(request[1], request[2], PublisherOf(context)));
    }

    // Within a transaction what the client sends to itself must not come between the elements of its reply.
    private static Publisher PublisherOf(CommandContext context) =>
        context.IsInSection ? default : new Publisher(context.Client, context.Output);

    // PUBSUB CHANNELS [pattern]
    private static void Names(in RespRequest request, ChannelKind kind, CommandContext context)
    {
        var reply = context.Reply;
        if (request.Count > 3)
        {
            reply.Error([
                .. "ERR unknown subcommand or wrong number of arguments for '"u8, .. request[1].UpToNul(),
                .. "'. Try PUBSUB HELP."u8]);
            return;
        }

        const int StepsOfChannel = 100;
        if (context.TryGiveWay(context.Server.Channels.CountOf(kind) * (long)StepsOfChannel))
            return;
        var pattern = request.Count == 3 ? request[2] : default;
        var names = context.Server.Channels.FindNames(kind, pattern, isAll: request.Count == 2);
        reply.ArrayHeader(names.Count);
        foreach (byte[] name in names)
        {
            if (context.IsReplyOverLimit)
                return;
            reply.Bulk(name);
        }
    }

    // PUBSUB NUMSUB [channel ...]
    private static void Counts(in RespRequest request, ChannelKind kind, CommandContext context)
    {
        var reply = context.Reply;
        reply.ArrayHeader((request.Count - 2) * 2L);
        for (int i = 2; i < request.Count && !context.IsReplyOverLimit; i++)
        {
            reply.Bulk(request[i]);
            reply.Integer(context.Server.Channels.CountSubscribers(kind, request[i]));
        }
    }

    private static void CountPatterns(in RespRequest request, CommandContext context) =>
        context.Reply.Integer(context.Server.Channels.PatternCount);
}
