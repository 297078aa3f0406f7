using Cache.Server.Commands.Arguments;
using Cache.Server.Commands.Dispatch;
using Cache.Server.Commands.Replies;
using Cache.Server.Protocol;

namespace Cache.Server.Commands.Session;

/// <summary>CLIENT PAUSE and CLIENT UNPAUSE.</summary>
internal static class ClientPauseCommands
{
    public static IReadOnlyList<CommandBinding> Bindings { get; } =
    [
        new("client|pause", Pause),
        new("client|unpause", Unpause),
    ];

    // CLIENT PAUSE timeout [WRITE | ALL]
    private static void Pause(in RespRequest request, CommandContext context)
    {
        bool writesOnly = request.Count == 4 && request[3].Is("WRITE"u8);
        if (request.Count > 4)
            context.Reply.UnknownSubcommand(request[1], "CLIENT"u8);
        else if (request.Count == 4 && !writesOnly && !request[3].Is("ALL"u8))
            context.Reply.Error("ERR CLIENT PAUSE mode must be WRITE or ALL"u8);
        else if (!RespInteger.TryParse(request[2], out long milliseconds))
            context.Reply.Error("ERR timeout is not an integer or out of range"u8);
        else if (milliseconds < 0)
            context.Reply.Error("ERR timeout is negative"u8);
        else
        {
            context.Server.Pauses.Begin(milliseconds, writesOnly);
            context.Reply.Ok();
        }
    }

    private static void Unpause(in RespRequest request, CommandContext context)
    {
        context.Server.Pauses.End();
        context.Reply.Ok();
    }
}
