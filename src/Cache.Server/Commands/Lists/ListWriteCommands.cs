using Cache.Core;
using Cache.Server.Commands.Arguments;
using Cache.Server.Commands.Dispatch;
using Cache.Server.Commands.Replies;
using Cache.Server.Protocol;

namespace Cache.Server.Commands.Lists;

/// <summary>The commands that add, replace and remove elements of lists.</summary>
internal static class ListWriteCommands
{
    // The time to add an element to a large list, in nanoseconds.
    private const long ElementWork = 200;

    public static IReadOnlyList<CommandBinding> Bindings { get; } =
    [
        new("lpush", LPush),
        new("rpush", RPush),
        new("lpushx", LPushX),
        new("rpushx", RPushX),
        new("lset", LSet),
        new("linsert", LInsert),
        new("lrem", LRem),
        new("ltrim", LTrim),
    ];

    // LPUSH key element [element ...]
    private static void LPush(in RespRequest request, CommandContext context) =>
        Push(request, ListEnd.Left, SetCondition.Always, context);

    // RPUSH key element [element ...]
    private static void RPush(in RespRequest request, CommandContext context) =>
        Push(request, ListEnd.Right, SetCondition.Always, context);

    // LPUSHX key element [element ...]
    private static void LPushX(in RespRequest request, CommandContext context) =>
        Push(request, ListEnd.Left, SetCondition.IfPresent, context);

    // RPUSHX key element [element ...]
    private static void RPushX(in RespRequest request, CommandContext context) =>
        Push(request, ListEnd.Right, SetCondition.IfPresent, context);

    private static void Push(in RespRequest request, ListEnd end, SetCondition condition, CommandContext context)
    {
        var elements = new RequestNames(request);
        if (context.TryGiveWay(elements.Count * ElementWork))
            return;
        var status = context.Store.List(request[1]).PushMany(end, ref elements, condition, out long count);
        if (status is WriteStatus.Done or WriteStatus.ConditionNotMet)
            context.Reply.Integer(count);
        else
            context.Reply.Refusal(status);
    }

    // LSET key index element
    private static void LSet(in RespRequest request, CommandContext context)
    {
        bool isIndex = RespInteger.TryParse(request[2], out long index);
        var status = isIndex ? context.Store.List(request[1]).Set(index, request[3]) : KindOf(request[1], context);
        if (status == WriteStatus.NotFound)
            context.Reply.Error(ErrorTexts.NoSuchKey);
        else if (status == WriteStatus.ConditionNotMet)
            context.Reply.Error("ERR index out of range"u8);
        else if (status == WriteStatus.Done)
            context.Reply.Ok();
        else
            context.Reply.Refusal(status);
    }

    // Redis looks for the key before it reads the index.
    private static WriteStatus KindOf(ReadOnlySpan<byte> key, CommandContext context)
    {
        context.Store.TryPeekInfo(key, out var info);
        return info.Kind switch
        {
            EntryKind.None => WriteStatus.NotFound,
            EntryKind.List => WriteStatus.NotAnInteger,
            _ => WriteStatus.WrongType,
        };
    }

    // LINSERT key BEFORE | AFTER pivot element
    private static void LInsert(in RespRequest request, CommandContext context)
    {
        bool isBefore = request[2].Is("BEFORE"u8);
        if (!isBefore && !request[2].Is("AFTER"u8))
        {
            context.Reply.Error(ErrorTexts.Syntax);
            return;
        }

        if (CollectionWork.TryGiveWay(request[1], context))
            return;
        var list = context.Store.List(request[1]);
        var status = isBefore
            ? list.InsertBefore(request[3], request[4], out long count)
            : list.InsertAfter(request[3], request[4], out count);
        if (status is WriteStatus.Done or WriteStatus.NotFound)
            context.Reply.Integer(count);
        else if (status == WriteStatus.ConditionNotMet)
            context.Reply.Integer(-1);
        else
            context.Reply.Refusal(status);
    }

    // LREM key count element
    private static void LRem(in RespRequest request, CommandContext context)
    {
        if (!RespInteger.TryParse(request[2], out long count))
        {
            context.Reply.Error(ErrorTexts.NotAnInteger);
            return;
        }

        if (CollectionWork.TryGiveWay(request[1], context))
            return;
        var status = context.Store.List(request[1]).Remove(request[3], count, out long removed);
        if (status is WriteStatus.Done or WriteStatus.NotFound)
            context.Reply.Integer(removed);
        else
            context.Reply.Refusal(status);
    }

    // LTRIM key start stop
    private static void LTrim(in RespRequest request, CommandContext context)
    {
        if (!RespInteger.TryParse(request[2], out long first) || !RespInteger.TryParse(request[3], out long last))
        {
            context.Reply.Error(ErrorTexts.NotAnInteger);
            return;
        }

        if (CollectionWork.TryGiveWay(request[1], context))
            return;
        var status = context.Store.List(request[1]).Trim(first, last);
        if (status is WriteStatus.Done or WriteStatus.NotFound)
            context.Reply.Ok();
        else
            context.Reply.Refusal(status);
    }
}
