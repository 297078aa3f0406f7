namespace Cache.Server.Scripts;

/// <summary>An argument of a command as it stands in a script.</summary>
/// <param name="Text">The argument, if it stands there. Null: it is known when the script runs.</param>
/// <param name="Key">The number of the declared key that it is, from 1; 0: none.</param>
/// <param name="IsGiven">Whether it is a number that stands there, or an argument of the script.</param>
internal readonly record struct ScriptedWord(byte[]? Text, int Key, bool IsGiven = false)
{
    /// <summary>Whether the script makes it, so that it may be as long as all that the script has by then.</summary>
    public bool IsMade => Text is null && Key == 0 && !IsGiven;
}
