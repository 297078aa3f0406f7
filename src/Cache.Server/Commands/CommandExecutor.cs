using Cache.Server.Commands.Dispatch;
using Cache.Server.Protocol;

namespace Cache.Server.Commands;

/// <summary>Executes the connections' requests as commands.</summary>
internal readonly struct CommandExecutor : IRequestExecutor
{
    public void Execute(in RespRequest request, CommandContext context) => CommandDispatcher.Execute(request, context);

    public int ExecuteCommon(
        ReadOnlySpan<byte> input,
        ReadOnlySpan<CommonRequest> requests,
        int unflushedBytesMax,
        CommandContext context) =>
        CommonCommands.Execute(input, requests, unflushedBytesMax, context);
}
