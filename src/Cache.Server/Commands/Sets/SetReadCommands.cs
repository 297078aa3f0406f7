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
        if (LongReply.TryContinue(context) || CollectionWork.TryGiveWay(request[1], context))
            return;
        if (LongReply.MayBegin(request[1], context) && context.Store.SetOf(request[1]).Read() is { } reading)
        {
            LongReply.Begin(new MembersReply(reading), context);
            return;
        }

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
        if (!RandomArguments.TryParse(request, values: default, context, out var arguments))
            return;
        ReadStatus status;
        var set = context.Store.SetOf(request[1]);
        if (arguments.HasCount)
        {
            var sink = new MemberReplySink(context, isArray: true);
            status = set.GetRandom(arguments.Count, arguments.MayRepeat, ref sink);
        }
        else
        {
            var sink = new BulkReplySink(context.Reply);
            status = set.GetRandom(ref sink);
        }

        arguments.ReplyUnless(status, context.Reply);
    }

    // SSCAN key cursor [MATCH pattern] [COUNT count]
    private static void SScan(in RespRequest request, CommandContext context)
    {
        if (!ScanArguments.TryParse(request, EntryKind.Set, context, out var scan))
            return;
        using var members = context.BorrowReplyList();
        var sink = new MatchingMemberSink(scan.Pattern, members);
        var status = context.Store.SetOf(request[1]).Scan(ref scan.Cursor, scan.Count, ref sink);
        scan.Reply(status, members, context.Reply);
    }
}
