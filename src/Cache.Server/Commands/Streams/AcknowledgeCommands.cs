using System.Buffers;
using Cache.Core;
using Cache.Server.Commands.Arguments;
using Cache.Server.Commands.Dispatch;
using Cache.Server.Commands.Replies;
using Cache.Server.Protocol;

namespace Cache.Server.Commands.Streams;

/// <summary>XACK and XPENDING: what consumers have not acknowledged.</summary>
internal static class AcknowledgeCommands
{
    // The time to acknowledge an entry, in nanoseconds.
    private const long EntryWork = 400;

    public static IReadOnlyList<CommandBinding> Bindings { get; } =
    [
        new("xack", XAck),
        new("xpending", XPending),
    ];

    // XACK key group id [id ...]
    private static void XAck(in RespRequest request, CommandContext context)
    {
        var reply = context.Reply;
        var stream = context.Store.Stream(request[1]);
        var found = stream.FindGroup(request[2], out var group, out _, out _);
        if (found != ReadStatus.Found || group == StreamGroupStatus.NoGroup)
        {
            if (found == ReadStatus.WrongType)
                reply.Error(ErrorTexts.WrongType);
            else
                reply.Integer(0);
            return;
        }

        int count = request.Count - 3;
        var ids = ArrayPool<StreamId>.Shared.Rent(count);
        try
        {
            for (int i = 0; i < count; i++)
            {
                if (!StreamIdArgument.TryParseStrict(request[i + 3], reply, out ids[i]))
                    return;
            }

            if (context.TryGiveWay(count * EntryWork))
                return;
            var status = stream.Acknowledge(request[2], ids.AsSpan(0, count), out long acknowledged);
            if (status is WriteStatus.Done or WriteStatus.NotFound)
                reply.Integer(acknowledged);
            else
                reply.Refusal(status);
        }
        finally
        {
            ArrayPool<StreamId>.Shared.Return(ids);
        }
    }

    // XPENDING key group [[IDLE min-idle-time] start end count [consumer]]
    private static void XPending(in RespRequest request, CommandContext context)
    {
        var reply = context.Reply;
        var range = default(PendingRange);
        if (request.Count != 3 && !range.TryParse(request, reply))
            return;
        if (CollectionWork.TryGiveWay(request[1], range.Work, context))
            return;
        using var snapshot = context.Store.Stream(request[1]).TakeSnapshot(out var status);
        if (status == ReadStatus.WrongType)
            reply.Error(ErrorTexts.WrongType);
        else if (status != ReadStatus.Found || !snapshot.TryGetGroup(request[2], out var group))
            reply.NoKeyOrGroup(request[1], request[2]);
        else if (request.Count == 3)
            ReplySummary(snapshot, request[2], group, reply);
        else
            ReplyRange(snapshot, request, range, context);
    }

    private static void ReplySummary(
        scoped in StreamSnapshot snapshot, ReadOnlySpan<byte> name, in StreamGroupInfo group, RespReplyWriter reply)
    {
        reply.ArrayHeader(4);
        reply.Integer(group.Pending);
        if (group.Pending == 0)
        {
            reply.Null();
            reply.Null();
            reply.NullArray();
            return;
        }

        reply.Id(group.FirstPendingId);
        reply.Id(group.LastPendingId);
        long count = 0;
        for (var consumers = snapshot.GetConsumers(name); consumers.MoveNext();)
            count += consumers.Current.Pending != 0 ? 1 : 0;
        reply.ArrayHeader(count);
        Span<byte> number = stackalloc byte[20];
        for (var consumers = snapshot.GetConsumers(name); consumers.MoveNext();)
        {
            long pending = consumers.Current.Pending;
            if (pending == 0)
                continue;
            reply.ArrayHeader(2);
            reply.Bulk(consumers.Name);
            pending.TryFormat(number, out int length);
            reply.Bulk(number[..length]);
        }
    }

    private static void ReplyRange(
        scoped in StreamSnapshot snapshot, in RespRequest request, in PendingRange range, CommandContext context)
    {
        var reply = context.Reply;
        long now = context.Store.NowUnixMs;
        reply.ArrayHeader(CountOf(snapshot, request, range, now));
        long left = range.Count;
        for (var pending = Pending(snapshot, request, range); left > 0 && pending.MoveNext();)
        {
            var one = pending.Current;
            if (one.Id > range.To || context.IsReplyOverLimit)
                break;
            if (range.MinIdleMs != 0 && now - one.DeliveredUnixMs < range.MinIdleMs)
                continue;
            reply.ArrayHeader(4);
            reply.Id(one.Id);
            reply.Bulk(pending.Consumer);
            reply.Integer(Math.Max(0, now - one.DeliveredUnixMs));
            reply.Integer(one.Deliveries);
            left--;
        }
    }

    private static long CountOf(
        scoped in StreamSnapshot snapshot, in RespRequest request, in PendingRange range, long now)
    {
        long count = 0;
        for (var pending = Pending(snapshot, request, range); count < range.Count && pending.MoveNext();)
        {
            var one = pending.Current;
            if (one.Id > range.To)
                break;
            count += range.MinIdleMs != 0 && now - one.DeliveredUnixMs < range.MinIdleMs ? 0 : 1;
        }

        return count;
    }

    private static StreamPendings Pending(
        scoped in StreamSnapshot snapshot, in RespRequest request, in PendingRange range) =>
        range.Consumer == 0
            ? snapshot.GetPending(request[2], range.From)
            : snapshot.GetPending(request[2], request[range.Consumer], range.From);
}
