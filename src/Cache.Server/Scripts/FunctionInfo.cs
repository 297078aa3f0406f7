namespace Cache.Server.Scripts;

/// <summary>A function as its library has registered it.</summary>
/// <param name="Name">Its name: letters, digits and underscores.</param>
/// <param name="Description">What it is said to do; null: nothing is said.</param>
/// <param name="Flags">What it says of itself.</param>
/// <param name="Text">Its text, if it is a simple one; null: it is not, or it was planned.</param>
internal sealed record FunctionInfo(string Name, byte[]? Description, ScriptFlags Flags, FunctionText? Text = null);
