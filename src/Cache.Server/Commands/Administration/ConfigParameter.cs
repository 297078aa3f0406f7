using Cache.Server.Commands.Dispatch;

namespace Cache.Server.Commands.Administration;

/// <summary>A parameter of CONFIG: its name, its value as text, and how another value is taken.</summary>
/// <param name="Name">The name in lower case.</param>
/// <param name="Read">The present value; a char is a byte.</param>
/// <param name="Prepare">Checks a value without changing anything; null: it cannot be set.</param>
internal sealed record ConfigParameter(
    string Name, Func<ServerState, string> Read, Func<ServerState, string, ConfigChange>? Prepare);
