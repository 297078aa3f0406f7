namespace Cache.Server.Commands.Dispatch;

/// <summary>The method that executes a command.</summary>
/// <param name="Name">
/// The command's name as in the table, in lower case; of a subcommand "container|subcommand".
/// </param>
/// <param name="Handler">Called once the arity and the client's rights are checked.</param>
internal readonly record struct CommandBinding(string Name, CommandHandler Handler);
