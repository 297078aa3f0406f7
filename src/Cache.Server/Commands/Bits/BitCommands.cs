using Cache.Core;
using Cache.Server.Commands.Dispatch;
using Cache.Server.Commands.Replies;
using Cache.Server.Protocol;

namespace Cache.Server.Commands.Bits;

/// <summary>SETBIT, GETBIT, BITCOUNT and BITPOS.</summary>
internal static class BitCommands
{
    public static IReadOnlyList<CommandBinding> Bindings { get; } =
    [
        new("setbit", SetBit),
        new("getbit", GetBit),
        new("bitcount", BitCount),
        new("bitpos", BitPos),
    ];

    /// <summary>Runs steps on a value's bits; on another thread if that must copy the value.</summary>
    /// <returns>False if it gives way.</returns>
    public static bool TryChange(
        ReadOnlySpan<byte> key, Span<BitFieldStep> steps, CommandContext context, out WriteStatus status)
    {
        if (context.Store.TryChangeBitsInPlace(key, steps, out status))
            return true;
        if (context.TryGiveWay(long.MaxValue))
            return false;
        status = context.Store.ChangeBits(key, steps);
        return true;
    }

    /// <summary>SETBIT key offset value</summary>
    private static void SetBit(in RespRequest request, CommandContext context)
    {
        long bytesMax = context.Server.Settings.ProtoMaxBulkLength;
        if (!BitOffset.TryParse(request[2], width: 0, bytesMax, out long offset))
        {
            context.Reply.Error(BitOffset.Error);
            return;
        }

        if (!RespInteger.TryParse(request[3], out long bit) || bit is not (0 or 1))
        {
            context.Reply.Error("ERR bit is not an integer or out of range"u8);
            return;
        }

        Span<BitFieldStep> steps =
            [new BitFieldStep { Action = BitFieldAction.Set, Width = 1, Offset = offset, Value = bit }];
        if (!TryChange(request[1], steps, context, out var status))
            return;
        if (status == WriteStatus.Done)
            context.Reply.ZeroOrOne(steps[0].Result != 0);
        else
            context.Reply.Refusal(status);
    }

    /// <summary>GETBIT key offset</summary>
    private static void GetBit(in RespRequest request, CommandContext context)
    {
        long bytesMax = context.Server.Settings.ProtoMaxBulkLength;
        if (!BitOffset.TryParse(request[2], width: 0, bytesMax, out long offset))
        {
            context.Reply.Error(BitOffset.Error);
            return;
        }

        Span<byte> room = stackalloc byte[1];
        var sink = new SpanSink(room);
        bool exists = context.Store.TryGetRange(request[1], offset >> 3, offset >> 3, ref sink, out var info);
        if (context.Reply.RefusesKind(info.Kind))
            return;
        context.Reply.ZeroOrOne(exists && sink.Length > 0 && (room[0] >> (7 - (int)(offset & 7)) & 1) != 0);
    }

    /// <summary>BITCOUNT key [start end [BYTE | BIT]]</summary>
    private static void BitCount(in RespRequest request, CommandContext context)
    {
        // Redis looks for the key before it reads the range.
        if (!context.Store.TryPeekInfo(request[1], out var info))
        {
            context.Reply.Integer(0);
            return;
        }

        if (context.Reply.RefusesKind(info.Kind)
            || !TryParseCounted(request, context.Reply, out var range) || context.TryGiveWay(range.WorkOn(info.Length)))
            return;
        using var value = HeldString.Read(request[1], context);
        if (value.IsOtherKind)
        {
            context.Reply.Error(ErrorTexts.WrongType);
            return;
        }

        var (first, last) = range.Within(value.Bytes.Length);
        context.Reply.Integer(first > last || range.IsReversed ? 0 : BitSearch.Count(value.Bytes, first, last));
    }

    // A reversed range has no bits in any unit, so the unit is not read.
    private static bool TryParseCounted(in RespRequest request, RespReplyWriter reply, out BitRange range)
    {
        range = BitRange.All;
        if (request.Count == 2)
            return true;
        if (request.Count is not (4 or 5))
        {
            reply.Error(ErrorTexts.Syntax);
            return false;
        }

        if (!RespInteger.TryParse(request[2], out long first) || !RespInteger.TryParse(request[3], out long last))
        {
            reply.Error(ErrorTexts.NotAnInteger);
            return false;
        }

        range = new BitRange(first, last, IsOfBits: false);
        if (range.IsReversed)
            return true;
        bool isUnit = BitRange.TryParseUnit(request, 4, out bool isOfBits);
        range = range with { IsOfBits = isOfBits };
        if (!isUnit)
            reply.Error(ErrorTexts.Syntax);
        return isUnit;
    }

    /// <summary>BITPOS key bit [start [end [BYTE | BIT]]]</summary>
    private static void BitPos(in RespRequest request, CommandContext context)
    {
        var reply = context.Reply;
        if (!RespInteger.TryParse(request[2], out long bit))
            reply.Error(ErrorTexts.NotAnInteger);
        else if (bit is not (0 or 1))
            reply.Error("ERR The bit argument must be 1 or 0."u8);
        else if (!context.Store.TryPeekInfo(request[1], out var info))
            reply.Integer(bit == 1 ? -1 : 0); // In Redis an absent value is endless zeros.
        else if (!reply.RefusesKind(info.Kind) && TryParseRange(request, reply, out var range)
            && !context.TryGiveWay(range.WorkOn(info.Length)))
        {
            ReplyPosition(request, range, bit == 1, context);
        }
    }

    private static void ReplyPosition(in RespRequest request, BitRange range, bool bit, CommandContext context)
    {
        using var value = HeldString.Read(request[1], context);
        if (value.IsOtherKind)
        {
            context.Reply.Error(ErrorTexts.WrongType);
            return;
        }

        var (first, last) = range.Within(value.Bytes.Length);
        if (first > last)
        {
            context.Reply.Integer(!value.Exists && !bit ? 0 : -1);
            return;
        }

        long position = BitSearch.Find(value.Bytes, first, last, bit);
        bool isOpen = request.Count < 5; // Without an end, zeros follow the value.
        context.Reply.Integer(position < 0 && !bit && isOpen ? last + 1 : position);
    }

    // In Redis's order: the start, the unit, the end, which may be missing.
    private static bool TryParseRange(in RespRequest request, RespReplyWriter reply, out BitRange range)
    {
        range = BitRange.All;
        if (request.Count == 3)
            return true;
        if (request.Count > 6)
        {
            reply.Error(ErrorTexts.Syntax);
            return false;
        }

        if (!RespInteger.TryParse(request[3], out long first))
        {
            reply.Error(ErrorTexts.NotAnInteger);
            return false;
        }

        if (!BitRange.TryParseUnit(request, 5, out bool isOfBits))
        {
            reply.Error(ErrorTexts.Syntax);
            return false;
        }

        long last = -1;
        bool isRange = request.Count == 4 || RespInteger.TryParse(request[4], out last);
        range = new BitRange(first, last, isOfBits);
        if (!isRange)
            reply.Error(ErrorTexts.NotAnInteger);
        return isRange;
    }
}
