using Cache.Scripting.Translation;

namespace Cache.Scripting.Running;

/// <summary>A word of a script.</summary>
/// <param name="Kind">What it is.</param>
/// <param name="Value">The word; of a text what it means.</param>
internal readonly record struct ScriptWord(TokenKind Kind, string Value)
{
    public bool Opens => Is("(") || Is("{") || Is("[");

    public bool Closes => Is(")") || Is("}") || Is("]");

    /// <summary>Whether what follows could call it.</summary>
    public bool IsValue => Kind is TokenKind.Name or TokenKind.Text || Closes;

    public bool Is(string symbol) => Kind == TokenKind.Symbol && Value == symbol;

    public bool IsKeyword(string word) => Kind == TokenKind.Keyword && Value == word;
}
