namespace Cache.Server.Scripts;

/// <summary>
/// What is known of a script before it runs, if it is a simple one: it ends after a few steps, whatever it is given.
/// </summary>
/// <param name="Calls">The commands that it may call, each at most once.</param>
internal sealed record ScriptOutline(IReadOnlyList<ScriptedCall> Calls);
