using Cache.Server.Commands.Dispatch;
using Cache.Server.Protocol;

namespace Cache.Server.Commands.Scripts;

/// <summary>MONITOR shows a script, or a function, before its commands; one that is refused too.</summary>
internal static class ShownScript
{
    /// <summary>Shows the request of a script that begins now, or that is refused.</summary>
    public static void Show(in RespRequest request, CommandContext context)
    {
        var monitors = context.Server.Monitors;
        if (monitors.AreThere && context.Server.Commands.Find(request[0]) is { } command)
            monitors.ShowScript(command, request, context.LongArgument, context.Client);
    }
}
