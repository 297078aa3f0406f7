using Cache.Core;
using Cache.Server.Commands.Arguments;
using Cache.Server.Commands.Dispatch;
using Cache.Server.Commands.Replies;
using Cache.Server.Protocol;

namespace Cache.Server.Commands.Sets;

/// <summary>The commands that write sets.</summary>
internal static class SetWriteCommands
{
    // The time to write a member, in nanoseconds.
    private const long MemberWork = 500;

    public static IReadOnlyList<CommandBinding> Bindings { get; } =
    [
        new("sadd", SAdd),
        new("srem", SRem),
        new("spop", SPop),
        new("smove", SMove),
    ];

    // SADD key member [member ...]
    private static void SAdd(in RespRequest request, CommandContext context)
    {
        var members = new RequestNames(request);
        if (context.TryGiveWay(members.Count * MemberWork))
            return;
        var status = context.Store.SetOf(request[1]).AddMany(ref members, out int added);
        if (status == WriteStatus.Done)
            context.Reply.Integer(added);
        else
            context.Reply.Refusal(status);
    }

    // SREM key member [member ...]
    private static void SRem(in RespRequest request, CommandContext context)
    {
        var members = new RequestNames(request);
        if (context.TryGiveWay(members.Count * MemberWork))
            return;
        var status = context.Store.SetOf(request[1]).RemoveMany(ref members, out int removed);
        if (status is WriteStatus.Done or WriteStatus.NotFound)
            context.Reply.Integer(removed);
        else
            context.Reply.Refusal(status);
    }

    // SPOP key [count]
    private static void SPop(in RespRequest request, CommandContext context)
    {
        long count = 1;
        if (request.Count > 3)
        {
            context.Reply.Error(ErrorTexts.Syntax);
            return;
        }

        bool hasCount = request.Count == 3;
        if (hasCount && (!RespInteger.TryParse(request[2], out count) || count < 0))
        {
            context.Reply.Error(ErrorTexts.NotPositive);
            return;
        }

        if (CollectionWork.TryGiveWay(request[1], count, context))
            return;
        var sink = new PoppedMemberSink(context, hasCount);
        var status = context.Store.SetOf(request[1]).Pop(count, ref sink);
        if (status == WriteStatus.NotFound)
            sink.TakeNothing();
        else if (status != WriteStatus.Done)
            context.Reply.Refusal(status);
    }

    // SMOVE source destination member
    private static void SMove(in RespRequest request, CommandContext context)
    {
        var status = context.Store.MoveMember(request[1], request[2], request[3]);
        if (status is WriteStatus.Done or WriteStatus.NotFound)
            context.Reply.ZeroOrOne(status == WriteStatus.Done);
        else
            context.Reply.Refusal(status);
    }
}
