using Cache.Server.Commands.Table;

namespace Cache.Server.Commands.Dispatch;

/// <summary>A request that waits for EXEC: where its bytes and the places of its arguments are in the queue.</summary>
/// <param name="Command">The command, which the table has found.</param>
/// <param name="Start">The index of its first byte.</param>
/// <param name="Length">The number of its bytes.</param>
/// <param name="FirstArgument">The index of its first argument.</param>
/// <param name="ArgumentCount">The number of its arguments, its name included.</param>
/// <param name="Elsewhere">The argument in memory of its own; null: none.</param>
internal readonly record struct QueuedRequest(
    CommandDefinition Command, int Start, int Length, int FirstArgument, int ArgumentCount, LongArgument? Elsewhere);
