using Cache.Core;
using Cache.Server.Commands.Dispatch;
using Cache.Server.Commands.Replies;
using Cache.Server.Protocol;

namespace Cache.Server.Commands.SortedSets;

/// <summary>Unions, intersections and differences of sorted sets.</summary>
internal static class SortedSetCombinationCommands
{
    public static IReadOnlyList<CommandBinding> Bindings { get; } =
    [
        new("zunion", ZUnion),
        new("zinter", ZInter),
        new("zdiff", ZDiff),
        new("zintercard", ZInterCard),
        new("zunionstore", ZUnionStore),
        new("zinterstore", ZInterStore),
        new("zdiffstore", ZDiffStore),
    ];

    // ZUNION numkeys key [key ...] [WEIGHTS weight ...] [AGGREGATE SUM | MIN | MAX] [WITHSCORES]
    private static void ZUnion(in RespRequest request, CommandContext context) =>
        Reply(request, new CombinationForm(SetCombination.Union, "zunion"u8), context);

    // ZINTER numkeys key [key ...] [WEIGHTS weight ...] [AGGREGATE SUM | MIN | MAX] [WITHSCORES]
    private static void ZInter(in RespRequest request, CommandContext context) =>
        Reply(request, new CombinationForm(SetCombination.Intersection, "zinter"u8), context);

    // ZDIFF numkeys key [key ...] [WITHSCORES]
    private static void ZDiff(in RespRequest request, CommandContext context) =>
        Reply(request, new CombinationForm(SetCombination.Difference, "zdiff"u8), context);

    // ZINTERCARD numkeys key [key ...] [LIMIT limit]
    private static void ZInterCard(in RespRequest request, CommandContext context)
    {
        var form = new CombinationForm(SetCombination.Intersection, "zintercard"u8, isCount: true);
        if (!CombinationArguments.TryParse(request, first: 1, form, context, out var arguments)
            || KeysWork.TryGiveWay(arguments.Keys, context))
        {
            return;
        }

        var keys = arguments.Keys;
        var sink = default(ScoredCountSink);
        var status = context.Store.CombineSortedSets(form.Combination, ref keys, default, ScoreAggregate.Sum, ref sink);
        if (status == WriteStatus.Done)
            context.Reply.Integer(arguments.Limit == 0 ? sink.Count : Math.Min(arguments.Limit, sink.Count));
        else
            context.Reply.Refusal(status);
    }

    // ZUNIONSTORE destination numkeys key [key ...] [WEIGHTS weight ...] [AGGREGATE SUM | MIN | MAX]
    private static void ZUnionStore(in RespRequest request, CommandContext context) =>
        Store(request, new CombinationForm(SetCombination.Union, "zunionstore"u8, isStore: true), context);

    // ZINTERSTORE destination numkeys key [key ...] [WEIGHTS weight ...] [AGGREGATE SUM | MIN | MAX]
    private static void ZInterStore(in RespRequest request, CommandContext context) =>
        Store(request, new CombinationForm(SetCombination.Intersection, "zinterstore"u8, isStore: true), context);

    // ZDIFFSTORE destination numkeys key [key ...]
    private static void ZDiffStore(in RespRequest request, CommandContext context) =>
        Store(request, new CombinationForm(SetCombination.Difference, "zdiffstore"u8, isStore: true), context);

    private static void Reply(in RespRequest request, CombinationForm form, CommandContext context)
    {
        if (!CombinationArguments.TryParse(request, first: 1, form, context, out var arguments)
            || KeysWork.TryGiveWay(arguments.Keys, context))
        {
            return;
        }

        var keys = arguments.Keys;
        var sink = ScoredReplySink.Of(context, arguments.HasScores);
        var status = context.Store.CombineSortedSets(
            form.Combination, ref keys, arguments.Weights, arguments.Aggregate, ref sink);
        if (status != WriteStatus.Done)
            context.Reply.Refusal(status);
    }

    private static void Store(in RespRequest request, CombinationForm form, CommandContext context)
    {
        if (!CombinationArguments.TryParse(request, first: 2, form, context, out var arguments)
            || KeysWork.TryGiveWay(arguments.Keys, context))
        {
            return;
        }

        var keys = arguments.Keys;
        var status = context.Store.StoreSortedSets(
            form.Combination, ref keys, arguments.Weights, arguments.Aggregate, request[1], out long count);
        if (status == WriteStatus.Done)
            context.Reply.Integer(count);
        else
            context.Reply.Refusal(status);
    }
}
