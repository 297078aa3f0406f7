using System.Buffers;
using Cache.Core;
using Cache.Server.Commands.Arguments;
using Cache.Server.Commands.Dispatch;
using Cache.Server.Commands.Replies;
using Cache.Server.Protocol;

namespace Cache.Server.Commands.Streams;

/// <summary>XCLAIM and XAUTOCLAIM: a consumer takes over what others have not acknowledged.</summary>
internal static class ClaimCommands
{
    private const int FirstId = 5;
    private const int FirstOption = 6;
    private const long CountOfAutoClaim = 100;

    // Redis's bound: as many ids as its memory can have.
    private const long CountMax = long.MaxValue / 16;

    // The time to claim an entry, in nanoseconds.
    private const long EntryWork = 1_000;

    public static IReadOnlyList<CommandBinding> Bindings { get; } =
    [
        new("xclaim", XClaim),
        new("xautoclaim", XAutoClaim),
    ];

    // XCLAIM key group consumer min-idle-time id [id ...] [IDLE ms] [TIME unix-time-milliseconds] [RETRYCOUNT count]
    // [FORCE] [JUSTID] [LASTID id]
    private static void XClaim(in RespRequest request, CommandContext context)
    {
        if (!TryFindGroup(request, context)
            || !TryParseMinIdle(request[4], context.Reply, "XCLAIM"u8, out long minIdle))
        {
            return;
        }

        var ids = ArrayPool<StreamId>.Shared.Rent(request.Count - FirstId);
        try
        {
            int count = 0;
            while (FirstId + count < request.Count
                && StreamIdArgument.TryParseStrict(request[FirstId + count], out ids[count]))
            {
                count++;
            }

            var options = new StreamClaim { MinIdleMs = minIdle };
            if (TryParseOptions(request, FirstId + count, context, ref options)
                && !context.TryGiveWay(count * EntryWork))
            {
                Claim(request, ids.AsSpan(0, count), options, context);
            }
        }
        finally
        {
            ArrayPool<StreamId>.Shared.Return(ids);
        }
    }

    private static void Claim(
        in RespRequest request, ReadOnlySpan<StreamId> ids, in StreamClaim options, CommandContext context)
    {
        var sink = new ClaimReplySink(context, options.IdsOnly);
        var status = context.Store.Stream(request[1]).Claim(
            request[2], request[3], options, ids, ref sink, out var outcome);
        GroupReplies.TellConsumer(outcome, request[1], context);
        if (status != WriteStatus.Done)
            context.Reply.GroupRefusal(status, request[1], request[2]);
    }

    // XAUTOCLAIM key group consumer min-idle-time start [COUNT count] [JUSTID]
    private static void XAutoClaim(in RespRequest request, CommandContext context)
    {
        var reply = context.Reply;
        if (!TryParseMinIdle(request[4], reply, "XAUTOCLAIM"u8, out long minIdle)
            || !StreamReadCommands.TryParseFrom(request[FirstId], reply, out var from)
            || !TryParseAutoOptions(request, reply, out long count, out bool idsOnly)
            || !TryFindGroup(request, context)
            || CollectionWork.TryGiveWay(request[1], count, context))
        {
            return;
        }

        var claimed = new StreamClaimed();
        var options = new StreamClaim { MinIdleMs = minIdle, IdsOnly = idsOnly };
        var sink = new ClaimReplySink(context, idsOnly, claimed);
        var status = context.Store.Stream(request[1]).AutoClaim(
            request[2], request[3], options, from, count, claimed, ref sink, out var outcome);
        GroupReplies.TellConsumer(outcome, request[1], context);
        if (status != WriteStatus.Done)
        {
            reply.GroupRefusal(status, request[1], request[2]);
            return;
        }

        reply.ArrayHeader(claimed.Removed.Count);
        foreach (var id in claimed.Removed)
            reply.Id(id);
    }

    private static bool TryFindGroup(in RespRequest request, CommandContext context)
    {
        var found = context.Store.Stream(request[1]).FindGroup(request[2], out var group, out _, out _);
        if (found == ReadStatus.WrongType)
            context.Reply.Error(ErrorTexts.WrongType);
        else if (found == ReadStatus.NotFound || group == StreamGroupStatus.NoGroup)
            context.Reply.NoKeyOrGroup(request[1], request[2]);
        else
            return true;
        return false;
    }

