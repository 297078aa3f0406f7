using Cache.Core;
using Cache.Server.Commands.Arguments;
using Cache.Server.Commands.Dispatch;
using Cache.Server.Commands.Replies;
using Cache.Server.Protocol;

namespace Cache.Server.Commands.Hashes;

/// <summary>HGETDEL, HGETEX and HSETEX: fields, and when they expire, in one command.</summary>
internal static class HashTakeCommands
{
    // The time to find or write a field, in nanoseconds.
    private const long FieldWork = 500;

    public static IReadOnlyList<CommandBinding> Bindings { get; } =
    [
        new("hgetdel", HGetDel),
        new("hgetex", HGetEx),
        new("hsetex", HSetEx),
    ];

    // HGETDEL key FIELDS numfields field [field ...]
    private static void HGetDel(in RespRequest request, CommandContext context)
    {
        if (!NumberedFields.TryParse(request, 2, NumberedFields.NotPositive, out var fields, out var error))
        {
            context.Refuse(request[1], error);
            return;
        }

        if (context.TryGiveWay(fields.Count * FieldWork))
            return;
        using var values = context.BorrowReplyList();
        var sink = new ByteStringSink(values);
        var status = context.Store.Hash(request[1]).GetAndRemove(ref fields, ref sink);
        Answer(status, fields.Count, values, context.Reply);
    }

    // HGETEX key [EX seconds | PX ms | EXAT unix-s | PXAT unix-ms | PERSIST] FIELDS numfields field [field ...]
    private static void HGetEx(in RespRequest request, CommandContext context)
    {
        bool hasTime = FieldMomentArgument.TryGetUnit(request[2], out var unit);
        bool isChanged = hasTime || request[2].Is("PERSIST"u8);
        long unixMs = 0;
        ReadOnlySpan<byte> error = default;
        if (hasTime)
            FieldMomentArgument.TryParse(request[3], unit, "hgetex"u8, context.Store, out unixMs, out error);
        var fields = default(RequestSlice);
        int at = hasTime ? 4 : isChanged ? 3 : 2;
        if (error.IsEmpty)
            NumberedFields.TryParse(request, at, NumberedFields.NotPositive, out fields, out error);
        if (!error.IsEmpty)
        {
            context.Refuse(request[1], error);
            return;
        }

        if (context.TryGiveWay(fields.Count * FieldWork))
            return;
        using var values = context.BorrowReplyList();
        var sink = new ByteStringSink(values);
        var hash = context.Store.Hash(request[1]);
        var status = isChanged
            ? hash.GetAndExpire(ref fields, unixMs, ref sink)
            : hash.GetMany(ref fields, ref sink) == ReadStatus.WrongType ? WriteStatus.WrongType : WriteStatus.Done;
        Answer(status, fields.Count, values, context.Reply);
    }

    // HSETEX key [FNX | FXX] [EX s | PX ms | EXAT unix-s | PXAT unix-ms | KEEPTTL] FIELDS numfields field value ...
    private static void HSetEx(in RespRequest request, CommandContext context)
    {
        if (!SetFieldsArguments.TryParse(request, context, out var options, out int first))
            return;
        var fields = new RequestPairs(request, first);
        if (context.TryGiveWay(fields.Count * FieldWork))
            return;
        var status = context.Store.Hash(request[1]).SetMany(ref fields, options);
        if (status is WriteStatus.Done or WriteStatus.ConditionNotMet)
            context.Reply.ZeroOrOne(status == WriteStatus.Done);
        else
            context.Reply.Refusal(status);
    }

    // Where a later step is refused, the fields of earlier ones are told, and the others as if they were absent.
    private static void Answer(WriteStatus status, int count, ByteStringList values, RespReplyWriter reply)
    {
        bool isRefused = status is not (WriteStatus.Done or WriteStatus.NotFound);
        if (isRefused && values.Count == 0 && !values.IsTooLong)
        {
            reply.Refusal(status);
            return;
        }

        while (!values.IsTooLong && values.Count < count)
            values.AddAbsent();
        values.WriteTo(reply);
    }
}
