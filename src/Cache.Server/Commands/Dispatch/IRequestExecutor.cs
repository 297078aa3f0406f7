using Cache.Server.Protocol;

namespace Cache.Server.Commands.Dispatch;

/// <summary>
/// Takes requests, one after the other, and writes their replies; a struct, so that its call is inlined.
/// </summary>
internal interface IRequestExecutor
{
    /// <param name="request">Valid during the call.</param>
    /// <param name="context">The client that sent it, and its reply writer.</param>
    void Execute(in RespRequest request, CommandContext context);

    /// <param name="input">Valid during the call.</param>
    /// <param name="requests">One or more, parts of the input.</param>
    /// <param name="unflushedBytesMax">
    /// Above this many unsent bytes, replies are flushed before more are written.
    /// </param>
    /// <param name="context">The client that sent them, and its reply writer.</param>
    /// <returns>The number of executed requests; 0 if the first one gives way.</returns>
    int ExecuteCommon(
        ReadOnlySpan<byte> input,
        ReadOnlySpan<CommonRequest> requests,
        int unflushedBytesMax,
        CommandContext context);
}
