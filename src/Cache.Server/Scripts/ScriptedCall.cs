namespace Cache.Server.Scripts;

/// <summary>A call of a command as it stands in a script.</summary>
/// <param name="Words">The name of the command and its arguments.</param>
internal sealed record ScriptedCall(IReadOnlyList<ScriptedWord> Words);
