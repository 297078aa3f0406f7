using Cache.Core;
using Cache.Server.Commands.Arguments;
using Cache.Server.Commands.Dispatch;
using Cache.Server.Commands.Replies;
using Cache.Server.Protocol;

namespace Cache.Server.Commands.Lists;

/// <summary>The commands that read lists.</summary>
internal static class ListReadCommands
{
    public static IReadOnlyList<CommandBinding> Bindings { get; } =
    [
        new("llen", LLen),
        new("lrange", LRange),
        new("lindex", LIndex),
        new("lpos", LPos),
    ];

    // LLEN key
    private static void LLen(in RespRequest request, CommandContext context)
    {
        if (context.Store.List(request[1]).GetCount(out long count) == ReadStatus.WrongType)
            context.Reply.Error(ErrorTexts.WrongType);
        else
            context.Reply.Integer(count);
    }

    // LRANGE key start stop
    private static void LRange(in RespRequest request, CommandContext context)
    {
        if (LongReply.TryContinue(context))
            return;
        var reply = context.Reply;
        if (!RespInteger.TryParse(request[2], out long first) || !RespInteger.TryParse(request[3], out long last))
        {
            reply.Error(ErrorTexts.NotAnInteger);
            return;
        }

        if (CollectionWork.TryGiveWay(request[1], LengthOf(first, last), context))
            return;
        if (LongReply.MayBegin(request[1], context) && context.Store.List(request[1]).Read(first, last) is { } reading)
        {
            LongReply.Begin(new ElementsReply(reading), context);
            return;
        }

        var sink = new ElementReplySink(context);
        var status = context.Store.List(request[1]).GetRange(first, last, ref sink);
        if (status == ReadStatus.WrongType)
            reply.Error(ErrorTexts.WrongType);
        else if (status == ReadStatus.NotFound)
            reply.ArrayHeader(0);
    }

    // About, of a range whose ends are counted from one end; of others as long as any list.
    private static long LengthOf(long first, long last) =>
        (first < 0) == (last < 0) ? Math.Max(0, last - first) : long.MaxValue;

    // LINDEX key index
    private static void LIndex(in RespRequest request, CommandContext context)
    {
        if (!RespInteger.TryParse(request[2], out long index))
        {
            ReplyWithoutIndex(request[1], context);
            return;
        }

        var sink = new BulkReplySink(context.Reply);
        var status = context.Store.List(request[1]).Get(index, ref sink);
        if (status == ReadStatus.WrongType)
            context.Reply.Error(ErrorTexts.WrongType);
        else if (status == ReadStatus.NotFound)
            context.Reply.Null();
    }

    // Redis looks for the key before it reads the index.
    private static void ReplyWithoutIndex(ReadOnlySpan<byte> key, CommandContext context)
    {
        context.Store.TryPeekInfo(key, out var info);
        if (info.Kind == EntryKind.None)
            context.Reply.Null();
        else
            context.Reply.Error(info.Kind == EntryKind.List ? ErrorTexts.NotAnInteger : ErrorTexts.WrongType);
    }

    // LPOS key element [RANK rank] [COUNT count] [MAXLEN length]
    private static void LPos(in RespRequest request, CommandContext context)
    {
        if (!TryParse(request, context.Reply, out var search, out bool isCounted))
            return;
        if (CollectionWork.TryGiveWay(request[1], context))
            return;
        var list = context.Store.List(request[1]);
        if (isCounted)
            ReplyAll(list, request[2], search, context.Reply);
        else
            ReplyFirst(list, request[2], search, context.Reply);
    }

    private static bool TryParse(
        in RespRequest request, RespReplyWriter reply, out ListSearch search, out bool isCounted)
    {
        search = new ListSearch();
        isCounted = false;
        for (int i = 3; i < request.Count; i += 2)
        {
            bool isRead = false;
            if (i + 1 == request.Count)
            {
                reply.Error(ErrorTexts.Syntax);
            }
            else if (request[i].Is("RANK"u8))
            {
                isRead = TryParseRank(request[i + 1], reply, out long rank);
                search = search with { Rank = rank == long.MinValue ? -1 : rank }; // As Redis: it has no negation.
            }
            else if (request[i].Is("COUNT"u8))
            {
                isRead = isCounted = TryParsePositive(
                    request[i + 1], "ERR COUNT can't be negative"u8, reply, out long count);
                search = search with { Count = count };
            }
            else if (request[i].Is("MAXLEN"u8))
            {
                isRead = TryParsePositive(request[i + 1], "ERR MAXLEN can't be negative"u8, reply, out long length);
                search = search with { ComparedMax = length };
            }
            else
            {
                reply.Error(ErrorTexts.Syntax);
            }

            if (!isRead)
                return false;
        }

        return true;
    }

    private static bool TryParseRank(ReadOnlySpan<byte> argument, RespReplyWriter reply, out long rank)
    {
        if (!RespInteger.TryParse(argument, out rank))
        {
            reply.Error(ErrorTexts.NotAnInteger);
        }
        else if (rank == 0)
        {
            reply.Error(
                "ERR RANK can't be zero: use 1 to start from the first match, 2 from the second ... or use negative "u8
                + "to start from the end of the list"u8);
        }
        else
        {
            return true;
        }

        return false;
    }

    private static bool TryParsePositive(
        ReadOnlySpan<byte> argument, ReadOnlySpan<byte> error, RespReplyWriter reply, out long number)
    {
        if (RespInteger.TryParse(argument, out number) && number >= 0)
            return true;
        reply.Error(error);
        return false;
    }

    private static void ReplyAll(
        ListKey list, ReadOnlySpan<byte> element, in ListSearch search, RespReplyWriter reply)
    {
        var sink = new IndexReplySink(reply);
        var status = list.Find(element, search, ref sink);
        if (status == ReadStatus.WrongType)
            reply.Error(ErrorTexts.WrongType);
        else if (status == ReadStatus.NotFound)
            reply.ArrayHeader(0);
    }

    private static void ReplyFirst(
        ListKey list, ReadOnlySpan<byte> element, in ListSearch search, RespReplyWriter reply)
    {
        var first = new FirstIndexSink();
        if (list.Find(element, search, ref first) == ReadStatus.WrongType)
            reply.Error(ErrorTexts.WrongType);
        else if (first.Index < 0)
            reply.Null();
        else
            reply.Integer(first.Index);
    }

    private struct FirstIndexSink() : IIndexSink
    {
        public long Index { get; private set; } = -1;

        public readonly void Begin(long count)
        {
        }

        public void Take(long index) => Index = index;
    }
}
