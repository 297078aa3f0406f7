using System.Buffers;
using Cache.Core;
using Cache.Server.Commands.Arguments;
using Cache.Server.Commands.Dispatch;
using Cache.Server.Commands.Replies;
using Cache.Server.Protocol;

namespace Cache.Server.Commands.Hashes;

/// <summary>The commands that read and change when fields of a hash expire.</summary>
internal static class HashExpiryCommands
{
    // The time to find a field, and to write one, in nanoseconds.
    private const long FieldWork = 100;
    private const long FieldWriteWork = 500;

    private static ReadOnlySpan<byte> NotPositive => "ERR Parameter `numFields` should be greater than 0"u8;

    public static IReadOnlyList<CommandBinding> Bindings { get; } =
    [
        new("hexpire", HExpire),
        new("hpexpire", HPExpire),
        new("hexpireat", HExpireAt),
        new("hpexpireat", HPExpireAt),
        new("hpersist", HPersist),
        new("httl", HTtl),
        new("hpttl", HPTtl),
        new("hexpiretime", HExpireTime),
        new("hpexpiretime", HPExpireTime),
    ];

    // HEXPIRE key seconds [NX | XX | GT | LT] FIELDS numfields field [field ...]
    private static void HExpire(in RespRequest request, CommandContext context) =>
        Change(request, ExpireUnit.Seconds, "hexpire"u8, context);

    // HPEXPIRE key milliseconds [NX | XX | GT | LT] FIELDS numfields field [field ...]
    private static void HPExpire(in RespRequest request, CommandContext context) =>
        Change(request, ExpireUnit.Milliseconds, "hpexpire"u8, context);

    // HEXPIREAT key unix-time-seconds [NX | XX | GT | LT] FIELDS numfields field [field ...]
    private static void HExpireAt(in RespRequest request, CommandContext context) =>
        Change(request, ExpireUnit.UnixSeconds, "hexpireat"u8, context);

    // HPEXPIREAT key unix-time-milliseconds [NX | XX | GT | LT] FIELDS numfields field [field ...]
    private static void HPExpireAt(in RespRequest request, CommandContext context) =>
        Change(request, ExpireUnit.UnixMilliseconds, "hpexpireat"u8, context);

    // HTTL key FIELDS numfields field [field ...]
    private static void HTtl(in RespRequest request, CommandContext context) =>
        Tell(request, ExpireUnit.Seconds, context);

    // HPTTL key FIELDS numfields field [field ...]
    private static void HPTtl(in RespRequest request, CommandContext context) =>
        Tell(request, ExpireUnit.Milliseconds, context);

    // HEXPIRETIME key FIELDS numfields field [field ...]
    private static void HExpireTime(in RespRequest request, CommandContext context) =>
        Tell(request, ExpireUnit.UnixSeconds, context);

    // HPEXPIRETIME key FIELDS numfields field [field ...]
    private static void HPExpireTime(in RespRequest request, CommandContext context) =>
        Tell(request, ExpireUnit.UnixMilliseconds, context);

    private static void Change(
        in RespRequest request, ExpireUnit unit, ReadOnlySpan<byte> name, CommandContext context)
    {
        FieldMomentArgument.TryParse(request[2], unit, name, context.Store, out long unixMs, out var error);
        var conditions = ConditionOf(request[3]);
        int at = conditions == ExpireConditions.None ? 3 : 4;
        var fields = default(RequestSlice);
        if (error.IsEmpty)
            NumberedFields.TryParse(request, at, NotPositive, out fields, out error);
        if (!error.IsEmpty)
        {
            context.Refuse(request[1], error);
            return;
        }

        if (context.TryGiveWay(fields.Count * FieldWriteWork))
            return;
        var results = ArrayPool<FieldExpiryStatus>.Shared.Rent(fields.Count);
        var status = context.Store.Hash(request[1]).ExpireMany(ref fields, unixMs, conditions, results);
        Answer(status, results.AsSpan(0, fields.Count), context.Reply);
        ArrayPool<FieldExpiryStatus>.Shared.Return(results);
    }

    // HPERSIST key FIELDS numfields field [field ...]
    private static void HPersist(in RespRequest request, CommandContext context)
    {
        if (!NumberedFields.TryParse(request, 2, NumberedFields.NotPositive, out var fields, out var error))
        {
            context.Refuse(request[1], error);
            return;
        }

        if (context.TryGiveWay(fields.Count * FieldWriteWork))
            return;
        var results = ArrayPool<FieldExpiryStatus>.Shared.Rent(fields.Count);
        var status = context.Store.Hash(request[1]).PersistMany(ref fields, results);
        Answer(status, results.AsSpan(0, fields.Count), context.Reply);
        ArrayPool<FieldExpiryStatus>.Shared.Return(results);
    }

    private static void Answer(WriteStatus status, ReadOnlySpan<FieldExpiryStatus> results, RespReplyWriter reply)
    {
        if (status is not (WriteStatus.Done or WriteStatus.NotFound or WriteStatus.ConditionNotMet))
        {
            reply.Refusal(status);
            return;
        }

        reply.ArrayHeader(results.Length);
        foreach (var result in results)
            reply.Integer((int)result);
    }

    private static void Tell(in RespRequest request, ExpireUnit unit, CommandContext context)
    {
        if (!NumberedFields.TryParse(request, 2, NumberedFields.NotPositive, out var fields, out var error))
        {
            context.Refuse(request[1], error);
            return;
        }

        if (context.TryGiveWay(fields.Count * FieldWork))
            return;
        long[] moments = ArrayPool<long>.Shared.Rent(fields.Count);
        if (context.Store.Hash(request[1]).GetExpiries(ref fields, moments) == ReadStatus.WrongType)
            context.Reply.Error(ErrorTexts.WrongType);
        else
            Tell(moments.AsSpan(0, fields.Count), unit, context);
        ArrayPool<long>.Shared.Return(moments);
    }

    private static void Tell(ReadOnlySpan<long> moments, ExpireUnit unit, CommandContext context)
    {
        bool isRelative = unit is ExpireUnit.Seconds or ExpireUnit.Milliseconds;
        long fromMs = isRelative ? context.Store.NowUnixMs : 0;
        bool isRounded = unit is ExpireUnit.Seconds or ExpireUnit.UnixSeconds;
        context.Reply.ArrayHeader(moments.Length);
        foreach (long moment in moments)
        {
            long timeMs = Math.Max(0, moment - fromMs);
            // Redis rounds up here, unlike TTL.
            context.Reply.Integer(moment < 0 ? moment : isRounded ? (timeMs + 999) / 1000 : timeMs);
        }
    }

    private static ExpireConditions ConditionOf(ReadOnlySpan<byte> option)
    {
        if (option.Is("NX"u8))
            return ExpireConditions.IfNone;
        if (option.Is("XX"u8))
            return ExpireConditions.IfAny;
        if (option.Is("GT"u8))
            return ExpireConditions.IfLater;
        return option.Is("LT"u8) ? ExpireConditions.IfEarlier : ExpireConditions.None;
    }
}
