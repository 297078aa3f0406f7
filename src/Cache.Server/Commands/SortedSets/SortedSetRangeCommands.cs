using Cache.Core;
using Cache.Server.Commands.Arguments;
using Cache.Server.Commands.Dispatch;
using Cache.Server.Commands.Replies;
using Cache.Server.Protocol;

namespace Cache.Server.Commands.SortedSets;

/// <summary>The commands of ranges of a sorted set.</summary>
internal static class SortedSetRangeCommands
{
    public static IReadOnlyList<CommandBinding> Bindings { get; } =
    [
        new("zrange", ZRange),
        new("zrangestore", ZRangeStore),
        new("zrevrange", ZRevRange),
        new("zrangebyscore", ZRangeByScore),
        new("zrevrangebyscore", ZRevRangeByScore),
        new("zrangebylex", ZRangeByLex),
        new("zrevrangebylex", ZRevRangeByLex),
        new("zremrangebyrank", ZRemRangeByRank),
        new("zremrangebyscore", ZRemRangeByScore),
        new("zremrangebylex", ZRemRangeByLex),
    ];

    // ZRANGE key start stop [BYSCORE | BYLEX] [REV] [LIMIT offset count] [WITHSCORES]
    private static void ZRange(in RespRequest request, CommandContext context) =>
        Reply(request, RangeKind.Any, isReversed: null, context);

    // ZREVRANGE key start stop [WITHSCORES]
    private static void ZRevRange(in RespRequest request, CommandContext context) =>
        Reply(request, RangeKind.Rank, isReversed: true, context);

    // ZRANGEBYSCORE key min max [WITHSCORES] [LIMIT offset count]
    private static void ZRangeByScore(in RespRequest request, CommandContext context) =>
        Reply(request, RangeKind.Score, isReversed: false, context);

    // ZREVRANGEBYSCORE key max min [WITHSCORES] [LIMIT offset count]
    private static void ZRevRangeByScore(in RespRequest request, CommandContext context) =>
        Reply(request, RangeKind.Score, isReversed: true, context);

    // ZRANGEBYLEX key min max [LIMIT offset count]
    private static void ZRangeByLex(in RespRequest request, CommandContext context) =>
        Reply(request, RangeKind.Member, isReversed: false, context);

    // ZREVRANGEBYLEX key max min [LIMIT offset count]
    private static void ZRevRangeByLex(in RespRequest request, CommandContext context) =>
        Reply(request, RangeKind.Member, isReversed: true, context);

    // ZRANGESTORE dst src min max [BYSCORE | BYLEX] [REV] [LIMIT offset count]
    private static void ZRangeStore(in RespRequest request, CommandContext context)
    {
        if (!RangeArguments.TryParse(
            request, first: 3, RangeKind.Any, isReversed: null, mayHaveScores: false, context.Reply, out var arguments))
        {
            return;
        }

        if (CollectionWork.TryGiveWay(request[2], arguments.Range, context))
            return;
        var status = context.Store.StoreRange(request[2], arguments.Range, request[1], out long count);
        if (status == WriteStatus.Done)
            context.Reply.Integer(count);
        else
            context.Reply.Refusal(status);
    }

    // ZREMRANGEBYRANK key start stop
    private static void ZRemRangeByRank(in RespRequest request, CommandContext context) =>
        Remove(request, RangeKind.Rank, context);

    // ZREMRANGEBYSCORE key min max
    private static void ZRemRangeByScore(in RespRequest request, CommandContext context) =>
        Remove(request, RangeKind.Score, context);

    // ZREMRANGEBYLEX key min max
    private static void ZRemRangeByLex(in RespRequest request, CommandContext context) =>
        Remove(request, RangeKind.Member, context);

    private static void Reply(in RespRequest request, RangeKind kind, bool? isReversed, CommandContext context)
    {
        if (LongReply.TryContinue(context))
            return;
        if (!RangeArguments.TryParse(
            request, first: 2, kind, isReversed, mayHaveScores: true, context.Reply, out var arguments))
        {
            return;
        }

        if (CollectionWork.TryGiveWay(request[1], arguments.Range, context))
            return;
        if (LongReply.MayBegin(request[1], context)
            && context.Store.SortedSet(request[1]).Read(arguments.Range) is { } reading)
        {
            LongReply.Begin(new RangeReply(reading, arguments.HasScores), context);
            return;
        }

        var sink = ScoredReplySink.Of(context, arguments.HasScores);
        var status = context.Store.SortedSet(request[1]).GetRange(arguments.Range, ref sink);
        if (status == ReadStatus.WrongType)
            context.Reply.Error(ErrorTexts.WrongType);
        else if (status == ReadStatus.NotFound)
            context.Reply.ArrayHeader(0);
    }

    private static void Remove(in RespRequest request, RangeKind kind, CommandContext context)
    {
        if (!RangeArguments.TryParse(
            request, first: 2, kind, isReversed: false, mayHaveScores: false, context.Reply, out var arguments))
        {
            return;
        }

        if (CollectionWork.TryGiveWay(request[1], arguments.Range, context))
            return;
        var status = context.Store.SortedSet(request[1]).RemoveRange(arguments.Range, out int removed);
        if (status is WriteStatus.Done or WriteStatus.NotFound)
            context.Reply.Integer(removed);
        else
            context.Reply.Refusal(status);
    }
}
