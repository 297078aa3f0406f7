using Cache.Server.Protocol;

namespace Cache.Server.Commands.Dispatch;

/// <summary>
/// Takes requests, one after the other, and writes their replies; a struct, so that its call is inlined.
/// </summary>
internal interface IRequestExecutor
{
    /// <param name="request">Valid during the call.</param>
    /// <param name="context">The client that sent it, and where the reply goes.</param>
    void Execute(in RespRequest request, CommandContext context);

    /// <param name="input">Valid during the call.</param>
    /// <param name="requests">One or more, parts of the input.</param>
    /// <param name="unflushedBytesMax">Above this many unsent bytes, replies leave before more are written.</param>
    /// <param name="context">The client that sent them, and where the replies go.</param>
    /// <returns>How many were executed; none if the first one gives way, alone.</returns>
    int ExecuteCommon(
        ReadOnlySpan<byte> input,
        ReadOnlySpan<CommonRequest> requests,
        int unflushedBytesMax,
        CommandContext context);
}
