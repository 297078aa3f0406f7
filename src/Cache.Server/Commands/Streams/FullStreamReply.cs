using Cache.Core;
using Cache.Server.Commands.Dispatch;
using Cache.Server.Protocol;

namespace Cache.Server.Commands.Streams;

/// <summary>The reply of XINFO STREAM FULL: a stream with entries, groups, consumers, and what is pending.</summary>
internal static class FullStreamReply
{
    /// <param name="snapshot">The stream.</param>
    /// <param name="count">The most entries, and pending ones of each group and consumer.</param>
    /// <param name="context">Where it is written.</param>
    public static void Write(scoped in StreamSnapshot snapshot, long count, CommandContext context)
    {
        var reply = context.Reply;
        var info = snapshot.Info;
        reply.MapHeader(9);
        XInfoCommands.ReplyStream(info, reply);
        reply.Bulk("entries"u8);
        var sink = new EntryReplySink(context);
        snapshot.GetRange(StreamId.Zero, StreamId.Max, count, isReversed: false, ref sink);
        reply.Bulk("groups"u8);
        reply.ArrayHeader(info.Groups);
        for (var groups = snapshot.GetGroups(); groups.MoveNext() && !context.IsReplyOverLimit;)
            WriteGroup(snapshot, groups.Name, groups.Current, count, context);
    }

    private static void WriteGroup(
        scoped in StreamSnapshot snapshot, ReadOnlySpan<byte> name, in StreamGroupInfo group, long count,
        CommandContext context)
    {
        var reply = context.Reply;
        reply.MapHeader(7);
        reply.Bulk("name"u8);
        reply.Bulk(name);
        XInfoCommands.ReplyProgress(group, reply);
        reply.Bulk("pel-count"u8);
        reply.Integer(group.Pending);
        reply.Bulk("pending"u8);
        long left = Math.Min(count, group.Pending);
        reply.ArrayHeader(left);
        for (var pending = snapshot.GetPending(name, StreamId.Zero); left > 0 && pending.MoveNext(); left--)
        {
            if (context.IsReplyOverLimit)
                return;
            WritePending(pending.Current, pending.Consumer, hasConsumer: true, reply);
        }

        reply.Bulk("consumers"u8);
        reply.ArrayHeader(group.Consumers);
        for (var consumers = snapshot.GetConsumers(name); consumers.MoveNext() && !context.IsReplyOverLimit;)
            WriteConsumer(snapshot, name, consumers.Name, consumers.Current, count, context);
    }

    private static void WriteConsumer(
        scoped in StreamSnapshot snapshot, ReadOnlySpan<byte> group, ReadOnlySpan<byte> name,
        in StreamConsumerInfo consumer, long count, CommandContext context)
    {
        var reply = context.Reply;
        reply.MapHeader(4);
        reply.Bulk("name"u8);
        reply.Bulk(name);
        reply.Bulk("seen-time"u8);
        reply.Integer(consumer.SeenUnixMs);
        reply.Bulk("pel-count"u8);
        reply.Integer(consumer.Pending);
        reply.Bulk("pending"u8);
        long left = Math.Min(count, consumer.Pending);
        reply.ArrayHeader(left);
        for (var pending = snapshot.GetPending(group, name, StreamId.Zero); left > 0 && pending.MoveNext(); left--)
        {
            if (context.IsReplyOverLimit)
                return;
            WritePending(pending.Current, default, hasConsumer: false, reply);
        }
    }

    private static void WritePending(
        in StreamPendingInfo pending, ReadOnlySpan<byte> consumer, bool hasConsumer, RespReplyWriter reply)
    {
        reply.ArrayHeader(hasConsumer ? 4 : 3);
        reply.Id(pending.Id);
        if (hasConsumer)
            reply.Bulk(consumer);
        reply.Integer(pending.DeliveredUnixMs);
        reply.Integer(pending.Deliveries);
    }
}
