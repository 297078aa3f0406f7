using Cache.Server.Commands.Dispatch;
using Cache.Server.Protocol;

namespace PingServer;

/// <summary>Answers everything with PONG, so that what is measured is the way there and back.</summary>
internal readonly struct PingExecutor : IRequestExecutor
{
    public void Execute(in RespRequest request, CommandContext context)
    {
        context.Counters.Traffic.Commands++;
        context.Reply.Literal("+PONG\r\n"u8);
    }

    public int ExecuteCommon(
        ReadOnlySpan<byte> input,
        ReadOnlySpan<CommonRequest> requests,
        int unflushedBytesMax,
        CommandContext context)
    {
        context.Counters.Traffic.Commands++;
        context.Reply.Literal("+PONG\r\n"u8);
        return 1;
    }
}
