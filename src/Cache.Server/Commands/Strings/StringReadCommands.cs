using Cache.Core;
using Cache.Server.Clients;
using Cache.Server.Commands.Arguments;
using Cache.Server.Commands.Dispatch;
using Cache.Server.Commands.Replies;
using Cache.Server.Protocol;

namespace Cache.Server.Commands.Strings;

/// <summary>The commands that read strings; GETDEL and GETEX also remove them or change their expiry.</summary>
internal static class StringReadCommands
{
    public static IReadOnlyList<CommandBinding> Bindings { get; } =
    [
        new("get", Get),
        new("getdel", GetDel),
        new("getex", GetEx),
        new("mget", MGet),
        new("strlen", StrLen),
        new("getrange", GetRange),
        new("substr", GetRange),
    ];

    /// <summary>Replies with a value, or its absence.</summary>
    /// <param name="key">The key.</param>
    /// <param name="hash">Its hash in the client's keyspace.</param>
    /// <param name="context">The client.</param>
    public static void Get(ReadOnlySpan<byte> key, KeyHash hash, CommandContext context)
    {
        var reply = context.Reply;
        var sink = new BulkReplySink(reply);
        int lentLengthMin = reply.TakesLent ? LentReply.LengthMin : context.CopiedLengthMax + 1;
        var status = context.Store.Read(key, hash, ref sink, lentLengthMin, out var lent);
        if (status != ReadStatus.Found)
            ReplyNone(status, reply);
        else if (lent is not null)
            GetLong(lent, context);
    }

    private static void ReplyNone(ReadStatus status, RespReplyWriter reply)
    {
        if (status == ReadStatus.WrongType)
            reply.Error(ErrorTexts.WrongType);
        else
            reply.Null();
    }

    private static void GetLong(LentValue lent, CommandContext context)
    {
        if (context.Reply.TakesLent)
            context.Reply.Bulk(new LentReply(lent));
        else
            CopyLong(lent, context);
    }

    private static void CopyLong(LentValue lent, CommandContext context)
    {
        using (lent)
        {
            if (!context.TryGiveWay(lent.Span.Length))
                context.Reply.Bulk(lent.Span);
        }
    }

    /// <summary>GET key</summary>
    private static void Get(in RespRequest request, CommandContext context) =>
        Get(request[1], context.Store.BeginPrefetch(request[1]), context);

    /// <summary>GETDEL key</summary>
    private static void GetDel(in RespRequest request, CommandContext context)
    {
        if (context.TryGiveWayFor(request[1]))
            return;
        var sink = new BulkReplySink(context.Reply);
        if (!context.Store.TryRemove(request[1], ref sink, out var status))
            ReplyNone(status, context.Reply);
    }

    private static void ReplyNone(WriteStatus status, RespReplyWriter reply)
    {
        if (status is WriteStatus.WrongType or WriteStatus.OutOfMemory)
            reply.Refusal(status);
        else
            reply.Null();
    }

    /// <summary>GETEX key [EX seconds | PX milliseconds | EXAT time | PXAT time | PERSIST]</summary>
    private static void GetEx(in RespRequest request, CommandContext context)
    {
        var reply = context.Reply;
        if (!StringOptions.TryParseGet(request, out var options))
        {
            reply.Error(ErrorTexts.Syntax);
            return;
        }

        if (options is { ExpireUnit: ExpireUnit.None, Persists: false })
        {
            Get(request, context);
            return;
        }

        var moment = default(ExpireMoment);
        if (options.ExpireUnit != ExpireUnit.None)
        {
            // Redis looks for the key before it reads the time.
            if (!context.Store.TryPeekInfo(request[1], out var info))
            {
                reply.Null();
                return;
            }

            if (reply.RefusesKind(info.Kind)
                || !TryGetExpiry(
                    request[options.ExpireIndex], options.ExpireUnit, "getex"u8, context, out moment))
            {
                return;
            }
        }

        if (context.TryGiveWayFor(request[1]))
            return;
        var sink = new BulkReplySink(reply);
        bool isFound = moment.UnixMs != 0
            ? context.Store.TryGetAndExpireAtUnixMs(request[1], moment.UnixMs, ref sink, out var status)
            : context.Store.TryGetAndExpire(request[1], moment.StoreMs, ref sink, out status);
        if (!isFound)
            ReplyNone(status, reply);
    }

    /// <summary>MGET key [key ...]</summary>
    private static void MGet(in RespRequest request, CommandContext context)
    {
        if (context.SharesThread && context.TryGiveWay(FindLength(request, context)))
            return;
        // Collected in a list, since values that turn out not to be atomic must be dropped, which output cannot be.
        using var values = context.BorrowReplyList();
        var keys = new RequestKeys(request);
        var sink = new ByteStringSink(values);
        context.Store.GetMany(ref keys, ref sink);
        values.WriteTo(context.Reply);
    }

    // The length of all values. This also brings their memory into the cache.
    private static long FindLength(in RespRequest request, CommandContext context)
    {
        long length = 0;
        for (int i = 1; i < request.Count; i++)
        {
            if (context.Store.TryPeekInfo(request[i], out var info))
                length += info.Length;
        }

        return length;
    }

    /// <summary>STRLEN key</summary>
    public static void StrLen(in RespRequest request, CommandContext context)
    {
        context.Store.TryGetInfo(request[1], out var info);
        if (!context.Reply.RefusesKind(info.Kind))
            context.Reply.Integer(info.Length);
    }

    /// <summary>GETRANGE key start end, and its old name SUBSTR</summary>
    private static void GetRange(in RespRequest request, CommandContext context)
    {
        var reply = context.Reply;
        if (!RespInteger.TryParse(request[2], out long first) || !RespInteger.TryParse(request[3], out long last))
        {
            reply.Error(ErrorTexts.NotAnInteger);
            return;
        }

        bool isShort = first >= 0 && last >= first && last - first < Turn.WorkMax;
        if (!isShort && context.TryGiveWayFor(request[1]))
            return;
        bool isReversed = first < 0 && last < 0 && first > last;
        var range = new PreparedBulkSink(reply);
        bool isFound = context.Store.TryGetRange(request[1], first, last, ref range, out var info);
        if (reply.RefusesKind(info.Kind))
            return;
        if (isReversed || !isFound)
            reply.Bulk([]);
        else if (range.Length == 0 && first <= 0 && last < 0)
            ReplyFirstByte(request[1], context);
        else
            range.Reply();
    }

    // In Redis an end before the first byte is the first byte; the store omits the part outside of the value.
    private static void ReplyFirstByte(ReadOnlySpan<byte> key, CommandContext context)
    {
        var first = new PreparedBulkSink(context.Reply);
        if (context.Store.TryGetRange(key, 0, 0, ref first))
            first.Reply();
        else
            context.Reply.Bulk([]);
    }

    /// <summary>The moment of a string command's time argument, or the error as the reply.</summary>
    internal static bool TryGetExpiry(
        ReadOnlySpan<byte> argument, ExpireUnit unit, ReadOnlySpan<byte> name, CommandContext context,
        out ExpireMoment moment)
    {
        moment = default;
        if (!RespInteger.TryParse(argument, out long time))
        {
            context.Reply.Error(ErrorTexts.NotAnInteger);
            return false;
        }

        if (ExpireTime.TryGetPositive(time, unit, context.Store, out moment))
            return true;
        context.Reply.InvalidExpireTime(name);
        return false;
    }
}
