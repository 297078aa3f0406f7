using Cache.Core;
using Cache.Server.Commands.Arguments;
using Cache.Server.Commands.Dispatch;
using Cache.Server.Commands.Replies;
using Cache.Server.Protocol;

namespace Cache.Server.Commands.Streams;

/// <summary>The commands that read ranges of streams.</summary>
internal static class StreamReadCommands
{
    public static IReadOnlyList<CommandBinding> Bindings { get; } =
    [
        new("xlen", XLen),
        new("xrange", XRange),
        new("xrevrange", XRevRange),
    ];

    // XLEN key
    private static void XLen(in RespRequest request, CommandContext context)
    {
        if (context.Store.Stream(request[1]).GetInfo(out var info) == ReadStatus.WrongType)
            context.Reply.Error(ErrorTexts.WrongType);
        else
            context.Reply.Integer(info.Length);
    }

    // XRANGE key start end [COUNT count]
    private static void XRange(in RespRequest request, CommandContext context) =>
        Range(request, isReversed: false, context);

    // XREVRANGE key end start [COUNT count]
    private static void XRevRange(in RespRequest request, CommandContext context) =>
        Range(request, isReversed: true, context);

    private static void Range(in RespRequest request, bool isReversed, CommandContext context)
    {
        var reply = context.Reply;
        if (!TryParseFrom(request[isReversed ? 3 : 2], reply, out var from)
            || !TryParseTo(request[isReversed ? 2 : 3], reply, out var to)
            || !TryParseCount(request, reply, out long count))
        {
            return;
        }

        if (CollectionWork.TryGiveWay(request[1], count, context))
            return;
        var stream = context.Store.Stream(request[1]);
        if (count == 0)
        {
            ReplyNone(stream.GetInfo(out _), reply);
            return;
        }

        var sink = new EntryReplySink(context);
        var status = stream.GetRange(from, to, count, isReversed, ref sink);
        if (status == ReadStatus.WrongType)
            reply.Error(ErrorTexts.WrongType);
        else if (status == ReadStatus.NotFound)
            reply.ArrayHeader(0);
    }

    private static void ReplyNone(ReadStatus status, RespReplyWriter reply)
    {
        if (status == ReadStatus.WrongType)
            reply.Error(ErrorTexts.WrongType);
        else if (status == ReadStatus.NotFound)
            reply.ArrayHeader(0);
        else
            reply.NullArray();
    }

    /// <summary>Reads the lesser end of a range, or replies with an error.</summary>
    public static bool TryParseFrom(ReadOnlySpan<byte> text, RespReplyWriter reply, out StreamId from)
    {
        if (!StreamIdArgument.TryParseEnd(text, 0, reply, out from, out bool isExcluded))
            return false;
        if (!isExcluded)
            return true;
        bool isId = from != StreamId.Max;
        from = from.Next;
        if (!isId)
            reply.Error("ERR invalid start ID for the interval"u8);
        return isId;
    }

    /// <summary>Reads the greater end of a range, or replies with an error.</summary>
    public static bool TryParseTo(ReadOnlySpan<byte> text, RespReplyWriter reply, out StreamId to)
    {
        if (!StreamIdArgument.TryParseEnd(text, ulong.MaxValue, reply, out to, out bool isExcluded))
            return false;
        if (!isExcluded)
            return true;
        bool isId = to != StreamId.Zero;
        to = to.Previous;
        if (!isId)
            reply.Error("ERR invalid end ID for the interval"u8);
        return isId;
    }

    private static bool TryParseCount(in RespRequest request, RespReplyWriter reply, out long count)
    {
        count = long.MaxValue;
        for (int i = 4; i < request.Count; i += 2)
        {
            if (!request[i].Is("COUNT"u8) || i + 1 == request.Count)
            {
                reply.Error(ErrorTexts.Syntax);
                return false;
            }

            if (!RespInteger.TryParse(request[i + 1], out count))
            {
                reply.Error(ErrorTexts.NotAnInteger);
                return false;
            }

            // Redis reads -1, its word for all, as 0 too.
            count = Math.Max(0, count);
        }

        return true;
    }
}
