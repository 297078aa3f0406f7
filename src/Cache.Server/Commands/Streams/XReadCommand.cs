using System.Buffers;
using Cache.Core;
using Cache.Server.Commands.Dispatch;
using Cache.Server.Commands.Replies;
using Cache.Server.Protocol;

namespace Cache.Server.Commands.Streams;

/// <summary>XREAD: what streams have behind ids.</summary>
internal static class XReadCommand
{
    public static IReadOnlyList<CommandBinding> Bindings { get; } = [new("xread", XRead)];

    // XREAD [COUNT count] [BLOCK milliseconds] STREAMS key [key ...] id [id ...]
    private static void XRead(in RespRequest request, CommandContext context)
    {
        var arguments = default(ReadArguments);
        if (!arguments.TryParse(request, isGroup: false, context.Reply))
            return;
        var ids = ArrayPool<StreamId>.Shared.Rent(arguments.Streams);
        try
        {
            if (TryParseIds(request, arguments, ids, context))
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
        int served = 0;
        for (int i = 0; i < arguments.Streams; i++)
        {
            var read = context.Store.Stream(request[arguments.FirstKey + i]).GetInfo(out var info);
            bool isServed = read == ReadStatus.Found && info.LastEntryId > ids[i];
            served += isServed ? 1 : 0;
            if (!isServed)
                ids[i] = StreamId.Max; // It has no more.
        }

        if (served == 0)
        {
            context.Reply.NullArray();
            return;
        }

        long count = arguments.Count == 0 ? long.MaxValue : arguments.Count;
        ReadReply.Begin(context.Reply, served);
        for (int i = 0; i < arguments.Streams; i++)
        {
            if (ids[i] == StreamId.Max)
                continue;
            var key = request[arguments.FirstKey + i];
            ReadReply.BeginStream(context.Reply, key);
            var sink = new EntryReplySink(context);
            var status = context.Store.Stream(key).GetRange(
                ids[i].Next, StreamId.Max, count, isReversed: false, ref sink);
            if (status != ReadStatus.Found)
                context.Reply.ArrayHeader(0); // It was removed since.
        }
    }
}
