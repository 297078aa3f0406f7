using Cache.Core;
using Cache.Server.Commands.Dispatch;
using Cache.Server.Commands.Replies;
using Cache.Server.Protocol;

namespace Cache.Server.Commands.Lists;

/// <summary>The commands that take elements from the ends of lists, or move them between two.</summary>
internal static class ListTakeCommands
{
    public static IReadOnlyList<CommandBinding> Bindings { get; } =
    [
        new("lpop", LPop),
        new("rpop", RPop),
        new("lmove", LMove),
        new("rpoplpush", RPopLPush),
    ];

    // LPOP key [count]
    private static void LPop(in RespRequest request, CommandContext context) =>
        Pop(request, "lpop"u8, ListEnd.Left, context);

    // RPOP key [count]
    private static void RPop(in RespRequest request, CommandContext context) =>
        Pop(request, "rpop"u8, ListEnd.Right, context);

    private static void Pop(in RespRequest request, ReadOnlySpan<byte> name, ListEnd end, CommandContext context)
    {
        if (request.Count > 3)
            context.Reply.WrongArgumentCount(name);
        else if (request.Count == 2)
            PopOne(request[1], end, context);
        else if (!RespInteger.TryParse(request[2], out long count) || count < 0)
            context.Reply.Error("ERR value is out of range, must be positive"u8);
        else if (count == 0)
            PopNone(request[1], context);
        else
            PopSome(request[1], end, count, context);
    }

    private static void PopOne(ReadOnlySpan<byte> key, ListEnd end, CommandContext context)
    {
        var sink = new BulkReplySink(context.Reply);
        var status = context.Store.List(key).Pop(end, ref sink);
        if (status == WriteStatus.NotFound)
            context.Reply.Null();
        else if (status != WriteStatus.Done)
            context.Reply.Refusal(status);
    }

    private static void PopNone(ReadOnlySpan<byte> key, CommandContext context)
    {
        var status = context.Store.List(key).GetCount(out _);
        if (status == ReadStatus.WrongType)
            context.Reply.Error(ErrorTexts.WrongType);
        else if (status == ReadStatus.NotFound)
            context.Reply.NullArray();
        else
            context.Reply.ArrayHeader(0);
    }

    private static void PopSome(ReadOnlySpan<byte> key, ListEnd end, long count, CommandContext context)
    {
        if (CollectionWork.TryGiveWay(key, count, context))
            return;
        var sink = new ElementReplySink(context);
        var status = context.Store.List(key).PopMany(end, count, ref sink);
        if (status == WriteStatus.NotFound)
            context.Reply.NullArray();
        else if (status != WriteStatus.Done)
            context.Reply.Refusal(status);
    }

    // LMOVE source destination LEFT | RIGHT LEFT | RIGHT
    private static void LMove(in RespRequest request, CommandContext context)
    {
        if (ListEndName.TryParse(request[3], context.Reply, out var from)
            && ListEndName.TryParse(request[4], context.Reply, out var to))
        {
            Move(request, from, to, context);
        }
    }

    // RPOPLPUSH source destination
    private static void RPopLPush(in RespRequest request, CommandContext context) =>
        Move(request, ListEnd.Right, ListEnd.Left, context);

    private static void Move(in RespRequest request, ListEnd from, ListEnd to, CommandContext context)
    {
        var sink = new BulkReplySink(context.Reply);
        var status = context.Store.List(request[1]).Move(from, request[2], to, ref sink);
        if (status == WriteStatus.NotFound)
            context.Reply.Null();
        else if (status != WriteStatus.Done)
            context.Reply.Refusal(status);
    }
}
