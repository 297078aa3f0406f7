using System.Buffers;
using Cache.Core;
using Cache.Server.Commands.Arguments;
using Cache.Server.Commands.Dispatch;
using Cache.Server.Commands.Replies;
using Cache.Server.Protocol;

namespace Cache.Server.Commands.SortedSets;

/// <summary>The commands that write sorted sets.</summary>
internal static class SortedSetWriteCommands
{
    // Scores that need no array.
    private const int DirectScoresMax = 16;

    // The time to read a score and to find its place, in nanoseconds.
    private const long ScoreWork = 1_000;

    public static IReadOnlyList<CommandBinding> Bindings { get; } =
    [
        new("zadd", ZAdd),
        new("zincrby", ZIncrBy),
        new("zrem", ZRem),
        new("zpopmin", ZPopMin),
        new("zpopmax", ZPopMax),
    ];

    // ZADD key [NX | XX] [GT | LT] [CH] [INCR] score member [score member ...]
    private static void ZAdd(in RespRequest request, CommandContext context) =>
        Add(request, isIncrement: false, context);

    // ZINCRBY key increment member
    private static void ZIncrBy(in RespRequest request, CommandContext context) =>
        Add(request, isIncrement: true, context);

    // ZREM key member [member ...]
    private static void ZRem(in RespRequest request, CommandContext context)
    {
        var members = new RequestNames(request);
        var status = context.Store.SortedSet(request[1]).RemoveMany(ref members, out int removed);
        if (status is WriteStatus.Done or WriteStatus.NotFound)
            context.Reply.Integer(removed);
        else
            context.Reply.Refusal(status);
    }

    // ZPOPMIN key [count]
    private static void ZPopMin(in RespRequest request, CommandContext context) =>
        Pop(request, takesHighest: false, context);

    // ZPOPMAX key [count]
    private static void ZPopMax(in RespRequest request, CommandContext context) =>
        Pop(request, takesHighest: true, context);

    private static void Add(in RespRequest request, bool isIncrement, CommandContext context)
    {
        if (!AddOptions.TryParse(request, isIncrement, context.Reply, out var options)
            || context.TryGiveWay(options.Count * ScoreWork))
        {
            return;
        }

        double[]? rented = options.Count > DirectScoresMax ? ArrayPool<double>.Shared.Rent(options.Count) : null;
        Span<double> scores = rented ?? stackalloc double[DirectScoresMax];
        scores = scores[..options.Count];
        if (!TryParse(request, options.FirstScore, scores))
            context.Reply.Error(ErrorTexts.NotAFloat);
        else if (options.IsIncrement)
            Increment(request, scores[0], options, context);
        else
            AddAll(request, scores, options, context);
        if (rented is not null)
            ArrayPool<double>.Shared.Return(rented);
    }

    private static bool TryParse(in RespRequest request, int first, Span<double> scores)
    {
        for (int i = 0; i < scores.Length; i++)
        {
            if (!CDouble.TryParseScore(request[first + i * 2], out scores[i]))
                return false;
        }

        return true;
    }

    private static void AddAll(
        in RespRequest request, ReadOnlySpan<double> scores, AddOptions options, CommandContext context)
    {
        var members = new RequestScores(request, options.FirstScore, scores);
        var status = context.Store.SortedSet(request[1])
            .AddMany(ref members, options.Conditions, out int added, out int updated);
        if (status == WriteStatus.Done)
            context.Reply.Integer(options.CountsChanged ? added + updated : added);
        else
            context.Reply.Refusal(status);
    }

    private static void Increment(in RespRequest request, double delta, AddOptions options, CommandContext context)
    {
        var status = context.Store.SortedSet(request[1])
            .Increment(request[options.FirstScore + 1], delta, options.Conditions, out double sum);
        if (status == WriteStatus.Done)
            context.Reply.Double(sum);
        else if (status == WriteStatus.ConditionNotMet)
            context.Reply.Null();
        else if (status == WriteStatus.Overflow)
            context.Reply.Error("ERR resulting score is not a number (NaN)"u8);
        else
            context.Reply.Refusal(status);
    }

    private static void Pop(in RespRequest request, bool takesHighest, CommandContext context)
    {
        long count = 1;
        bool hasCount = request.Count == 3;
        if (request.Count > 3)
        {
            context.Reply.Error(ErrorTexts.Syntax);
            return;
        }

        if (hasCount && (!RespInteger.TryParse(request[2], out count) || count < 0))
        {
            context.Reply.Error(ErrorTexts.NotPositive);
            return;
        }

        if (CollectionWork.TryGiveWay(request[1], count, context))
            return;
        var sink = new ScoredReplySink(context, hasScores: true, hasCount && context.Reply.ProtocolVersion == 3);
        var status = context.Store.SortedSet(request[1]).Pop(count, takesHighest, ref sink);
        if (status == WriteStatus.NotFound)
            context.Reply.ArrayHeader(0);
        else if (status != WriteStatus.Done)
            context.Reply.Refusal(status);
    }
}
