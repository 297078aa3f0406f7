using System.Buffers;
using Cache.Core;
using Cache.Server.Commands.Arguments;
using Cache.Server.Commands.Dispatch;
using Cache.Server.Commands.Replies;
using Cache.Server.Notifications;
using Cache.Server.Protocol;

namespace Cache.Server.Commands.Streams;

/// <summary>The commands that add and remove entries of streams.</summary>
internal static class StreamWriteCommands
{
    // The time to remove an entry, in nanoseconds.
    private const long EntryWork = 400;

    // So many that a trim removes are too much for a shared thread in any case: no more are counted.
    private const long TrimmedMax = 4_096;

    public static IReadOnlyList<CommandBinding> Bindings { get; } =
    [
        new("xadd", XAdd),
        new("xdel", XDel),
        new("xtrim", XTrim),
        new("xsetid", XSetId),
    ];

    // XADD key [NOMKSTREAM] [MAXLEN | MINID [= | ~] threshold [LIMIT count]] * | id field value [field value ...]
    private static void XAdd(in RespRequest request, CommandContext context)
    {
        var reply = context.Reply;
        var arguments = default(TrimArguments);
        if (!arguments.TryParse(request, isAdd: true, reply))
            return;
        int first = arguments.IdIndex + 1;
        if (request.Count - first < 2 || (request.Count - first) % 2 == 1)
        {
            reply.WrongArgumentCount("xadd"u8);
            return;
        }

        if (arguments is { Id: { } given, MakesSequence: false } && given == StreamId.Zero)
        {
            reply.Error("ERR The ID specified in XADD must be greater than 0-0"u8);
            return;
        }

        if (arguments.Trim is { } trim
            && CollectionWork.TryGiveWay(request[1], TrimmedOf(request[1], trim, context), context))
        {
            return;
        }

        var fields = new RequestPairs(request, first);
        var options = new StreamAppend
        {
            Id = arguments.Id,
            MakesSequence = arguments.MakesSequence,
            IfPresent = arguments.IfPresent,
            Trim = arguments.Trim,
        };
        var status = context.Store.Stream(request[1]).Append(ref fields, options, out var appended);
        if (appended.Trimmed != 0)
            context.Server.Notifications.Tell(context.Store.Keyspace, KeyEvent.StreamTrimmed, request[1]);
        if (status == WriteStatus.Done)
            reply.Id(appended.Id);
        else if (status == WriteStatus.NotFound)
            reply.Null();
        else if (status == WriteStatus.ConditionNotMet && appended.Status == StreamAppendStatus.IdsExhausted)
            reply.Error("ERR The stream has exhausted the last possible ID, unable to add more items"u8);
        else if (status == WriteStatus.ConditionNotMet)
            reply.Error("ERR The ID specified in XADD is equal or smaller than the target stream top item"u8);
        else
            reply.Refusal(status);
    }

    // XDEL key id [id ...]
    private static void XDel(in RespRequest request, CommandContext context)
    {
        var reply = context.Reply;
        var stream = context.Store.Stream(request[1]);
        var read = stream.GetInfo(out _);
        if (read != ReadStatus.Found)
        {
            ReplyAbsent(read, reply);
            return;
        }

        int count = request.Count - 2;
        var ids = ArrayPool<StreamId>.Shared.Rent(count);
        try
        {
            for (int i = 0; i < count; i++)
            {
                if (!StreamIdArgument.TryParseStrict(request[i + 2], reply, out ids[i]))
                    return;
            }

            if (context.TryGiveWay(count * EntryWork))
                return;
            var status = stream.Remove(ids.AsSpan(0, count), out long removed);
            if (status is WriteStatus.Done or WriteStatus.NotFound)
                reply.Integer(removed);
            else
                reply.Refusal(status);
        }
        finally
        {
            ArrayPool<StreamId>.Shared.Return(ids);
        }
    }

