using System.Buffers;
using Cache.Core;
using Cache.Server.Commands.Arguments;
using Cache.Server.Commands.Dispatch;
using Cache.Server.Commands.Replies;
using Cache.Server.Protocol;

namespace Cache.Server.Commands.Bits;

/// <summary>BITFIELD and BITFIELD_RO: numbers of some bits, several of them atomically.</summary>
internal static class BitFieldCommands
{
    public static IReadOnlyList<CommandBinding> Bindings { get; } =
    [
        new("bitfield", BitField),
        new("bitfield_ro", BitFieldReadOnly),
    ];

    private static ReadOnlySpan<byte> InvalidType =>
        "ERR Invalid bitfield type. Use something like i16 u8. Note that u64 is not supported but i64 is."u8;

    // BITFIELD key [GET type offset | [OVERFLOW WRAP | SAT | FAIL] SET type offset value | INCRBY type offset delta]…
    private static void BitField(in RespRequest request, CommandContext context) =>
        Run(request, mayWrite: true, context);

    // BITFIELD_RO key [GET type offset ...]
    private static void BitFieldReadOnly(in RespRequest request, CommandContext context) =>
        Run(request, mayWrite: false, context);

    private static void Run(in RespRequest request, bool mayWrite, CommandContext context)
    {
        // The shortest step, GET, has three words.
        var rented = ArrayPool<BitFieldStep>.Shared.Rent(request.Count / 3 + 1);
        try
        {
            if (!TryParse(request, rented, context, out int count))
                return;
            var steps = rented.AsSpan(0, count);
            if (!mayWrite && HasWrite(steps))
                context.Reply.Error("ERR BITFIELD_RO only supports the GET subcommand"u8);
            else if (BitCommands.TryChange(request[1], steps, context, out var status))
                Reply(steps, status, context.Reply);
        }
        finally
        {
            ArrayPool<BitFieldStep>.Shared.Return(rented);
        }
    }

    private static void Reply(Span<BitFieldStep> steps, WriteStatus status, RespReplyWriter reply)
    {
        if (status is not (WriteStatus.Done or WriteStatus.NotFound))
        {
            reply.Refusal(status);
            return;
        }

        reply.ArrayHeader(steps.Length);
        foreach (var step in steps)
        {
            if (step.Result is { } result)
                reply.Integer(result);
            else
                reply.Null();
        }
    }

    private static bool HasWrite(ReadOnlySpan<BitFieldStep> steps)
    {
        foreach (var step in steps)
        {
            if (step.Action != BitFieldAction.Get)
                return true;
        }

        return false;
    }

    /// <returns>False if it replied with an error.</returns>
    private static bool TryParse(
        in RespRequest request, BitFieldStep[] steps, CommandContext context, out int count)
    {
        count = 0;
        var overflow = BitFieldOverflow.Wrap;
        for (int i = 2; i < request.Count;)
        {
            int left = request.Count - i - 1;
            if (request[i].Is("OVERFLOW"u8) && left >= 1)
            {
                if (!TryParseOverflow(request[i + 1], context.Reply, out overflow))
                    return false;
                i += 2;
                continue;
            }

            if (!TryParseAction(request[i], left, out var action))
            {
                context.Reply.Error(ErrorTexts.Syntax);
                return false;
            }

            var step = new BitFieldStep { Action = action, Overflow = overflow };
            if (!TryParseStep(request, i, ref step, context))
                return false;
            steps[count++] = step;
            i += action == BitFieldAction.Get ? 3 : 4;
        }

        return true;
    }

    private static bool TryParseAction(ReadOnlySpan<byte> name, int left, out BitFieldAction action)
    {
        action = BitFieldAction.Get;
        if (name.Is("GET"u8) && left >= 2)
            return true;
        bool isSet = name.Is("SET"u8);
        action = isSet ? BitFieldAction.Set : BitFieldAction.Add;
        return left >= 3 && (isSet || name.Is("INCRBY"u8));
    }

    private static bool TryParseOverflow(
        ReadOnlySpan<byte> name, RespReplyWriter reply, out BitFieldOverflow overflow)
    {
        overflow = BitFieldOverflow.Wrap;
        if (name.Is("WRAP"u8))
            return true;
        overflow = name.Is("SAT"u8) ? BitFieldOverflow.Saturate : BitFieldOverflow.Fail;
        if (overflow == BitFieldOverflow.Saturate || name.Is("FAIL"u8))
            return true;
        reply.Error("ERR Invalid OVERFLOW type specified"u8);
        return false;
    }

    // In Redis's order: type, offset, value.
    private static bool TryParseStep(in RespRequest request, int index, ref BitFieldStep step, CommandContext context)
    {
        var type = request[index + 1];
        bool isSigned = !type.IsEmpty && type[0] == (byte)'i';
        bool isKnown = isSigned || (!type.IsEmpty && type[0] == (byte)'u');
        if (!isKnown || !RespInteger.TryParse(type[1..].UpToNul(), out long width) || width < 1
            || width > (isSigned ? 64 : 63))
        {
            context.Reply.Error(InvalidType);
            return false;
        }

        long bytesMax = context.Server.Settings.ProtoMaxBulkLength;
        if (!BitOffset.TryParse(request[index + 2], (int)width, bytesMax, out long offset))
        {
            context.Reply.Error(BitOffset.Error);
            return false;
        }

        long value = 0;
        if (step.Action != BitFieldAction.Get && !RespInteger.TryParse(request[index + 3], out value))
        {
            context.Reply.Error(ErrorTexts.NotAnInteger);
            return false;
        }

        step = step with { IsSigned = isSigned, Width = (int)width, Offset = offset, Value = value };
        return true;
    }
}
