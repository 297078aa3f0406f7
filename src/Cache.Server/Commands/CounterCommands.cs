using System.Text;
using Cache.Core.Contracts;
using Cache.Server.Protocol;

namespace Cache.Server.Commands;

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
        Span<byte> text = stackalloc byte[ExtendedFloat.TextLengthMax];
        var options = new EntryOptions { KeepTtl = true };
        var status = WriteStatus.ConditionNotMet;
        // Each turn that fails is another client's write that succeeded, so the turns come to an end.
        while (status == WriteStatus.ConditionNotMet)
        {
            if (!TryAddFloat(request, context, out var version, out string sum))
                return;
            int length = Encoding.ASCII.GetBytes(sum, text);
            status = context.Store.SetIfUnchanged(request[1], text[..length], options, version);
            if (status == WriteStatus.Done)
                context.Reply.Bulk(text[..length]);
            else if (status != WriteStatus.ConditionNotMet)
                context.Reply.Refusal(status);
        }
    }

    private static bool TryAddFloat(
        in RespRequest request, CommandContext context, out EntryVersion version, out string sum)
    {
        sum = "";
        if (!TryReadFloat(request[1], context, out var value, out version)
            || !ExtendedFloat.TryParse(request[2], out var increment))
        {
            context.Reply.Error(ErrorTexts.NotAFloat);
            return false;
        }

        if (!ExtendedFloat.TryAdd(value, increment, out var result))
        {
            context.Reply.Error("ERR increment would produce NaN or Infinity"u8);
            return false;
        }

        sum = result.ToString();
        return true;
    }

    private static bool TryReadFloat(
        ReadOnlySpan<byte> key, CommandContext context, out ExtendedFloat value, out EntryVersion version)
    {
        value = default;
        // A look at the length first, so that a large value that is no number is not copied to learn it.
        bool exists = context.Store.TryPeekInfo(key, out var info);
        version = info.Version;
        if (!exists)
            return true;
        if (info.Length > ExtendedFloat.TextLengthMax)
            return false;
        using var list = context.BorrowList();
        var sink = new ByteStringSink(list);
        exists = context.Store.TryGet(key, ref sink, out info);
        version = info.Version;
        return !exists || ExtendedFloat.TryParse(list.First, out value);
    }
}
