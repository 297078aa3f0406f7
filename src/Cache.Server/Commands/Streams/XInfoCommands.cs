using Cache.Core;
using Cache.Server.Commands.Arguments;
using Cache.Server.Commands.Dispatch;
using Cache.Server.Commands.Replies;
using Cache.Server.Protocol;

namespace Cache.Server.Commands.Streams;

/// <summary>XINFO: what is known of a stream, its groups and their consumers.</summary>
internal static class XInfoCommands
{
    private const long CountOfFull = 10;

    // The time to tell of a group or a consumer, in nanoseconds: what it has is counted.
    private const long RowWork = 1_000;

    private static readonly string[] _help =
    [
        "XINFO <subcommand> [<arg> [value] [opt] ...]. Subcommands are:",
        "CONSUMERS <key> <groupname>",
        "    Show consumers of <groupname>.",
        "GROUPS <key>",
        "    Show the stream consumer groups.",
        "STREAM <key> [FULL [COUNT <count>]",
        "    Show information about the stream.",
        "HELP",
        "    Prints this help.",
    ];

    public static IReadOnlyList<CommandBinding> Bindings { get; } =
    [
        new("xinfo|stream", Stream),
        new("xinfo|groups", Groups),
        new("xinfo|consumers", Consumers),
        new("xinfo|help", Help),
    ];

    // XINFO STREAM key [FULL [COUNT count]]
    private static void Stream(in RespRequest request, CommandContext context)
    {
        bool isFull = request.Count > 3;
        if (isFull && CollectionWork.TryGiveWay(request[2], context))
            return;
        using var snapshot = context.Store.Stream(request[2]).TakeSnapshot(out var status);
        if (status != ReadStatus.Found)
            ReplyAbsent(status, context.Reply);
        else if (!isFull)
            ReplyShort(snapshot, context);
        else if (TryParseFull(request, context.Reply, out long count))
            FullStreamReply.Write(snapshot, count, context);
    }

    // XINFO GROUPS key
    private static void Groups(in RespRequest request, CommandContext context)
    {
        var reply = context.Reply;
        using var snapshot = context.Store.Stream(request[2]).TakeSnapshot(out var status);
        if (status != ReadStatus.Found)
        {
            ReplyAbsent(status, reply);
            return;
        }

        if (context.TryGiveWay(snapshot.Info.Groups * RowWork))
            return;
        reply.ArrayHeader(snapshot.Info.Groups);
        for (var groups = snapshot.GetGroups(); groups.MoveNext() && !context.IsReplyOverLimit;)
        {
            var group = groups.Current;
            reply.MapHeader(6);
            reply.Bulk("name"u8);
            reply.Bulk(groups.Name);
            reply.Bulk("consumers"u8);
            reply.Integer(group.Consumers);
            reply.Bulk("pending"u8);
            reply.Integer(group.Pending);
            ReplyProgress(group, reply);
        }
    }

    // XINFO CONSUMERS key group
    private static void Consumers(in RespRequest request, CommandContext context)
    {
        var reply = context.Reply;
        using var snapshot = context.Store.Stream(request[2]).TakeSnapshot(out var status);
        if (status != ReadStatus.Found)
        {
            ReplyAbsent(status, reply);
            return;
        }

        if (!snapshot.TryGetGroup(request[3], out var group))
        {
            reply.NoGroupOfKey(request[2], request[3]);
            return;
        }

        if (context.TryGiveWay(group.Consumers * RowWork))
            return;
        long now = context.Store.NowUnixMs;
        reply.ArrayHeader(group.Consumers);
        for (var consumers = snapshot.GetConsumers(request[3]); consumers.MoveNext() && !context.IsReplyOverLimit;)
        {
            var consumer = consumers.Current;
            reply.MapHeader(3);
            reply.Bulk("name"u8);
            reply.Bulk(consumers.Name);
            reply.Bulk("pending"u8);
            reply.Integer(consumer.Pending);
            reply.Bulk("idle"u8);
            reply.Integer(Math.Max(0, now - consumer.SeenUnixMs));
        }
    }

    // XINFO HELP
    private static void Help(in RespRequest request, CommandContext context) => context.Reply.Help(_help);

    private static bool TryParseFull(in RespRequest request, RespReplyWriter reply, out long count)
    {
        count = CountOfFull;
        bool isKnown = request[3].Is("FULL"u8)
            && (request.Count == 4 || (request.Count == 6 && request[4].Is("COUNT"u8)));
        if (!isKnown)
        {
            reply.UnknownSubcommand(request[1], "XINFO"u8);
            return false;
        }

        if (request.Count == 6 && !RespInteger.TryParse(request[5], out count))
        {
            reply.Error(ErrorTexts.NotAnInteger);
            return false;
        }

        count = count < 0 ? CountOfFull : count == 0 ? long.MaxValue : count;
        return true;
    }

    private static void ReplyShort(scoped in StreamSnapshot snapshot, CommandContext context)
    {
        var reply = context.Reply;
        var info = snapshot.Info;
        reply.MapHeader(10);
        ReplyStream(info, reply);
        reply.Bulk("groups"u8);
        reply.Integer(info.Groups);
        reply.Bulk("first-entry"u8);
        ReplyEntry(snapshot, info.FirstId, info.Length, context);
        reply.Bulk("last-entry"u8);
        ReplyEntry(snapshot, info.LastEntryId, info.Length, context);
    }

    /// <summary>What both forms of XINFO STREAM tell first.</summary>
    public static void ReplyStream(in StreamInfo info, RespReplyWriter reply)
    {
        reply.Bulk("length"u8);
        reply.Integer(info.Length);
        reply.Bulk("radix-tree-keys"u8); // Here blocks of entries.
        reply.Integer(info.Blocks);
        reply.Bulk("radix-tree-nodes"u8);
        reply.Integer(info.Blocks + 1);
        reply.Bulk("last-generated-id"u8);
        reply.Id(info.LastId);
        reply.Bulk("max-deleted-entry-id"u8);
        reply.Id(info.MaxRemovedId);
        reply.Bulk("entries-added"u8);
        reply.Integer(info.Added);
        reply.Bulk("recorded-first-entry-id"u8);
        reply.Id(info.FirstId);
    }

    /// <summary>How far a group has read.</summary>
    public static void ReplyProgress(in StreamGroupInfo group, RespReplyWriter reply)
    {
        reply.Bulk("last-delivered-id"u8);
        reply.Id(group.LastDeliveredId);
        reply.Bulk("entries-read"u8);
        ReplyNumber(group.EntriesRead, reply);
        reply.Bulk("lag"u8);
        ReplyNumber(group.Lag, reply);
    }

    private static void ReplyNumber(long? number, RespReplyWriter reply)
    {
        if (number is { } known)
            reply.Integer(known);
        else
            reply.Null();
    }

    private static void ReplyEntry(
        scoped in StreamSnapshot snapshot, StreamId id, long length, CommandContext context)
    {
        if (length == 0)
        {
            context.Reply.Null();
            return;
        }

        var sink = new OneEntrySink(context.Reply);
        snapshot.GetRange(id, id, 1, isReversed: false, ref sink);
    }

    private static void ReplyAbsent(ReadStatus status, RespReplyWriter reply) =>
        reply.Error(status == ReadStatus.WrongType ? ErrorTexts.WrongType : ErrorTexts.NoSuchKey);

    private readonly struct OneEntrySink(RespReplyWriter reply) : IStreamSink
    {
        public bool IsFull => false;

        public void Begin(long count)
        {
        }

        public void Take(StreamId id, scoped StreamFields fields) => EntryReplySink.Write(reply, id, fields);
    }
}
