namespace Cache.Server.Scripts;

/// <summary>An argument of a command as it stands in a script.</summary>
/// <param name="Text">The argument, if it stands there. Null: it is known when the script runs.</param>
/// <param name="Key">The number of the declared key that it is, from 1; 0: none.</param>
internal readonly record struct ScriptedWord(byte[]? Text, int Key);
