namespace Cache.Server.Scripts;

/// <summary>
/// What is known of a script before it runs, if it is a simple one: it ends after a few steps, whatever it is given.
/// </summary>
/// <param name="Calls">The commands that it may call, each at most once.</param>
/// <param name="Concatenations">How often it may join two texts.</param>
/// <param name="TextBytes">The length of all texts that stand in it.</param>
/// <param name="Reads">How often it may read a text from its begin to its end, besides.</param>
internal sealed record ScriptOutline(
    IReadOnlyList<ScriptedCall> Calls, int Concatenations, long TextBytes, int Reads);
