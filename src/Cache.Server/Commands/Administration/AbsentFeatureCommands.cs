using Cache.Server.Commands.Dispatch;
using Cache.Server.Commands.Replies;
using Cache.Server.Protocol;

namespace Cache.Server.Commands.Administration;

/// <summary>MODULE, as a Redis without modules answers.</summary>
/// <remarks>Tools ask when they connect.</remarks>
internal static class AbsentFeatureCommands
{
    private static readonly string[] _moduleHelp =
    [
        "MODULE <subcommand> [<arg> [value] [opt] ...]. Subcommands are:",
        "LIST",
        "    Return a list of loaded modules.",
        "HELP",
        "    Prints this help.",
    ];

    public static IReadOnlyList<CommandBinding> Bindings { get; } =
    [
        new("module|list", static (in RespRequest _, CommandContext context) => context.Reply.ArrayHeader(0)),
        new("module|help", static (in RespRequest _, CommandContext context) => context.Reply.Help(_moduleHelp)),
    ];
}
