using System.Text;
using Cache.Core;
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
        Span<byte> sum = stackalloc byte[ExtendedFloat.TextLengthMax];
        int length = 0;
        var options = new EntryOptions { KeepTtl = true };
        var status = WriteStatus.ConditionNotMet;

        // What the sum was made of. An attempt fails where any key of the bucket was written meanwhile; of many digits
        // a sum takes so long that each would, so that the next one has the sum already if the key's value is the same.
        byte[]? added = null;
        while (status == WriteStatus.ConditionNotMet)
        {
            using var list = context.BorrowList();
            if (!TryReadText(request[1], list, context, out var version))
                return;
            bool exists = list.Count > 0;
            var present = list.First;
            if (!exists || added is null || !present.SequenceEqual(added))
            {
                if (!TryAddFloat(exists ? present : "0"u8, request[2], context, out string text))
                    return;
                length = Encoding.ASCII.GetBytes(text, sum);
                added = null;
            }

            status = context.Store.SetIfUnchanged(request[1], sum[..length], options, version);
            if (status == WriteStatus.ConditionNotMet && exists)
                added ??= present.ToArray();
        }

        if (status == WriteStatus.Done)
            context.Reply.Bulk(sum[..length]);
        else
            context.Reply.Refusal(status);
    }

    /// <returns>False if it replied, or gives way.</returns>
    private static bool TryAddFloat(
        ReadOnlySpan<byte> present, ReadOnlySpan<byte> increment, CommandContext context, out string sum)
    {
        sum = "";
        if (context.TryGiveWay(ExtendedFloat.FindWork(present)))
            return false;
        if (!ExtendedFloat.TryParse(present, out var one) || !ExtendedFloat.TryParse(increment, out var other))
        {
            context.Reply.Error(ErrorTexts.NotAFloat);
            return false;
        }

        if (!ExtendedFloat.TryAdd(one, other, out var result))
        {
            context.Reply.Error("ERR increment would produce NaN or Infinity"u8);
            return false;
        }

        sum = result.ToString();
        return true;
    }

    /// <summary>Reads a value that may be a number; none, if there is no such key.</summary>
    /// <returns>False if it is too long for one, which it replied.</returns>
    private static bool TryReadText(
        ReadOnlySpan<byte> key, ByteStringList list, CommandContext context, out EntryVersion version)
    {
        // A look at the length first, so that a large value that is no number is not copied to learn it.
        bool exists = context.Store.TryPeekInfo(key, out var info);
        version = info.Version;
        if (!exists)
            return true;
        if (info.Length > ExtendedFloat.TextLengthMax)
        {
            context.Reply.Error(ErrorTexts.NotAFloat);
            return false;
        }

        var sink = new ByteStringSink(list);
        context.Store.TryGet(key, ref sink, out info);
        version = info.Version;
        return true;
    }
}
