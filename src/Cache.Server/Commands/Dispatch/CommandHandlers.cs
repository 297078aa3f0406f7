using Cache.Server.Commands.Table;

namespace Cache.Server.Commands.Dispatch;

/// <summary>The method that executes each command of the table. Immutable; shared by all servers.</summary>
internal sealed class CommandHandlers
{
    private readonly CommandHandler?[] _byIndex;

    /// <param name="table">The commands.</param>
    /// <param name="bindings">A handler for each of them but containers that demand a subcommand.</param>
    /// <exception cref="InvalidOperationException">A handler is missing, or there is no such command.</exception>
    public CommandHandlers(CommandTable table, IReadOnlyList<CommandBinding> bindings)
    {
        var handlers = new Dictionary<string, CommandHandler>(StringComparer.Ordinal);
        foreach (var (name, handler) in bindings)
            handlers.Add(name, handler);
        _byIndex = new CommandHandler?[table.All.Count];
        foreach (var command in table.All)
        {
            if (handlers.Remove(command.Name, out _byIndex[command.Index]) || command.Subcommands is not null)
                continue;
            throw new InvalidOperationException($"The command {command.Name} has no handler.");
        }

        if (handlers.Count > 0)
        {
            string names = string.Join(", ", handlers.Keys);
            throw new InvalidOperationException($"No such row in the command table: {names}.");
        }
    }

    /// <summary>
    /// The method of a command. A container that demands a subcommand has none, and is refused before this.
    /// </summary>
    public CommandHandler Of(CommandDefinition command) => _byIndex[command.Index]!;
}
