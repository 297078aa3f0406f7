using System.Buffers;
using Cache.Core;
using Cache.Server.Commands.Arguments;
using Cache.Server.Commands.Dispatch;
using Cache.Server.Commands.Replies;
using Cache.Server.Protocol;

namespace Cache.Server.Commands.Streams;

/// <summary>XREADGROUP: entries for a consumer of a group, or a wait for some.</summary>
internal static class XReadGroupCommand
{
    public static IReadOnlyList<CommandBinding> Bindings { get; } = [new("xreadgroup", XReadGroup)];

    // XREADGROUP GROUP group consumer [COUNT count] [BLOCK milliseconds] [NOACK] STREAMS key [key ...] id [id ...]
    private static void XReadGroup(in RespRequest request, CommandContext context)
    {
        if (BlockedCalls.TryEnd(context))
            return;
        var arguments = default(ReadArguments);
        if (!arguments.TryParse(request, isGroup: true, context.Reply))
            return;
        var ids = ArrayPool<StreamId?>.Shared.Rent(arguments.Streams);
        try
        {
            if (TryParseIds(request, arguments, ids, context))
                Read(request, arguments, ids, context);
        }
        finally
        {
            ArrayPool<StreamId?>.Shared.Return(ids);
        }
    }

    // Null: new entries.
    private static bool TryParseIds(
        in RespRequest request, in ReadArguments arguments, StreamId?[] ids, CommandContext context)
    {
        var group = request[arguments.Group];
        for (int i = 0; i < arguments.Streams; i++)
        {
            var text = request[arguments.FirstKey + arguments.Streams + i];
            var key = request[arguments.FirstKey + i];
            var found = context.Store.Stream(key).FindGroup(group, out var status, out _, out _);
            var id = default(StreamId);
            if (found == ReadStatus.WrongType)
                context.Reply.Error(ErrorTexts.WrongType);
            else if (found == ReadStatus.NotFound || status == StreamGroupStatus.NoGroup)
                ReplyNoGroup(key, group, context.Reply);
            else if (text is [(byte)'$'])
                context.Reply.Error(Meaningless);
            else if (text is [(byte)'>'] || StreamIdArgument.TryParseStrict(text, context.Reply, out id))
            {
                ids[i] = text is [(byte)'>'] || id == StreamId.Max ? null : id;
                continue;
            }

            return false;
        }

        return true;
    }

    private static void Read(
        in RespRequest request, in ReadArguments arguments, StreamId?[] ids, CommandContext context)
    {
        var keys = new RequestSlice(request, arguments.FirstKey, arguments.Streams);
        var group = request[arguments.Group];
        if (request[arguments.Group + 1].Length > StreamKey.GroupNameLengthMax) // Nobody waits with a copy of it.
        {
            context.Reply.Refusal(WriteStatus.ValueTooLong);
            return;
        }

        int served = ServedStreams.Find(keys, group, ids, arguments.CountMax, context, out long work);
        if (context.TryGiveWay(work))
            return;
        if (served != 0)
        {
            Reply(request, arguments, ids, served, context);
        }
        else if (arguments.TimeoutMs >= 0 && BlockedCalls.MayBlock(context))
        {
            var waiter = BlockedCalls.Earlier(context) ?? new GroupWaiter(
                context, [.. WaitedStreams.Of(keys, default).Keys], group.ToArray(),
                request[arguments.Group + 1].ToArray(), arguments.Count, arguments.IsAcknowledged);
            BlockedCalls.Block(waiter, arguments.Timeout, request, context);
            return;
        }
        else
        {
            context.Reply.NullArray();
        }

        context.EndProgress();
    }

    private static void Reply(
        in RespRequest request, in ReadArguments arguments, StreamId?[] ids, int served, CommandContext context)
    {
        var reply = context.Reply;
        if (served > 1 || arguments.Streams > 1)
            ReadReply.Begin(reply, served);
        for (int i = 0; i < arguments.Streams; i++)
        {
            if (ids[i] == StreamId.Max)
                continue;
            var key = request[arguments.FirstKey + i];
            var options = new StreamGroupRead
            {
                Count = arguments.Count,
                After = ids[i],
                IsAcknowledged = arguments.IsAcknowledged,
            };
            var sink = new StreamReplySink(context, key, isOnly: arguments.Streams == 1, isNew: ids[i] is null);
            var status = context.Store.Stream(key).ReadGroup(
                request[arguments.Group], request[arguments.Group + 1], options, ref sink, out var outcome);
            GroupReplies.TellConsumer(outcome, key, context);
            if (status == WriteStatus.Done)
                continue;
            if (arguments.Streams > 1)
                sink.Begin(0); // Gone, or full, since it was asked.
            else if (status is WriteStatus.NotFound or WriteStatus.ConditionNotMet)
                ReplyNoGroup(key, request[arguments.Group], reply);
            else
                reply.Refusal(status);
        }
    }

    private static void ReplyNoGroup(ReadOnlySpan<byte> key, ReadOnlySpan<byte> group, RespReplyWriter reply) =>
        reply.Error(
        [
            .. "NOGROUP No such key '"u8, .. key.UpToNul(), .. "' or consumer group '"u8, .. group.UpToNul(),
            .. "' in XREADGROUP with GROUP option"u8,
        ]);

    private static ReadOnlySpan<byte> Meaningless =>
        "ERR The $ ID is meaningless in the context of XREADGROUP: you want to read the history of this consumer by "u8
        + "specifying a proper ID, or use the > ID to get new messages. The $ ID would just return an empty result "u8
        + "set."u8;

    // The stream's part of the reply; of the only one, the whole.
    private readonly ref struct StreamReplySink(
        CommandContext context, ReadOnlySpan<byte> key, bool isOnly, bool isNew) : IStreamSink
    {
        private readonly ReadOnlySpan<byte> _key = key;

        public bool IsFull => context.IsReplyOverLimit;

        public void Begin(long count)
        {
            if (count == 0 && isOnly && isNew) // Others were faster.
            {
                context.Reply.NullArray();
                return;
            }

            if (isOnly)
                ReadReply.Begin(context.Reply, 1);
            ReadReply.BeginStream(context.Reply, _key);
            context.Reply.ArrayHeader(count);
        }

        public void Take(StreamId id, scoped StreamFields fields) => EntryReplySink.Write(context.Reply, id, fields);
    }
}
