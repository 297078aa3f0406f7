using Cache.Core;
using Cache.Server.Clients;
using Cache.Server.Commands.Arguments;
using Cache.Server.Commands.Dispatch;
using Cache.Server.Commands.Replies;
using Cache.Server.Protocol;

namespace Cache.Server.Commands.Hashes;

/// <summary>HRANDFIELD: some fields of a hash, at random.</summary>
internal static class HashRandomCommand
{
    // The time to write a field, in nanoseconds.
    private const long FieldWork = 50;

    public static IReadOnlyList<CommandBinding> Bindings { get; } = [new("hrandfield", HRandField)];

    // HRANDFIELD key [count [WITHVALUES]]
    private static void HRandField(in RespRequest request, CommandContext context)
    {
        long count = 1;
        bool hasCount = request.Count > 2;
        if (hasCount && !TryParseCount(request, context.Reply, out count))
            return;
        if (count < 0 && context.TryGiveWay(-count > Turn.WorkMax ? long.MaxValue : -count * FieldWork))
            return;
        using var fields = context.BorrowReplyList();
        var all = new MatchingFieldSink("*"u8, fields);
        var status = context.Store.Hash(request[1]).GetAll(ref all);
        if (status == ReadStatus.WrongType)
            context.Reply.Error(ErrorTexts.WrongType);
        else if (!hasCount)
            ReplyOne(fields, context.Reply);
        else
            ReplySome(fields, count, hasValues: request.Count > 3, context);
    }

    private static bool TryParseCount(in RespRequest request, RespReplyWriter reply, out long count)
    {
        if (!RespInteger.TryParse(request[2], out count))
            reply.Error(ErrorTexts.NotAnInteger);
        else if (count == long.MinValue)
            reply.Error(ErrorTexts.NotANegatable);
        else if (request.Count > 4 || (request.Count == 4 && !request[3].Is("WITHVALUES"u8)))
            reply.Error(ErrorTexts.Syntax);
        else if (request.Count == 4 && count is < -long.MaxValue / 2 or > long.MaxValue / 2)
            reply.Error("ERR value is out of range"u8);
        else
            return true;
        return false;
    }

    private static void ReplyOne(ByteStringList fields, RespReplyWriter reply)
    {
        int left = fields.Count == 0 ? -1 : 2 * Random.Shared.Next(fields.Count / 2);
        foreach (var text in fields)
        {
            if (left-- == 0)
                reply.Bulk(text.Bytes);
        }

        if (fields.Count == 0)
            reply.Null();
    }

    private static void ReplySome(ByteStringList fields, long count, bool hasValues, CommandContext context)
    {
        int present = fields.Count / 2;
        long total = present == 0 ? 0 : count < 0 ? -count : Math.Min(count, present);
        bool isNested = hasValues && context.Reply.ProtocolVersion == 3;
        context.Reply.ArrayHeader(hasValues && !isNested ? total * 2 : total);
        if (total == 0)
            return;
        if (count < 0)
            ReplyAnyOf(fields, total, hasValues, isNested, context);
        else
            ReplyDistinct(fields, (int)total, hasValues, isNested, context.Reply);
    }

    // They keep their order: each is taken with the share of those that are still wanted among those that are left.
    private static void ReplyDistinct(
        ByteStringList fields, int wanted, bool hasValues, bool isNested, RespReplyWriter reply)
    {
        int left = fields.Count / 2;
        for (var texts = fields.GetEnumerator(); texts.MoveNext(); left--)
        {
            var field = texts.Current.Bytes;
            texts.MoveNext();
            if (Random.Shared.Next(left) >= wanted)
                continue;
            wanted--;
            Reply(field, texts.Current.Bytes, hasValues, isNested, reply);
        }
    }

    private static void ReplyAnyOf(
        ByteStringList fields, long total, bool hasValues, bool isNested, CommandContext context)
    {
        var texts = new List<byte[]>(fields.Count); // A client that asks for a field twice; some hundreds at most.
        foreach (var text in fields)
            texts.Add(text.Bytes.ToArray());
        for (; total > 0 && !context.IsReplyOverLimit; total--)
        {
            int index = 2 * Random.Shared.Next(texts.Count / 2);
            Reply(texts[index], texts[index + 1], hasValues, isNested, context.Reply);
        }
    }

    private static void Reply(
        ReadOnlySpan<byte> field, ReadOnlySpan<byte> value, bool hasValues, bool isNested, RespReplyWriter reply)
    {
        if (isNested)
            reply.ArrayHeader(2);
        reply.Bulk(field);
        if (hasValues)
            reply.Bulk(value);
    }
}
