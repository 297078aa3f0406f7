using Cache.Core;
using Cache.Server.Clients;
using Cache.Server.Commands.Arguments;
using Cache.Server.Commands.Dispatch;
using Cache.Server.Commands.Replies;
using Cache.Server.Protocol;

namespace Cache.Server.Commands.Strings;

/// <summary>The commands on strings that are numbers.</summary>
internal static class CounterCommands
{
    public static IReadOnlyList<CommandBinding> Bindings { get; } =
    [
        new("incr", Incr),
        new("decr", Decr),
        new("incrby", IncrBy),
        new("decrby", DecrBy),
        new("incrbyfloat", IncrByFloat),
    ];

    // INCR key
    private static void Incr(in RespRequest request, CommandContext context) => Add(request[1], 1, context);

    // DECR key
    private static void Decr(in RespRequest request, CommandContext context) => Add(request[1], -1, context);

    // INCRBY key increment
    private static void IncrBy(in RespRequest request, CommandContext context)
    {
        if (RespInteger.TryParse(request[2], out long increment))
            Add(request[1], increment, context);
        else
            context.Reply.Error(ErrorTexts.NotAnInteger);
    }

    // DECRBY key decrement
    private static void DecrBy(in RespRequest request, CommandContext context)
    {
        if (!RespInteger.TryParse(request[2], out long decrement))
            context.Reply.Error(ErrorTexts.NotAnInteger);
        else if (decrement == long.MinValue)
            context.Reply.Error("ERR decrement would overflow"u8);
        else
            Add(request[1], -decrement, context);
    }

    private static void Add(ReadOnlySpan<byte> key, long delta, CommandContext context)
    {
        var status = context.Store.Increment(key, delta, out long result);
        if (status == WriteStatus.Done)
            context.Reply.Integer(result);
        else
            context.Reply.Refusal(status);
    }

    // INCRBYFLOAT key increment
    private static void IncrByFloat(in RespRequest request, CommandContext context)
    {
        if (context.TryGiveWay(ExtendedFloat.FindWork(request[2])))
            return;
        Span<byte> text = stackalloc byte[2 * ExtendedFloat.TextLengthMax];
        var sum = new FloatSum(request[2], text, context.SharesThread ? Turn.WorkMax : long.MaxValue);
        var status = context.Store.Update(request[1], ref sum);
        switch (status)
        {
            case WriteStatus.Done:
                context.Reply.Bulk(sum.Value);
                break;
            case WriteStatus.ConditionNotMet when sum.IsTooMuch && context.TryGiveWay(sum.Work):
                break;
            case WriteStatus.ConditionNotMet when !sum.IsNumber:
            case WriteStatus.ValueTooLong: // The present value is too long for a number.
                context.Reply.Error(ErrorTexts.NotAFloat);
                break;
            case WriteStatus.ConditionNotMet:
                context.Reply.Error("ERR increment would produce NaN or Infinity"u8);
                break;
            default:
                context.Reply.Refusal(status);
                break;
        }
    }
}
