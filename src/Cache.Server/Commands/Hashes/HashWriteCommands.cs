using Cache.Core;
using Cache.Server.Clients;
using Cache.Server.Commands.Arguments;
using Cache.Server.Commands.Dispatch;
using Cache.Server.Commands.Replies;
using Cache.Server.Protocol;

namespace Cache.Server.Commands.Hashes;

/// <summary>The commands that write hashes.</summary>
internal static class HashWriteCommands
{
    // The time to write a field, in nanoseconds.
    private const long FieldWork = 500;

    public static IReadOnlyList<CommandBinding> Bindings { get; } =
    [
        new("hset", HSet),
        new("hmset", HMSet),
        new("hsetnx", HSetNx),
        new("hdel", HDel),
        new("hincrby", HIncrBy),
        new("hincrbyfloat", HIncrByFloat),
    ];

    // HSET key field value [field value ...]
    private static void HSet(in RespRequest request, CommandContext context)
    {
        if (TrySet(request, "hset"u8, context, out int added))
            context.Reply.Integer(added);
    }

    // HMSET key field value [field value ...]
    private static void HMSet(in RespRequest request, CommandContext context)
    {
        if (TrySet(request, "hmset"u8, context, out _))
            context.Reply.Ok();
    }

    // HSETNX key field value
    private static void HSetNx(in RespRequest request, CommandContext context)
    {
        var status = context.Store.Hash(request[1]).Set(request[2], request[3], SetCondition.IfAbsent, out _);
        if (status is WriteStatus.Done or WriteStatus.ConditionNotMet)
            context.Reply.ZeroOrOne(status == WriteStatus.Done);
        else
            context.Reply.Refusal(status);
    }

    // HDEL key field [field ...]
    private static void HDel(in RespRequest request, CommandContext context)
    {
        var fields = new RequestNames(request);
        if (context.TryGiveWay(fields.Count * FieldWork))
            return;
        var status = context.Store.Hash(request[1]).RemoveMany(ref fields, out int removed);
        if (status is WriteStatus.Done or WriteStatus.NotFound)
            context.Reply.Integer(removed);
        else
            context.Reply.Refusal(status);
    }

    // HINCRBY key field increment
    private static void HIncrBy(in RespRequest request, CommandContext context)
    {
        var reply = context.Reply;
        if (!RespInteger.TryParse(request[3], out long increment))
        {
            reply.Error(ErrorTexts.NotAnInteger);
            return;
        }

        var status = context.Store.Hash(request[1]).Increment(request[2], increment, out long result);
        if (status == WriteStatus.Done)
            reply.Integer(result);
        else if (status == WriteStatus.NotAnInteger)
            reply.Error("ERR hash value is not an integer"u8);
        else
            reply.Refusal(status);
    }

    // HINCRBYFLOAT key field increment
    private static void HIncrByFloat(in RespRequest request, CommandContext context)
    {
        if (context.TryGiveWay(ExtendedFloat.FindWork(request[3])))
            return;
        if (!ExtendedFloat.TryParse(request[3], out var increment) || increment.IsInfinite)
        {
            context.Reply.Error(increment.IsInfinite ? "ERR value is NaN or Infinity"u8 : ErrorTexts.NotAFloat);
            return;
        }

        Span<byte> text = stackalloc byte[2 * ExtendedFloat.TextLengthMax];
        var sum = new FloatSum(request[3], text, context.SharesThread ? Turn.WorkMax : long.MaxValue);
        var status = context.Store.Hash(request[1]).Update(request[2], ref sum);
        switch (status)
        {
            case WriteStatus.Done:
                context.Reply.Bulk(sum.Value);
                break;
            case WriteStatus.ConditionNotMet when sum.IsTooMuch && context.TryGiveWay(sum.Work):
                break;
            case WriteStatus.ConditionNotMet when !sum.IsNumber:
            case WriteStatus.ValueTooLong: // The present value is too long for a number.
                context.Reply.Error("ERR hash value is not a float"u8);
                break;
            case WriteStatus.ConditionNotMet:
                context.Reply.Error("ERR increment would produce NaN or Infinity"u8);
                break;
            default:
                context.Reply.Refusal(status);
                break;
        }
    }

    private static bool TrySet(in RespRequest request, ReadOnlySpan<byte> name, CommandContext context, out int added)
    {
        added = 0;
        if (request.Count % 2 != 0)
        {
            context.Reply.WrongArgumentCount(name);
            return false;
        }

        var fields = new RequestPairs(request);
        if (context.TryGiveWay(fields.Count * FieldWork))
            return false;
        var status = context.Store.Hash(request[1]).SetMany(ref fields, out added);
        if (status != WriteStatus.Done)
            context.Reply.Refusal(status);
        return status == WriteStatus.Done;
    }
}
