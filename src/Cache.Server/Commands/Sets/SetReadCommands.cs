using System.Buffers;
using Cache.Core;
using Cache.Server.Clients;
using Cache.Server.Commands.Arguments;
using Cache.Server.Commands.Dispatch;
using Cache.Server.Commands.Replies;
using Cache.Server.Protocol;

namespace Cache.Server.Commands.Sets;

/// <summary>The commands that read one set.</summary>
internal static class SetReadCommands
{
    // The time to find or to write a member, in nanoseconds.
    private const long MemberWork = 100;

    public static IReadOnlyList<CommandBinding> Bindings { get; } =
    [
        new("smembers", SMembers),
        new("sismember", SIsMember),
        new("smismember", SMIsMember),
        new("scard", SCard),
        new("srandmember", SRandMember),
        new("sscan", SScan),
    ];

    // SMEMBERS key
    private static void SMembers(in RespRequest request, CommandContext context)
    {
        if (CollectionWork.TryGiveWay(request[1], context))
            return;
        var sink = new MemberReplySink(context);
        var status = context.Store.SetOf(request[1]).GetAll(ref sink);
        if (status == ReadStatus.WrongType)
            context.Reply.Error(ErrorTexts.WrongType);
        else if (status == ReadStatus.NotFound)
            sink.Begin(0);
    }

    // SISMEMBER key member
    private static void SIsMember(in RespRequest request, CommandContext context)
    {
        var status = context.Store.SetOf(request[1]).Find(request[2]);
        if (status == ReadStatus.WrongType)
            context.Reply.Error(ErrorTexts.WrongType);
        else
            context.Reply.ZeroOrOne(status == ReadStatus.Found);
    }

    // SMISMEMBER key member [member ...]
    private static void SMIsMember(in RespRequest request, CommandContext context)
    {
        var members = new RequestNames(request);
        if (context.TryGiveWay(members.Count * MemberWork))
            return;
        bool[] found = ArrayPool<bool>.Shared.Rent(members.Count);
        var status = context.Store.SetOf(request[1]).FindMany(ref members, found);
        if (status == ReadStatus.WrongType)
        {
            context.Reply.Error(ErrorTexts.WrongType);
        }
        else
        {
            context.Reply.ArrayHeader(members.Count);
            for (int i = 0; i < members.Count; i++)
                context.Reply.ZeroOrOne(found[i]);
        }

        ArrayPool<bool>.Shared.Return(found);
    }

    // SCARD key
    private static void SCard(in RespRequest request, CommandContext context)
    {
        if (context.Store.SetOf(request[1]).GetCount(out long count) == ReadStatus.WrongType)
            context.Reply.Error(ErrorTexts.WrongType);
        else
            context.Reply.Integer(count);
    }

    // SRANDMEMBER key [count]
    private static void SRandMember(in RespRequest request, CommandContext context)
    {
        var reply = context.Reply;
        if (request.Count == 2)
        {
            var sink = new BulkReplySink(reply);
            var found = context.Store.SetOf(request[1]).GetRandom(ref sink);
            if (found == ReadStatus.WrongType)
                reply.Error(ErrorTexts.WrongType);
            else if (found == ReadStatus.NotFound)
                reply.Null();
            return;
        }

        if (request.Count > 3)
            reply.Error(ErrorTexts.Syntax);
        else if (!RespInteger.TryParse(request[2], out long count))
            reply.Error(ErrorTexts.NotAnInteger);
        else if (count == long.MinValue)
            reply.Error(ErrorTexts.NotANegatable);
        else if (count >= 0
            ? !CollectionWork.TryGiveWay(request[1], count, context)
            : !context.TryGiveWay(count < -Turn.WorkMax ? long.MaxValue : -count * MemberWork))
        {
            ReplyRandom(request[1], count, context);
        }
    }

    private static void ReplyRandom(ReadOnlySpan<byte> key, long count, CommandContext context)
    {
        var sink = new MemberReplySink(context, isArray: true);
        var status = context.Store.SetOf(key).GetRandom(Math.Abs(count), mayRepeat: count < 0, ref sink);
        if (status == ReadStatus.WrongType)
            context.Reply.Error(ErrorTexts.WrongType);
        else if (status == ReadStatus.NotFound)
            context.Reply.ArrayHeader(0);
    }

    // SSCAN key cursor [MATCH pattern] [COUNT count]
    private static void SScan(in RespRequest request, CommandContext context)
    {
        var reply = context.Reply;
        if (!CursorArgument.TryParse(request[2], out ulong cursor))
            reply.Error(ErrorTexts.InvalidCursor);
        else if (!context.Store.TryPeekInfo(request[1], out var info)) // Redis does so before it reads the options.
            ScanReply.Write(0, null, reply);
        else if (info.Kind != EntryKind.Set)
            reply.Error(ErrorTexts.WrongType);
        else if (!ScanOptions.TryParse(request, first: 3, out var options))
            reply.Error(options.IsCountWrong ? ErrorTexts.NotAnInteger : ErrorTexts.Syntax);
        else if (!context.TryGiveWay(CollectionWork.ScannedBytes(info, options.Count) * options.Pattern.Length))
            Scan(request[1], cursor, options, context);
    }

    private static void Scan(ReadOnlySpan<byte> key, ulong cursor, in ScanOptions options, CommandContext context)
    {
        using var members = context.BorrowReplyList();
        var sink = new MatchingMemberSink(options.Pattern, members);
        int count = (int)Math.Min(options.Count, int.MaxValue);
        if (context.Store.SetOf(key).Scan(ref cursor, count, ref sink) == ReadStatus.WrongType)
            context.Reply.Error(ErrorTexts.WrongType);
        else
            ScanReply.Write(cursor, members, context.Reply);
    }
}
