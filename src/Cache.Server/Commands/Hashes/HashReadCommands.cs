using Cache.Core;
using Cache.Server.Clients;
using Cache.Server.Commands.Arguments;
using Cache.Server.Commands.Dispatch;
using Cache.Server.Commands.Replies;
using Cache.Server.Protocol;

namespace Cache.Server.Commands.Hashes;

/// <summary>The commands that read hashes.</summary>
internal static class HashReadCommands
{
    // Their values are at most some tens of kilobytes, and are written at once.
    private const int DirectFieldsMax = 16;

    // Shorter ones are written at once.
    private const long LongReplyMin = 16 << 10;

    // The time to find a field, in nanoseconds.
    private const long FieldWork = 100;

    public static IReadOnlyList<CommandBinding> Bindings { get; } =
    [
        new("hget", HGet),
        new("hmget", HMGet),
        new("hgetall", HGetAll),
        new("hkeys", HKeys),
        new("hvals", HVals),
        new("hlen", HLen),
        new("hstrlen", HStrLen),
        new("hexists", HExists),
        new("hscan", HScan),
    ];

    // HGET key field
    private static void HGet(in RespRequest request, CommandContext context)
    {
        var sink = new BulkReplySink(context.Reply);
        var status = context.Store.Hash(request[1]).Get(request[2], ref sink);
        if (status == ReadStatus.WrongType)
            context.Reply.Error(ErrorTexts.WrongType);
        else if (status == ReadStatus.NotFound)
            context.Reply.Null();
    }

    // HMGET key field [field ...]
    private static void HMGet(in RespRequest request, CommandContext context)
    {
        var fields = new RequestNames(request);
        if (fields.Count > DirectFieldsMax)
        {
            HMGetMany(request[1], fields, context);
            return;
        }

        var sink = new FieldValuesSink(context.Reply, fields.Count);
        if (context.Store.Hash(request[1]).GetMany(ref fields, ref sink) == ReadStatus.WrongType)
            context.Reply.Error(ErrorTexts.WrongType);
    }

    // A field may be asked for again and again: the list tells when that is too long for a reply.
    private static void HMGetMany(ReadOnlySpan<byte> key, RequestNames fields, CommandContext context)
    {
        if (context.TryGiveWay(fields.Count * FieldWork))
            return;
        using var values = context.BorrowReplyList();
        var sink = new ByteStringSink(values);
        if (context.Store.Hash(key).GetMany(ref fields, ref sink) == ReadStatus.WrongType)
            context.Reply.Error(ErrorTexts.WrongType);
        else
            values.WriteTo(context.Reply);
    }

    // HGETALL key
    private static void HGetAll(in RespRequest request, CommandContext context) =>
        ReplyAll(request[1], FieldParts.Both, context);

    // HKEYS key
    private static void HKeys(in RespRequest request, CommandContext context) =>
        ReplyAll(request[1], FieldParts.Names, context);

    // HVALS key
    private static void HVals(in RespRequest request, CommandContext context) =>
        ReplyAll(request[1], FieldParts.Values, context);

    // HLEN key
    private static void HLen(in RespRequest request, CommandContext context)
    {
        if (context.Store.Hash(request[1]).GetCount(out long count) == ReadStatus.WrongType)
            context.Reply.Error(ErrorTexts.WrongType);
        else
            context.Reply.Integer(count);
    }

    // HSTRLEN key field
    private static void HStrLen(in RespRequest request, CommandContext context)
    {
        if (context.Store.Hash(request[1]).GetLength(request[2], out int length) == ReadStatus.WrongType)
            context.Reply.Error(ErrorTexts.WrongType);
        else
            context.Reply.Integer(length);
    }

    // HEXISTS key field
    private static void HExists(in RespRequest request, CommandContext context)
    {
        var status = context.Store.Hash(request[1]).GetLength(request[2], out _);
        if (status == ReadStatus.WrongType)
            context.Reply.Error(ErrorTexts.WrongType);
        else
            context.Reply.ZeroOrOne(status == ReadStatus.Found);
    }

    // HSCAN key cursor [MATCH pattern] [COUNT count]
    private static void HScan(in RespRequest request, CommandContext context)
    {
        if (!ScanArguments.TryParse(request, EntryKind.Hash, context, out var scan))
            return;
        using var fields = context.BorrowReplyList();
        var sink = new MatchingFieldSink(scan.Pattern, fields);
        var status = context.Store.Hash(request[1]).Scan(ref scan.Cursor, scan.Count, ref sink);
        scan.Reply(status, fields, context.Reply);
    }

    private static void ReplyAll(ReadOnlySpan<byte> key, FieldParts parts, CommandContext context)
    {
        if (LongReply.TryContinue(context))
            return;
        // A large one takes about as many nanoseconds as it has bytes.
        if (context.Store.TryPeekInfo(key, out var info) && info.MemoryBytes > LongReplyMin
            && context.TryGiveWay(info.MemoryBytes))
        {
            return;
        }

        if (LongReply.MayBegin(key, context) && context.Store.Hash(key).Read() is { } reading)
        {
            LongReply.Begin(new FieldsReply(reading, parts), context);
            return;
        }

        var sink = new FieldReplySink(context, parts);
        var status = context.Store.Hash(key).GetAll(ref sink);
        if (status == ReadStatus.WrongType)
            context.Reply.Error(ErrorTexts.WrongType);
        else if (status == ReadStatus.NotFound)
            sink.Begin(0);
    }
}