    private static bool TryParseMinIdle(
        ReadOnlySpan<byte> text, RespReplyWriter reply, ReadOnlySpan<byte> command, out long minIdle)
    {
        bool isNumber = RespInteger.TryParse(text, out minIdle);
        if (!isNumber)
            reply.Error([.. "ERR Invalid min-idle-time argument for "u8, .. command]);
        minIdle = Math.Max(0, minIdle);
        return isNumber;
    }

    private static bool TryParseOptions(
        in RespRequest request, int first, CommandContext context, ref StreamClaim options)
    {
        var reply = context.Reply;
        for (int i = first; i < request.Count; i++)
        {
            var option = request[i];
            bool hasMore = i + 1 < request.Count;
            if (option.Is("FORCE"u8))
            {
                options = options with { IsForced = true };
            }
            else if (option.Is("JUSTID"u8))
            {
                options = options with { IdsOnly = true };
            }
            else if (hasMore && option.Is("LASTID"u8))
            {
                if (!StreamIdArgument.TryParseStrict(request[++i], reply, out var id))
                    return false;
                options = options with { LastId = id };
            }
            else if (hasMore && (option.Is("IDLE"u8) || option.Is("TIME"u8) || option.Is("RETRYCOUNT"u8)))
            {
                if (!TryParseNumber(request, ref i, context, ref options))
                    return false;
            }
            else
            {
                reply.Error([.. "ERR Unrecognized XCLAIM option '"u8, .. option.UpToNul(), .. "'"u8]);
                return false;
            }
        }

        return true;
    }

    private static bool TryParseNumber(
        in RespRequest request, ref int i, CommandContext context, ref StreamClaim options)
    {
        var option = request[i++];
        bool isIdle = option.Is("IDLE"u8), isTime = option.Is("TIME"u8);
        if (!RespInteger.TryParse(request[i], out long number))
        {
            context.Reply.Error(
                isIdle ? "ERR Invalid IDLE option argument for XCLAIM"u8
                : isTime ? "ERR Invalid TIME option argument for XCLAIM"u8
                : "ERR Invalid RETRYCOUNT option argument for XCLAIM"u8);
            return false;
        }

        if (isIdle)
            options = options with { DeliveredUnixMs = unchecked(context.Store.NowUnixMs - number) };
        else if (isTime)
            options = options with { DeliveredUnixMs = number };
        else
            options = options with { Deliveries = number < 0 ? null : number };
        return true;
    }

    private static bool TryParseAutoOptions(
        in RespRequest request, RespReplyWriter reply, out long count, out bool idsOnly)
    {
        (count, idsOnly) = (CountOfAutoClaim, false);
        for (int i = FirstOption; i < request.Count; i++)
        {
            if (request[i].Is("COUNT"u8) && i + 1 < request.Count)
            {
                if (!RespInteger.TryParse(request[++i], out count) || count is < 1 or > CountMax)
                {
                    reply.Error("ERR COUNT must be > 0"u8);
                    return false;
                }
            }
            else if (request[i].Is("JUSTID"u8))
            {
                idsOnly = true;
            }
            else
            {
                reply.Error(ErrorTexts.Syntax);
                return false;
            }
        }

        return true;
    }

    // claimed: What comes before the entries; null: nothing.
    private readonly struct ClaimReplySink(CommandContext context, bool idsOnly, StreamClaimed? claimed = null)
        : IStreamSink
    {
        public bool IsFull => context.IsReplyOverLimit;

        public void Begin(long count)
        {
            if (claimed is not null)
            {
                context.Reply.ArrayHeader(3);
                context.Reply.Id(claimed.Next);
            }

            context.Reply.ArrayHeader(count);
        }

        public void Take(StreamId id, scoped StreamFields fields)
        {
            if (idsOnly)
                context.Reply.Id(id);
            else
                EntryReplySink.Write(context.Reply, id, fields);
        }
    }
}
