using Cache.Server.Commands.Table;

namespace Cache.Server.Commands.Dispatch;

/// <summary>The method that executes a command.</summary>
/// <param name="Name">
/// The command's name as in the table, in lower case; for a subcommand "container|subcommand".
/// </param>
/// <param name="Handler">Called once the arity and the client's rights are checked.</param>
internal readonly record struct CommandBinding(string Name, CommandHandler Handler)
{
    /// <summary>Finds the method of each command of a table.</summary>
    /// <param name="table">The commands.</param>
    /// <param name="bindings">A handler for each command, except for containers that need a subcommand.</param>
    /// <exception cref="InvalidOperationException">A handler is missing, or there is no such command.</exception>
    public static CommandHandlers Bind(CommandTable table, IReadOnlyList<CommandBinding> bindings)
    {
        var handlers = new Dictionary<string, CommandHandler>(StringComparer.Ordinal);
        foreach (var (name, handler) in bindings)
            handlers.Add(name, handler);
        var byIndex = new CommandHandler?[table.All.Count];
        foreach (var command in table.All)
        {
            if (handlers.Remove(command.Name, out byIndex[command.Index]) || command.Subcommands is not null)
                continue;
            throw new InvalidOperationException($"The command {command.Name} has no handler.");
        }

        if (handlers.Count > 0)
        {
            string names = string.Join(", ", handlers.Keys);
            throw new InvalidOperationException($"No such row in the command table: {names}.");
        }

        return new CommandHandlers(byIndex);
    }
}
