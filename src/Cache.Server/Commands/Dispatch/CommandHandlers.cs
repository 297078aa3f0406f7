using System.Diagnostics;
using Cache.Server.Commands.Table;

namespace Cache.Server.Commands.Dispatch;

/// <summary>The method that executes each command of the table. Immutable; shared by all servers.</summary>
/// <param name="byIndex">By the command's index; null for containers that need a subcommand.</param>
internal sealed class CommandHandlers(CommandHandler?[] byIndex)
{
    private readonly CommandHandler?[] _byIndex = byIndex;

    /// <summary>
    /// The method of a command. A container that needs a subcommand has none, and was refused before.
    /// </summary>
    public CommandHandler Of(CommandDefinition command)
    {
        Debug.Assert(_byIndex[command.Index] is not null, "A container is refused without a subcommand.");
        return _byIndex[command.Index]!;
    }
}
