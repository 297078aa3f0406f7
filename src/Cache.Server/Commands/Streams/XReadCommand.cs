using System.Buffers;
using Cache.Core;
using Cache.Server.Commands.Arguments;
using Cache.Server.Commands.Dispatch;
using Cache.Server.Commands.Replies;
using Cache.Server.Protocol;

namespace Cache.Server.Commands.Streams;

/// <summary>XREAD: what streams have behind ids, or will have.</summary>
internal static class XReadCommand
{
    // The time to tell an entry, in nanoseconds.
    private const long EntryWork = 200;

    public static IReadOnlyList<CommandBinding> Bindings { get; } = [new("xread", XRead)];

    // XREAD [COUNT count] [BLOCK milliseconds] STREAMS key [key ...] id [id ...]
    private static void XRead(in RespRequest request, CommandContext context)
    {
        if (BlockedCalls.TryEnd(context))
            return;
        var arguments = default(ReadArguments);
        if (!arguments.TryParse(request, isGroup: false, context.Reply))
            return;
        var ids = ArrayPool<StreamId>.Shared.Rent(2 * arguments.Streams);
        try
        {
            if (BlockedCalls.Earlier(context) is StreamWaiter earlier)
                earlier.Ids.CopyTo(ids); // "$" is what it was.
            else if (!TryParseIds(request, arguments, ids, context))
                return;
            Read(request, arguments, ids, context);
        }
        finally
        {
            ArrayPool<StreamId>.Shared.Return(ids);
        }
    }

    private static bool TryParseIds(
        in RespRequest request, in ReadArguments arguments, StreamId[] ids, CommandContext context)
    {
        for (int i = 0; i < arguments.Streams; i++)
        {
            var text = request[arguments.FirstKey + arguments.Streams + i];
            var key = request[arguments.FirstKey + i];
            bool isLast = text is [(byte)'$'];
            var info = default(StreamInfo);
            context.Store.TryPeekInfo(key, out var entry);
            bool isOther = entry.Kind is not (EntryKind.None or EntryKind.Stream);
            if (isLast && !isOther)
                isOther = context.Store.Stream(key).GetInfo(out info) == ReadStatus.WrongType;
            ids[i] = info.LastId;
            if (isOther)
                context.Reply.Error(ErrorTexts.WrongType);
            else if (text is [(byte)'>'])
                context.Reply.Error(
                    "ERR The > ID can be specified only when calling XREADGROUP using the "u8
                    + "GROUP <group> <consumer> option."u8);
            else if (isLast || StreamIdArgument.TryParseStrict(text, context.Reply, out ids[i]))
                continue;
            return false;
        }

        return true;
    }

    private static void Read(
        in RespRequest request, in ReadArguments arguments, StreamId[] ids, CommandContext context)
    {
        int streams = arguments.Streams, served = 0;
        long work = 0;
        var keys = new RequestSlice(request, arguments.FirstKey, streams);
        for (int i = 0; i < streams; i++)
        {
            var read = context.Store.Stream(keys.GetKey(i)).GetInfo(out var info);
            bool isServed = read == ReadStatus.Found && info.LastEntryId > ids[i];
            served += isServed ? 1 : 0;
            work += isServed ? Math.Min(arguments.CountMax, info.Length) * EntryWork : 0;
            ids[streams + i] = isServed ? ids[i] : StreamId.Max; // Behind which nothing can be.
        }

        if (context.TryGiveWay(work))
            return;
        if (served != 0)
        {
            Reply(keys, ids.AsSpan(streams, streams), served, arguments.CountMax, context);
        }
        else if (arguments.TimeoutMs >= 0 && BlockedCalls.MayBlock(context))
        {
            var waiter = BlockedCalls.Earlier(context) ?? new StreamWaiter(
                context.Client, WaitedStreams.Of(keys, ids.AsSpan(0, streams)), ids[..streams], arguments.CountMax);
            BlockedCalls.Block(waiter, arguments.Timeout, request, context);
            return;
        }
        else
        {
            context.Reply.NullArray();
        }

        context.EndProgress();
    }

    private static void Reply(
        RequestSlice keys, ReadOnlySpan<StreamId> ids, int served, long count, CommandContext context)
    {
        ReadReply.Begin(context.Reply, served);
        for (int i = 0; i < ids.Length; i++)
        {
            if (ids[i] == StreamId.Max)
                continue;
            var key = keys.GetKey(i);
            ReadReply.BeginStream(context.Reply, key);
            var sink = new EntryReplySink(context);
            var status = context.Store.Stream(key).GetRange(
                ids[i].Next, StreamId.Max, count, isReversed: false, ref sink);
            if (status != ReadStatus.Found)
                context.Reply.ArrayHeader(0); // It was removed since.
        }
    }
}
