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
        if (request.Count == 2)
        {
            var sink = new BulkReplySink(context.Reply);
            var found = context.Store.SortedSet(request[1]).GetRandom(ref sink);
            if (found == ReadStatus.WrongType)
                context.Reply.Error(ErrorTexts.WrongType);
            else if (found == ReadStatus.NotFound)
                context.Reply.Null();
        }
        else if (TryParseCount(request, context.Reply, out long count)
            && (count >= 0
                ? !CollectionWork.TryGiveWay(request[1], count, context)
                : !context.TryGiveWay(count < -Turn.WorkMax ? long.MaxValue : -count * MemberWork)))
        {
            ReplyRandom(request[1], count, hasScores: request.Count > 3, context);
        }
    }

    private static bool TryParseCount(in RespRequest request, RespReplyWriter reply, out long count)
    {
        if (!RespInteger.TryParse(request[2], out count))
            reply.Error(ErrorTexts.NotAnInteger);
        else if (count == long.MinValue)
            reply.Error(ErrorTexts.NotANegatable);
        else if (request.Count > 4 || (request.Count == 4 && !request[3].Is("WITHSCORES"u8)))
            reply.Error(ErrorTexts.Syntax);
        else if (request.Count == 4 && count is < -long.MaxValue / 2 or > long.MaxValue / 2)
            reply.Error("ERR value is out of range"u8);
        else
            return true;
        return false;
    }

    private static void ReplyRandom(ReadOnlySpan<byte> key, long count, bool hasScores, CommandContext context)
    {
        var sink = ScoredReplySink.Of(context, hasScores);
        var status = context.Store.SortedSet(key).GetRandom(Math.Abs(count), mayRepeat: count < 0, ref sink);
        if (status == ReadStatus.WrongType)
            context.Reply.Error(ErrorTexts.WrongType);
        else if (status == ReadStatus.NotFound)
            context.Reply.ArrayHeader(0);
    }

    // ZSCAN key cursor [MATCH pattern] [COUNT count]
    private static void ZScan(in RespRequest request, CommandContext context)
    {
        var reply = context.Reply;
        if (!CursorArgument.TryParse(request[2], out ulong cursor))
            reply.Error(ErrorTexts.InvalidCursor);
        else if (!context.Store.TryPeekInfo(request[1], out var info)) // Redis does so before it reads the options.
            ScanReply.Write(0, null, reply);
        else if (info.Kind != EntryKind.SortedSet)
            reply.Error(ErrorTexts.WrongType);
        else if (!ScanOptions.TryParse(request, first: 3, out var options))
            reply.Error(options.IsCountWrong ? ErrorTexts.NotAnInteger : ErrorTexts.Syntax);
        else if (!context.TryGiveWay(CollectionWork.ScannedBytes(info, options.Count) * options.Pattern.Length))
            Scan(request[1], cursor, options, context);
    }

    private static void Scan(ReadOnlySpan<byte> key, ulong cursor, in ScanOptions options, CommandContext context)
    {
        using var found = context.BorrowReplyList();
        context.Store.TryPeekCollection(key, out var info);
        var sink = new MatchingScoreSink(options.Pattern, found, info.IsConverted);
        int count = (int)Math.Min(options.Count, int.MaxValue);
        if (context.Store.SortedSet(key).Scan(ref cursor, count, ref sink) == ReadStatus.WrongType)
            context.Reply.Error(ErrorTexts.WrongType);
        else
            ScanReply.Write(cursor, found, context.Reply);
    }
}
