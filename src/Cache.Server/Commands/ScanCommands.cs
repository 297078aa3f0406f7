using Cache.Server.Protocol;

namespace Cache.Server.Commands;

/// <summary>The commands that walk over all keys.</summary>
internal static class ScanCommands
{
    // How many keys KEYS takes from the store at a time: enough that the way there costs nothing.
    private const int KeysPerStep = 1024;

    private const int ScanCountDefault = 10;

    // COUNT is a hint. More would keep the other clients of the same thread waiting: this is about 20 ms.
    private const int ScanCountMax = 100_000;

    public static IReadOnlyList<CommandBinding> Bindings { get; } =
    [
        new("keys", Keys),
        new("scan", Scan),
    ];

    // KEYS pattern
    private static void Keys(in RespRequest request, CommandContext context)
    {
        using var keys = context.BorrowReplyList();
        var sink = new MatchingKeySink(request[1], keys);
        ulong cursor = 0;
        do
        {
            cursor = context.Store.Scan(cursor, KeysPerStep, ref sink);
        }
        while (cursor != 0 && !keys.IsTooLong);
        keys.WriteTo(context.Reply);
    }

    // SCAN cursor [MATCH pattern] [COUNT count] [TYPE type]
    private static void Scan(in RespRequest request, CommandContext context)
    {
        if (!ScanCursor.TryParse(request[1], out ulong cursor))
        {
            context.Reply.Error("ERR invalid cursor"u8);
            return;
        }

        ReadOnlySpan<byte> pattern = "*"u8;
        long count = ScanCountDefault;
        bool isOfType = true;
        for (int i = 2; i < request.Count; i += 2)
        {
            bool hasValue = i + 1 < request.Count;
            if (hasValue && request[i].Is("COUNT"u8))
            {
                if (!TryParseCount(request[i + 1], context.Reply, out count))
                    return;
            }
            else if (hasValue && request[i].Is("MATCH"u8))
            {
                pattern = request[i + 1];
            }
            else if (hasValue && request[i].Is("TYPE"u8))
            {
                isOfType = request[i + 1].Is("string"u8);
            }
            else
            {
                context.Reply.Error(ErrorTexts.Syntax);
                return;
            }
        }

        using var keys = context.BorrowReplyList();
        var sink = new MatchingKeySink(pattern, keys);
        cursor = context.Store.Scan(cursor, (int)Math.Min(count, ScanCountMax), ref sink);
        if (!isOfType)
            keys.Clear();
        if (keys.IsTooLong)
        {
            keys.WriteTo(context.Reply);
            return;
        }

        context.Reply.ArrayHeader(2);
        context.Reply.BulkInteger((long)cursor);
        keys.WriteTo(context.Reply);
    }

    private static bool TryParseCount(ReadOnlySpan<byte> argument, RespReplyWriter reply, out long count)
    {
        if (!RespInteger.TryParse(argument, out count))
            reply.Error(ErrorTexts.NotAnInteger);
        else if (count < 1)
            reply.Error(ErrorTexts.Syntax);
        else
            return true;
        return false;
    }
}
