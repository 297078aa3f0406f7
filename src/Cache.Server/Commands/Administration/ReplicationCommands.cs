using Cache.Server.Clients;
using Cache.Server.Commands.Dispatch;
using Cache.Server.Commands.Replies;
using Cache.Server.Protocol;

namespace Cache.Server.Commands.Administration;

/// <summary>ROLE and WAIT, as in a Redis without replicas.</summary>
internal static class ReplicationCommands
{
    public static IReadOnlyList<CommandBinding> Bindings { get; } =
    [
        new("role", Role),
        new("wait", Wait),
    ];

    // ROLE
    private static void Role(in RespRequest request, CommandContext context)
    {
        context.Reply.ArrayHeader(3);
        context.Reply.Bulk("master"u8);
        context.Reply.Integer(0);
        context.Reply.ArrayHeader(0);
    }

    // WAIT numreplicas timeout: there are no replicas, so it only waits for its timeout, or CLIENT UNBLOCK.
    private static void Wait(in RespRequest request, CommandContext context)
    {
        var reply = context.Reply;
        if (!RespInteger.TryParse(request[1], out long replicas))
            reply.Error(ErrorTexts.NotAnInteger);
        else if (!RespInteger.TryParse(request[2], out long timeoutMs))
            reply.Error("ERR timeout is not an integer or out of range"u8);
        else if (timeoutMs < 0)
            reply.Error("ERR timeout is negative"u8);
        else if (replicas > 0 && context.SuspensionEnd == SuspensionEnd.None)
            context.Park(SuspensionReason.Replicas, WaitTimeout.Of(timeoutMs));
        else if (context.SuspensionEnd == SuspensionEnd.UnblockedWithError)
            reply.Error(ErrorTexts.Unblocked);
        else
            reply.Integer(0);
    }
}
