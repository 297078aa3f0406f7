using Cache.Core;
using Cache.Server.Commands.Arguments;
using Cache.Server.Commands.Dispatch;
using Cache.Server.Commands.Replies;
using Cache.Server.Protocol;

namespace Cache.Server.Commands.Sets;

/// <summary>Unions, intersections and differences of sets.</summary>
internal static class SetCombinationCommands
{
    public static IReadOnlyList<CommandBinding> Bindings { get; } =
    [
        new("sinter", SInter),
        new("sintercard", SInterCard),
        new("sinterstore", SInterStore),
        new("sunion", SUnion),
        new("sunionstore", SUnionStore),
        new("sdiff", SDiff),
        new("sdiffstore", SDiffStore),
    ];

    // SINTER key [key ...]
    private static void SInter(in RespRequest request, CommandContext context) =>
        Reply(SetCombination.Intersection, request, context);

    // SUNION key [key ...]
    private static void SUnion(in RespRequest request, CommandContext context) =>
        Reply(SetCombination.Union, request, context);

    // SDIFF key [key ...]
    private static void SDiff(in RespRequest request, CommandContext context) =>
        Reply(SetCombination.Difference, request, context);

    // SINTERSTORE destination key [key ...]
    private static void SInterStore(in RespRequest request, CommandContext context) =>
        Store(SetCombination.Intersection, request, context);

    // SUNIONSTORE destination key [key ...]
    private static void SUnionStore(in RespRequest request, CommandContext context) =>
        Store(SetCombination.Union, request, context);

    // SDIFFSTORE destination key [key ...]
    private static void SDiffStore(in RespRequest request, CommandContext context) =>
        Store(SetCombination.Difference, request, context);

    // SINTERCARD numkeys key [key ...] [LIMIT limit]
    private static void SInterCard(in RespRequest request, CommandContext context)
    {
        if (!NumberedKeys.TryParse(request, 1, "numkeys"u8, context.Reply, out var keys)
            || !TryParseLimit(request, 2 + keys.Count, context.Reply, out long limit)
            || KeysWork.TryGiveWay(keys, context))
        {
            return;
        }

        var sink = default(CountSink);
        var status = context.Store.CombineSets(SetCombination.Intersection, ref keys, ref sink);
        if (status == WriteStatus.Done)
            context.Reply.Integer(limit == 0 ? sink.Count : Math.Min(limit, sink.Count));
        else
            context.Reply.Refusal(status);
    }

    private static bool TryParseLimit(in RespRequest request, int first, RespReplyWriter reply, out long limit)
    {
        limit = 0;
        for (int i = first; i < request.Count; i += 2)
        {
            if (i + 1 == request.Count || !request[i].Is("LIMIT"u8))
            {
                reply.Error(ErrorTexts.Syntax);
                return false;
            }

            if (!RespInteger.TryParse(request[i + 1], out limit) || limit < 0)
            {
                reply.Error("ERR LIMIT can't be negative"u8);
                return false;
            }
        }

        return true;
    }

    private static void Reply(SetCombination combination, in RespRequest request, CommandContext context)
    {
        var keys = new RequestSlice(request, first: 1, request.Count - 1);
        if (KeysWork.TryGiveWay(keys, context))
            return;
        var sink = new MemberReplySink(context);
        var status = context.Store.CombineSets(combination, ref keys, ref sink);
        if (status != WriteStatus.Done)
            context.Reply.Refusal(status);
    }

    private static void Store(SetCombination combination, in RespRequest request, CommandContext context)
    {
        var keys = new RequestSlice(request, first: 2, request.Count - 2);
        if (KeysWork.TryGiveWay(keys, context))
            return;
        var status = context.Store.StoreSets(combination, ref keys, request[1], out long count);
        if (status == WriteStatus.Done)
            context.Reply.Integer(count);
        else
            context.Reply.Refusal(status);
    }
}
