using Cache.Server.Commands;
using Cache.Server.Protocol;

namespace Cache.Server.Connections;

/// <summary>
/// Takes requests, one after the other, and writes their replies; a struct, so that its call is inlined.
/// </summary>
internal interface IRequestExecutor
{
    /// <param name="request">Valid during the call.</param>
    /// <param name="context">The client that sent it, and where the reply goes.</param>
    void Execute(in RespRequest request, CommandContext context);
}
