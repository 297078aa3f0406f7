using System.Buffers;
using Cache.Core;
using Cache.Server.Clients;
using Cache.Server.Commands.Arguments;
using Cache.Server.Commands.Dispatch;
using Cache.Server.Commands.Replies;
using Cache.Server.Protocol;

namespace Cache.Server.Commands.SortedSets;

/// <summary>The commands that read one sorted set, besides its ranges.</summary>
internal static class SortedSetReadCommands
{
    // The time to find or to write a member, in nanoseconds.
    private const long MemberWork = 100;

    public static IReadOnlyList<CommandBinding> Bindings { get; } =
    [
        new("zscore", ZScore),
        new("zmscore", ZMScore),
        new("zcard", ZCard),
        new("zcount", ZCount),
        new("zlexcount", ZLexCount),
        new("zrank", ZRank),
        new("zrevrank", ZRevRank),
        new("zrandmember", ZRandMember),
        new("zscan", ZScan),
    ];

    // ZSCORE key member
    private static void ZScore(in RespRequest request, CommandContext context)
    {
        var status = context.Store.SortedSet(request[1]).GetScore(request[2], out double score);
        if (status == ReadStatus.WrongType)
            context.Reply.Error(ErrorTexts.WrongType);
        else if (status == ReadStatus.NotFound)
            context.Reply.Null();
        else
            context.Reply.Double(score);
    }

    // ZMSCORE key member [member ...]
    private static void ZMScore(in RespRequest request, CommandContext context)
    {
        var members = new RequestNames(request);
        if (context.TryGiveWay(members.Count * MemberWork))
            return;
        double?[] scores = ArrayPool<double?>.Shared.Rent(members.Count);
        var status = context.Store.SortedSet(request[1]).GetScores(ref members, scores);
        if (status == ReadStatus.WrongType)
            context.Reply.Error(ErrorTexts.WrongType);
        else
            Reply(scores.AsSpan(0, members.Count), context.Reply);
        ArrayPool<double?>.Shared.Return(scores);
    }

    private static void Reply(ReadOnlySpan<double?> scores, RespReplyWriter reply)
    {
        reply.ArrayHeader(scores.Length);
        foreach (double? score in scores)
        {
            if (score is double present)
                reply.Double(present);
            else
                reply.Null();
        }
    }

    // ZCARD key
    private static void ZCard(in RespRequest request, CommandContext context) =>
        Reply(context.Store.SortedSet(request[1]).GetCount(out long count), count, context.Reply);

    // ZCOUNT key min max
    private static void ZCount(in RespRequest request, CommandContext context)
    {
        if (!RangeEnd.TryParseScores(request[2], request[3], out var min, out var max))
        {
            context.Reply.Error(RangeArguments.NotScores);
            return;
        }

        var range = SortedSetRange.ByScore(min, max);
        Reply(context.Store.SortedSet(request[1]).GetCount(range, out long count), count, context.Reply);
    }

    // ZLEXCOUNT key min max
    private static void ZLexCount(in RespRequest request, CommandContext context)
    {
        if (!RangeEnd.TryParseMembers(request[2], request[3], out var min, out var max))
        {
            context.Reply.Error(RangeArguments.NotMembers);
            return;
        }

        var range = SortedSetRange.ByMember(min, max);
        Reply(context.Store.SortedSet(request[1]).GetCount(range, out long count), count, context.Reply);
    }

    private static void Reply(ReadStatus status, long number, RespReplyWriter reply)
    {
        if (status == ReadStatus.WrongType)
            reply.Error(ErrorTexts.WrongType);
        else
            reply.Integer(number);
    }

    // ZRANK key member
    private static void ZRank(in RespRequest request, CommandContext context) =>
        ReplyRank(request, isReversed: false, context);

    // ZREVRANK key member
    private static void ZRevRank(in RespRequest request, CommandContext context) =>
        ReplyRank(request, isReversed: true, context);

    private static void ReplyRank(in RespRequest request, bool isReversed, CommandContext context)
    {
        var status = context.Store.SortedSet(request[1]).GetRank(request[2], isReversed, out long rank);
        if (status == ReadStatus.NotFound)
            context.Reply.Null();
        else
            Reply(status, rank, context.Reply);
    }

    // ZRANDMEMBER key [count [WITHSCORES]]
    private static void ZRandMember(in RespRequest request, CommandContext context)
    {
        if (!RandomArguments.TryParse(request, "WITHSCORES"u8, context, out var arguments))
            return;
        ReadStatus status;
        var set = context.Store.SortedSet(request[1]);
        if (arguments.HasCount)
        {
            var sink = ScoredReplySink.Of(context, arguments.HasValues);
            status = set.GetRandom(arguments.Count, arguments.MayRepeat, ref sink);
        }
        else
        {
            var sink = new BulkReplySink(context.Reply);
            status = set.GetRandom(ref sink);
        }

        arguments.ReplyUnless(status, context.Reply);
    }

    // ZSCAN key cursor [MATCH pattern] [COUNT count]
    private static void ZScan(in RespRequest request, CommandContext context)
    {
        if (!ScanArguments.TryParse(request, EntryKind.SortedSet, context, out var scan))
            return;
        using var found = context.BorrowReplyList();
        context.Store.TryPeekCollection(request[1], out var info);
        var sink = new MatchingScoreSink(scan.Pattern, found, info.IsConverted);
        var status = context.Store.SortedSet(request[1]).Scan(ref scan.Cursor, scan.Count, ref sink);
        scan.Reply(status, found, context.Reply);
    }
}
