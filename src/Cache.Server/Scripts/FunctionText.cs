namespace Cache.Server.Scripts;

/// <summary>The text of a simple function, which is compiled without its library.</summary>
/// <param name="Line">The line of the library on which it begins.</param>
/// <param name="Text">What returns the function, with the constants that it shares with others.</param>
/// <param name="Outline">What it may do.</param>
internal sealed record FunctionText(int Line, byte[] Text, ScriptOutline Outline);
