using Cache.Server.Protocol;

namespace Cache.Server.Commands.Dispatch;

/// <summary>
/// Executes one command whose arity was checked, and writes exactly one reply (or none, for commands without one).
/// </summary>
/// <param name="request">The command's name and arguments; valid during the call.</param>
/// <param name="context">The client that sent it, its store and its reply writer.</param>
internal delegate void CommandHandler(in RespRequest request, CommandContext context);
