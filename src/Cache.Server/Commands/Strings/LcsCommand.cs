using Cache.Core;
using Cache.Server.Commands.Arguments;
using Cache.Server.Commands.Dispatch;
using Cache.Server.Commands.Replies;
using Cache.Server.Protocol;

namespace Cache.Server.Commands.Strings;

/// <summary>LCS: the longest common subsequence of two strings.</summary>
internal static class LcsCommand
{
    public static IReadOnlyList<CommandBinding> Bindings { get; } =
    [
        new("lcs", Lcs),
    ];

    // This many cells of the table take about a nanosecond.
    private const int CellsPerStep = 12;

    private static ReadOnlySpan<byte> NoStrings => "ERR The specified keys must contain string values"u8;

    // LCS key1 key2 [LEN] [IDX] [MINMATCHLEN length] [WITHMATCHLEN]
    private static void Lcs(in RespRequest request, CommandContext context)
    {
        var reply = context.Reply;
        // Lengths first, so that strings that are too long are not copied.
        context.Store.TryPeekInfo(request[1], out var first);
        context.Store.TryPeekInfo(request[2], out var second);
        if (AreOfOtherKinds(first, second))
        {
            reply.Error(NoStrings);
            return;
        }

        if (!LcsOptions.TryParse(request, reply, out var options))
            return;
        if (options is { ReturnsRanges: true, ReturnsLength: true })
        {
            reply.Error("ERR If you want both the length and indexes, please just use IDX."u8);
            return;
        }

        if (!Fits(first.Length, second.Length, context))
            return;
        if (context.TryGiveWay(first.Length + second.Length + first.Length * (long)second.Length / CellsPerStep))
            return;
        using var values = context.BorrowList();
        var keys = new KeyPair(request[1], request[2]);
        var sink = new ByteStringSink(values);
        context.Store.GetMany(ref keys, ref sink);
        var strings = values.GetEnumerator();
        strings.MoveNext();
        var one = strings.Current.Bytes;
        strings.MoveNext();
        var other = strings.Current.Bytes;
        if (!Fits(one.Length, other.Length, context))
            return;
        using var subsequence = new CommonSubsequence(one, other, isLengthOnly: options.ReturnsLength);
        Reply(subsequence, options, reply);
    }

    private static bool AreOfOtherKinds(in EntryInfo first, in EntryInfo second) =>
        first.Kind > EntryKind.String || second.Kind > EntryKind.String;

    // Redis refuses strings whose table, 4 bytes per pair, would exceed proto-max-bulk-len.
    private static bool Fits(long firstLength, long secondLength, CommandContext context)
    {
        if ((firstLength + 1) * (secondLength + 1) <= context.Server.Settings.ProtoMaxBulkLength / sizeof(uint))
            return true;
        context.Reply.Error("ERR Insufficient memory, transient memory for LCS exceeds proto-max-bulk-len"u8);
        return false;
    }

    private static void Reply(in CommonSubsequence subsequence, in LcsOptions options, RespReplyWriter reply)
    {
        if (options.ReturnsRanges)
        {
            ReplyRanges(subsequence, options, reply);
        }
        else if (options.ReturnsLength)
        {
            reply.Integer(subsequence.Length);
        }
        else
        {
            subsequence.CopyTo(reply.BeginBulk(subsequence.Length));
            reply.EndBulk(subsequence.Length);
        }
    }

    private static void ReplyRanges(in CommonSubsequence subsequence, in LcsOptions options, RespReplyWriter reply)
    {
        var ranges = subsequence.FindRanges(options.RangeLengthMin);
        reply.MapHeader(2);
        reply.Bulk("matches"u8);
        reply.ArrayHeader(ranges.Count);
        foreach (var range in ranges)
        {
            reply.ArrayHeader(options.ReturnsRangeLengths ? 3 : 2);
            ReplyRange(range.First, range.Length, reply);
            ReplyRange(range.Second, range.Length, reply);
            if (options.ReturnsRangeLengths)
                reply.Integer(range.Length);
        }

        reply.Bulk("len"u8);
        reply.Integer(subsequence.Length);
    }

    private static void ReplyRange(int start, int length, RespReplyWriter reply)
    {
        reply.ArrayHeader(2);
        reply.Integer(start);
        reply.Integer(start + length - 1);
    }
}
