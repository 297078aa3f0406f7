using Cache.Core;
using Cache.Server.Commands.Arguments;
using Cache.Server.Commands.Dispatch;
using Cache.Server.Commands.Replies;
using Cache.Server.Protocol;

namespace Cache.Server.Commands.Keys;

/// <summary>The commands that read and change when a key expires.</summary>
internal static class ExpiryCommands
{
    // The replies of TTL and similar commands for a key that does not exist, or never expires.
    private const int NoKey = -2;
    private const int NoExpiry = -1;

    public static IReadOnlyList<CommandBinding> Bindings { get; } =
    [
        new("ttl", Ttl),
        new("pttl", PTtl),
        new("expiretime", ExpireTimeOf),
        new("pexpiretime", PExpireTimeOf),
        new("expire", Expire),
        new("pexpire", PExpire),
        new("expireat", ExpireAt),
        new("pexpireat", PExpireAt),
        new("persist", Persist),
    ];

    // TTL key
    private static void Ttl(in RespRequest request, CommandContext context) =>
        Tell(request[1], ExpireUnit.Seconds, context);

    // PTTL key
    private static void PTtl(in RespRequest request, CommandContext context) =>
        Tell(request[1], ExpireUnit.Milliseconds, context);

    // EXPIRETIME key
    private static void ExpireTimeOf(in RespRequest request, CommandContext context) =>
        Tell(request[1], ExpireUnit.UnixSeconds, context);

    // PEXPIRETIME key
    private static void PExpireTimeOf(in RespRequest request, CommandContext context) =>
        Tell(request[1], ExpireUnit.UnixMilliseconds, context);

    // Peeks: asking for an entry's TTL must not renew it.
    private static void Tell(ReadOnlySpan<byte> key, ExpireUnit unit, CommandContext context)
    {
        if (!context.Store.TryPeekInfo(key, out var info))
        {
            context.Reply.Integer(NoKey);
            return;
        }

        if (info.ExpiresAtMs == 0)
        {
            context.Reply.Integer(NoExpiry);
            return;
        }

        bool isRelative = unit is ExpireUnit.Seconds or ExpireUnit.Milliseconds;
        long timeMs = isRelative
            ? Math.Max(0, info.ExpiresAtMs - context.Store.NowMs)
            : info.ExpiresAtUnixMs;
        bool isRounded = unit is ExpireUnit.Seconds or ExpireUnit.UnixSeconds;
        context.Reply.Integer(isRounded ? ToSeconds(timeMs) : timeMs);
    }

    // Rounded to the nearest; adding half a second to the maximum would overflow.
    private static long ToSeconds(long timeMs) => (timeMs / 1000) + (timeMs % 1000 >= 500 ? 1 : 0);

    // EXPIRE key seconds [NX | XX | GT | LT]
    private static void Expire(in RespRequest request, CommandContext context) =>
        Change(request, ExpireUnit.Seconds, "expire"u8, context);

    // PEXPIRE key milliseconds [NX | XX | GT | LT]
    private static void PExpire(in RespRequest request, CommandContext context) =>
        Change(request, ExpireUnit.Milliseconds, "pexpire"u8, context);

    // EXPIREAT key time [NX | XX | GT | LT]
    private static void ExpireAt(in RespRequest request, CommandContext context) =>
        Change(request, ExpireUnit.UnixSeconds, "expireat"u8, context);

    // PEXPIREAT key time [NX | XX | GT | LT]
    private static void PExpireAt(in RespRequest request, CommandContext context) =>
        Change(request, ExpireUnit.UnixMilliseconds, "pexpireat"u8, context);

    private static void Change(in RespRequest request, ExpireUnit unit, ReadOnlySpan<byte> name, CommandContext context)
    {
        var reply = context.Reply;
        if (!TryParseConditions(request, reply, out var conditions))
            return;
        if (!RespInteger.TryParse(request[2], out long time))
            reply.Error(ErrorTexts.NotAnInteger);
        else if (!ExpireTime.TryGet(time, unit, context.Store, out var moment))
            reply.InvalidExpireTime(name);
        else if (moment.UnixMs != 0)
            Answer(context.Store.ExpireAtUnixMs(request[1], moment.UnixMs, conditions), reply);
        else
            Answer(context.Store.Expire(request[1], moment.StoreMs, conditions), reply);
    }

    private static void Answer(WriteStatus status, RespReplyWriter reply)
    {
        if (status == WriteStatus.OutOfMemory)
            reply.Refusal(status);
        else
            reply.ZeroOrOne(status == WriteStatus.Done);
    }

    private static bool TryParseConditions(
        in RespRequest request, RespReplyWriter reply, out ExpireConditions conditions)
    {
        conditions = ExpireConditions.None;
        for (int i = 3; i < request.Count; i++)
        {
            var condition = ConditionOf(request[i]);
            if (condition == ExpireConditions.None)
            {
                reply.Error([.. "ERR Unsupported option "u8, .. request[i].UpToNul().TrimEnd("\r\n"u8)]);
                return false;
            }

            conditions |= condition;
        }

        const ExpireConditions LaterAndEarlier = ExpireConditions.IfLater | ExpireConditions.IfEarlier;
        if ((conditions & ExpireConditions.IfNone) != 0 && conditions != ExpireConditions.IfNone)
            reply.Error("ERR NX and XX, GT or LT options at the same time are not compatible"u8);
        else if ((conditions & LaterAndEarlier) == LaterAndEarlier)
            reply.Error("ERR GT and LT options at the same time are not compatible"u8);
        else
            return true;
        return false;
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

    // PERSIST key
    private static void Persist(in RespRequest request, CommandContext context) =>
        context.Reply.ZeroOrOne(context.Store.Persist(request[1]) == WriteStatus.Done);
}