    // XTRIM key MAXLEN | MINID [= | ~] threshold [LIMIT count]
    private static void XTrim(in RespRequest request, CommandContext context)
    {
        var arguments = default(TrimArguments);
        if (!arguments.TryParse(request, isAdd: false, context.Reply))
            return;
        var trim = arguments.Trim!.Value;
        if (CollectionWork.TryGiveWay(request[1], TrimmedOf(request[1], trim, context), context))
            return;
        var status = context.Store.Stream(request[1]).Trim(trim, out long removed);
        if (status is WriteStatus.Done or WriteStatus.NotFound)
            context.Reply.Integer(removed);
        else
            context.Reply.Refusal(status);
    }

    // About how many entries go.
    private static long TrimmedOf(ReadOnlySpan<byte> key, in StreamTrim trim, CommandContext context)
    {
        if (!context.SharesThread || context.Store.Stream(key).GetInfo(out var info) != ReadStatus.Found)
            return 0;
        long count = trim.MaxLength is { } most ? info.Length - most
            : info.FirstId < trim.MinId ? CountBelow(key, trim.MinId, context) : 0;
        return Math.Clamp(count, 0, trim.Limit > 0 ? trim.Limit : long.MaxValue);
    }

    private static long CountBelow(ReadOnlySpan<byte> key, StreamId id, CommandContext context)
    {
        var sink = default(CountingSink);
        context.Store.Stream(key).GetRange(
            StreamId.Zero, id.Previous, TrimmedMax, isReversed: false, ref sink);
        return sink.Count;
    }

    // XSETID key last-id [ENTRIESADDED entries-added] [MAXDELETEDID max-deleted-id]
    private static void XSetId(in RespRequest request, CommandContext context)
    {
        var reply = context.Reply;
        if (!StreamIdArgument.TryParseStrict(request[2], reply, out var id)
            || !TryParseSetId(request, id, reply, out long? added, out var maxRemoved))
        {
            return;
        }

        var status = context.Store.Stream(request[1]).SetId(id, added, maxRemoved, out var outcome);
        if (status == WriteStatus.Done)
            reply.Ok();
        else if (status == WriteStatus.NotFound)
            reply.Error(ErrorTexts.NoSuchKey);
        else if (status == WriteStatus.ConditionNotMet)
            reply.Error(TextOf(outcome));
        else
            reply.Refusal(status);
    }

    private static bool TryParseSetId(
        in RespRequest request, StreamId id, RespReplyWriter reply, out long? added, out StreamId maxRemoved)
    {
        (added, maxRemoved) = (null, default);
        for (int i = 3; i < request.Count; i += 2)
        {
            bool hasMore = i + 1 < request.Count;
            if (hasMore && request[i].Is("ENTRIESADDED"u8))
            {
                bool isNumber = RespInteger.TryParse(request[i + 1], out long number);
                if (!isNumber || number < 0)
                {
                    reply.Error(isNumber ? "ERR entries_added must be positive"u8 : ErrorTexts.NotAnInteger);
                    return false;
                }

                added = number;
            }
            else if (hasMore && request[i].Is("MAXDELETEDID"u8))
            {
                if (!StreamIdArgument.TryParseStrict(request[i + 1], reply, out maxRemoved))
                    return false;
                if (id < maxRemoved)
                {
                    reply.Error(
                        "ERR The ID specified in XSETID is smaller than the provided max_deleted_entry_id"u8);
                    return false;
                }
            }
            else
            {
                reply.Error(ErrorTexts.Syntax);
                return false;
            }
        }

        return true;
    }

    private static ReadOnlySpan<byte> TextOf(StreamSetIdStatus outcome) => outcome switch
    {
        StreamSetIdStatus.BelowEntries =>
            "ERR The ID specified in XSETID is smaller than the target stream top item"u8,
        _ => "ERR The entries_added specified in XSETID is smaller than the target stream length"u8,
    };

    private static void ReplyAbsent(ReadStatus status, RespReplyWriter reply)
    {
        if (status == ReadStatus.WrongType)
            reply.Error(ErrorTexts.WrongType);
        else
            reply.Integer(0);
    }
}
