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
        new("module|load", RefuseModule),
        new("module|loadex", RefuseModule),
        new("module|unload", RefuseModule),
        new("module|help", static (in RespRequest _, CommandContext context) => context.Reply.Help(_moduleHelp)),
    ];

    private static void RefuseModule(in RespRequest request, CommandContext context) => context.Reply.Error(
        "ERR MODULE command not allowed. If the enable-module-command option is set to \"local\", you can run it "u8
        + "from a local connection, otherwise you need to set this option in the configuration file, and then "u8
        + "restart the server."u8);
}
