using Cache.Server.Clients;
using Cache.Server.Commands.Arguments;
using Cache.Server.Commands.Dispatch;
using Cache.Server.Commands.Replies;
using Cache.Server.Protocol;

namespace Cache.Server.Commands.Administration;

/// <summary>What concerns replicas, as in a Redis that has none.</summary>
internal static class ReplicationCommands
{
    private const int PortMax = 65_535;

    public static IReadOnlyList<CommandBinding> Bindings { get; } =
    [
        new("role", Role),
        new("wait", Wait),
        new("replicaof", ReplicaOf),
        new("slaveof", ReplicaOf),
        new("failover", Failover),
        new("psync", RefuseSync),
        new("sync", RefuseSync),
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

    // REPLICAOF NO ONE | host port: it is nobody's replica already, and cannot become one.
    private static void ReplicaOf(in RespRequest request, CommandContext context)
    {
        var reply = context.Reply;
        if (request[1].Is("NO"u8) && request[2].Is("ONE"u8))
            reply.Ok();
        else if (!RespInteger.TryParse(request[2], out long port) || port is < 0 or > PortMax)
            reply.Error("ERR Invalid master port"u8);
        else
            reply.Error("ERR this server cannot be a replica"u8);
    }

    // FAILOVER [TO host port [FORCE]] [ABORT] [TIMEOUT milliseconds]: each is refused once it is well-formed.
    private static void Failover(in RespRequest request, CommandContext context)
    {
        if (request.Count == 2 && request[1].Is("ABORT"u8))
            context.Reply.Error("ERR No failover in progress."u8);
        else if (AreFailoverOptions(request, context.Reply))
            context.Reply.Error("ERR FAILOVER requires connected replicas."u8);
    }

    /// <returns>False if an error was replied.</returns>
    private static bool AreFailoverOptions(in RespRequest request, RespReplyWriter reply)
    {
        bool hasTarget = false, hasTimeout = false, isForced = false;
        for (int i = 1; i < request.Count; i++)
        {
            var option = request[i];
            if (!hasTimeout && option.Is("TIMEOUT"u8) && i + 1 < request.Count)
            {
                hasTimeout = true;
                if (!TryCheckTimeout(request[++i], reply))
                    return false;
            }
            else if (!hasTarget && option.Is("TO"u8) && i + 2 < request.Count)
            {
                hasTarget = true;
                if (!RespInteger.TryParse(request[i += 2], out _))
                    return Refuse(ErrorTexts.NotAnInteger, reply);
            }
            else if (!isForced && option.Is("FORCE"u8))
            {
                isForced = true;
            }
            else
            {
                return Refuse(ErrorTexts.Syntax, reply);
            }
        }

        return true;
    }

    private static bool TryCheckTimeout(ReadOnlySpan<byte> text, RespReplyWriter reply)
    {
        if (!RespInteger.TryParse(text, out long timeoutMs))
            return Refuse(ErrorTexts.NotAnInteger, reply);
        return timeoutMs > 0 || Refuse("ERR FAILOVER timeout must be greater than 0"u8, reply);
    }

    private static bool Refuse(ReadOnlySpan<byte> error, RespReplyWriter reply)
    {
        reply.Error(error);
        return false;
    }

    // PSYNC, SYNC: what a replica, or a tool that copies a server, begins with.
    private static void RefuseSync(in RespRequest request, CommandContext context) =>
        context.Reply.Error("ERR this server has no replicas"u8);
}
